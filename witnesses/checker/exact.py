"""Models given by a file (docs/design/004-models.md): the model is in the evidence, so it is run here, number by number.

Rationals are exact.  f32 and bf16 steps are done with integers: every product and sum exactly, then rounded once to
nearest even, as the format says; no floating point of the machine is used."""

import re
from fractions import Fraction

from .outcome import NotChecked, Rejection
from .external import check_outputs, check_side, check_top_of_external, shape_external_side
from .shape import (as_bool, as_list, as_number, as_object, as_symbol, as_tagged, as_text, shape_digits,
                    shape_fields)

DIGITS = 200            # longest text of one number
BITS = 1 << 16          # longest numerator or denominator of a state
WORK = 1 << 24          # products that this program is ready to compute
INFINITE = 0x7f800000


class Refused(Exception):
    """The model does not take this input."""


def as_ratio(value, at):
    text = as_text(value, at)
    wrong = Rejection(at, "malformed", text, "a fraction in lowest terms, of at most %d characters" % DIGITS)
    if len(text) > DIGITS or not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text) or re.search(r"/0+$", text):
        raise wrong
    number = Fraction(text)
    if str(number) != text:
        raise wrong
    return number


def as_row(value, at):
    return [as_ratio(item, "%s/%d" % (at, i)) for i, item in enumerate(as_list(value, at))]


def as_rows(value, at):
    return [as_row(item, "%s/%d" % (at, i)) for i, item in enumerate(as_list(value, at))]


def as_tables(value, at):
    as_list(value, at, shape_digits)
    return value


def width_of(rows, width=None):
    """The common length of the rows; None if they have no common one."""
    if not rows:
        return None
    width = len(rows[0]) if width is None else width
    return width if width > 0 and all(len(row) == width for row in rows) else None


# Declared steps.  A number is a pattern of 32 bits; bf16 numbers are those patterns whose low half is zero.

def round_even(m, drop):
    """m / 2^drop, to the nearest integer, ties to even."""
    if drop <= 0:
        return m << -drop
    low, half = m & ((1 << drop) - 1), 1 << (drop - 1)
    m >>= drop
    return m + (low > half or (low == half and m & 1))


def to_f32(negative, m, e):
    """The f32 nearest to m 2^e, m >= 0."""
    sign = 0x80000000 if negative else 0
    if m == 0:
        return sign
    last = max(e + m.bit_length() - 24, -149)
    m = round_even(m, last - e)
    pattern = m if m < 1 << 23 else ((last + 150) << 23) + m - (1 << 23)
    if pattern >= INFINITE:
        raise Refused("a number that is not finite")
    return sign | pattern


def parts(pattern):
    """Is it negative, m and e, with m 2^e its size."""
    e = pattern >> 23 & 255
    m = pattern & 0x7fffff
    return pattern >> 31, (m | 1 << 23 if e else m), max(e, 1) - 150


class Steps:
    """Arithmetic of one format."""

    def __init__(self, name):
        self.name = name

    def rounded(self, pattern):
        """bf16 widens to f32, does one operation, and rounds once more."""
        if self.name == "f32":
            return pattern
        sign, size = pattern & 0x80000000, pattern & 0x7fffffff
        size = round_even(size, 16) << 16
        if size >= INFINITE:
            raise Refused("a number that is not finite")
        return sign | size

    def quotient(self, ratio):
        p, q = abs(ratio.numerator), ratio.denominator
        whole, rest = divmod(p << 64, q)
        return self.rounded(to_f32(ratio < 0, whole << 1 | (rest != 0), -65))

    def times(self, a, b):
        (sa, ma, ea), (sb, mb, eb) = parts(a), parts(b)
        return self.rounded(to_f32(sa ^ sb, ma * mb, ea + eb))

    def plus(self, a, b):
        (sa, ma, ea), (sb, mb, eb) = parts(a), parts(b)
        e = min(ea, eb)
        total = (-ma if sa else ma) * (1 << (ea - e)) + (-mb if sb else mb) * (1 << (eb - e))
        return self.rounded(to_f32(total < 0 or (total == 0 and sa and sb), abs(total), e))


class Model:
    """Reads a model, and runs it."""

    def __init__(self, value, at):
        as_object(value, at, ("readout", "rule"))
        self.rule, body, where = as_tagged(value["rule"], at + "/rule", ("delta", "linear", "rnn", "table"))
        self.steps, self.by_position = None, False
        fits = getattr(self, "read_" + self.rule)(body, where)
        fits = self.read_readout(value["readout"], at + "/readout") and fits
        if not fits:
            raise Rejection(at, "malformed", "lists that do not fit together", "a model")

    def read_linear(self, body, at):
        as_object(body, at, ("by_position", "format", "gates", "keys", "values"))
        self.by_position = as_bool(body["by_position"], at + "/by_position")
        if as_text(body["format"], at + "/format") not in ("exact", "f32", "bf16"):
            raise Rejection(at + "/format", "unknown-kind", body["format"], "exact, f32 or bf16")
        self.gates = as_row(body["gates"], at + "/gates")
        self.keys = as_rows(body["keys"], at + "/keys")
        self.values = as_rows(body["values"], at + "/values")
        self.size, self.tokens = width_of(self.keys), len(self.values)
        fits = (self.size and width_of(self.values) and (self.by_position or len(self.keys) == self.tokens)
                and len(self.gates) in (1, self.tokens))
        if body["format"] != "exact":
            self.steps = Steps(body["format"])
            everything = [self.gates, *self.keys, *self.values]
            fits = fits and all(max(abs(x.numerator), x.denominator) < 1 << 24 for row in everything for x in row)
            if fits:
                patterns = [[self.steps.quotient(x) for x in row] for row in everything]
                self.gates, self.keys = patterns[0], patterns[1:1 + len(self.keys)]
                self.values = patterns[1 + len(self.keys):]
        if fits:
            self.start, self.cost = [0] * (self.size * len(self.values[0])), 2 * self.size * len(self.values[0])
        return fits

    def read_delta(self, body, at):
        as_object(body, at, ("keys", "rate", "values"))
        self.rate = as_ratio(body["rate"], at + "/rate")
        self.keys, self.values = as_rows(body["keys"], at + "/keys"), as_rows(body["values"], at + "/values")
        self.size, self.tokens = width_of(self.keys), len(self.values)
        fits = self.size and width_of(self.values) and len(self.keys) == self.tokens
        if fits:
            self.start, self.cost = [0] * (self.size * len(self.values[0])), 2 * self.size * len(self.values[0])
        return fits

    def read_rnn(self, body, at):
        as_object(body, at, ("high", "inputs", "low", "matrix"))
        self.matrix, self.inputs = as_rows(body["matrix"], at + "/matrix"), as_rows(body["inputs"], at + "/inputs")
        self.low, self.high = as_ratio(body["low"], at + "/low"), as_ratio(body["high"], at + "/high")
        self.size, self.tokens = len(self.matrix), len(self.inputs)
        self.start, self.cost = [0] * self.size, self.size * self.size
        return width_of(self.matrix, self.size) and width_of(self.inputs, self.size) and self.low <= self.high

    def read_table(self, body, at):
        as_object(body, at, ("next",))
        self.next = as_tables(body["next"], at + "/next")
        self.size, self.tokens, self.start, self.cost = len(self.next), width_of(self.next), 0, 1
        return self.tokens and all(state < self.size for row in self.next for state in row)

    def read_readout(self, value, at):
        self.vocab, self.queries, self.out = self.tokens, None, None
        if value is None:
            return True
        tag, body, where = as_tagged(value, at, ("linear", "table"))
        if tag == "linear":
            as_object(body, where, ("largest", "queries"))
            as_symbol(body["largest"], where + "/largest")
            self.largest, self.queries = int(body["largest"]), as_rows(body["queries"], where + "/queries")
            self.vocab = max(self.tokens or 0, len(self.queries))
            return self.rule != "table" and self.size and width_of(self.queries, self.size)
        as_object(body, where, ("out",))
        self.out = as_tables(body["out"], where + "/out")
        self.vocab = max(self.tokens or 0, width_of(self.out) or 0)
        return self.rule == "table" and width_of(self.out) and len(self.out) == self.size

    def after(self, state, token, position):
        if token >= self.tokens:
            raise Refused("token %d has no value" % token)
        if self.rule == "table":
            return self.next[state][token]
        if self.rule == "rnn":
            sums = [sum(w * h for w, h in zip(row, state)) + add for row, add in zip(self.matrix, self.inputs[token])]
            new = [min(max(x, self.low), self.high) for x in sums]
        else:
            place = position if self.by_position else token
            if place >= len(self.keys):
                raise Refused("position %d has no key" % position)
            new = self.outer(state, self.keys[place], self.values[token], token)
        if self.steps is None:
            for x in new:
                if max(x.numerator.bit_length(), x.denominator.bit_length()) > BITS:
                    raise Refused("a number of the state has more than %d bits" % BITS)
        return new

    def outer(self, state, key, value, token):
        width = len(value)
        if self.rule == "delta":
            read = [sum(k * state[i * width + j] for i, k in enumerate(key)) for j in range(width)]
            return [state[i * width + j] + self.rate * k * (v - read[j])
                    for i, k in enumerate(key) for j, v in enumerate(value)]
        gate = self.gates[token if len(self.gates) > 1 else 0]
        if self.steps is None:
            return [gate * old + k * v for old, (k, v) in zip(state, [(k, v) for k in key for v in value])]
        times, plus = self.steps.times, self.steps.plus
        return [plus(times(gate, old), times(k, v)) for old, (k, v) in zip(state, [(k, v) for k in key for v in value])]

    def state_of(self, tokens):
        state = self.start
        for position, token in enumerate(tokens):
            state = self.after(state, token, position)
        return state

    def hex(self, state):
        if self.rule == "table":
            return state.to_bytes(8, "little").hex()
        if self.steps is not None:
            return b"".join(pattern.to_bytes(4, "little") for pattern in state).hex()
        return " ".join(str(x) for x in state).encode().hex()

    def answer(self, tokens):
        state, last = self.state_of(tokens[:-1]), tokens[-1]
        if self.out is not None:
            if last >= len(self.out[state]):
                raise Refused("token %d has no query" % last)
            return [self.out[state][last]]
        if self.queries is None or self.steps is not None or last >= len(self.queries):
            raise Refused("no exact answer to token %d" % last)
        stride = len(state) // self.size
        total = sum(q * state[i * stride] for i, q in enumerate(self.queries[last]))
        return [min(max((total + Fraction(1, 2)).__floor__(), 0), self.largest)]


def expect_same(stored, compute, at):
    try:
        right = compute()
    except Refused as why:
        raise Rejection(at, "replay", stored, "an input that the model takes: %s" % why) from None
    if stored != right:
        raise Rejection(at, "replay", stored, right)


def check_exact(doc):
    """Everything up to the run; returns the run and a summary."""
    spec = as_object(doc["spec"], "/spec", ("exact_model",))
    inside, at = spec["exact_model"], "/spec/exact_model"
    tag, statement, where = as_tagged(doc["statement"], "/statement", ("forgotten", "wrong"))
    as_object(inside, at, ("encoding", "model", "task") if tag == "wrong" else ("model",))
    model = Model(inside["model"], at + "/model")
    kind = "model_pair" if tag == "wrong" else "horizon"
    if len(doc["evidence"]) != 1:
        raise Rejection("/evidence/1", "kind-mismatch", len(doc["evidence"]), "one " + kind)
    _, body, place = as_tagged(doc["evidence"][0], "/evidence/0", (kind,))
    if tag == "wrong":
        as_object(statement, where, ())
        return read_pair(model, inside, at, body, place)
    as_object(statement, where, ("prefix", "tokens"))
    for key in ("prefix", "tokens"):
        as_symbol(statement[key], where + "/" + key)
    return read_horizon(model, int(statement["prefix"]), int(statement["tokens"]), body, place)


def read_pair(model, inside, at, body, where):
    task, encoding = check_top_of_external(inside, at)
    shape_fields(body, where, {"sides": lambda value, at: as_list(value, at, shape_external_side),
                               "suffix": shape_digits})
    if not task.is_suffix(body["suffix"]):
        raise Rejection(where + "/suffix", "domain", body["suffix"], "a suffix of the task")
    for i, side in enumerate(body["sides"]):
        check_side(task, encoding, side, body["suffix"], "%s/sides/%d" % (where, i))
        if side["state"] is None:
            raise Rejection("%s/sides/%d/state" % (where, i), "malformed", None, "a state")
    check_outputs(body["sides"], where + "/sides")

    def replay():
        ready(model, [side["tokens"] for side in body["sides"]])
        for i, side in enumerate(body["sides"]):
            place = "%s/sides/%d" % (where, i)
            expect_same(side["out"], lambda: model.answer(side["tokens"]), place + "/out")
            prefix = side["tokens"][:len(side["tokens"]) - len(body["suffix"])]
            expect_same(side["state"], lambda: model.hex(model.state_of(prefix)), place + "/state")
        return "model_pair: %d input(s) of %s" % (len(body["sides"]), task.name)
    return replay


def shape_before(value, at):
    if value is not None and len(as_list(value, at, as_text)) != 2:
        raise Rejection(at, "malformed", value, "two states")


def read_horizon(model, prefix, tokens, body, where):
    shape_fields(body, where, {"before": shape_before, "left": shape_digits, "place": as_number, "right": shape_digits,
                               "state": as_text})
    left, right = body["left"], body["right"]
    for key in ("left", "right"):
        if any(token >= model.vocab for token in body[key]):
            raise Rejection(where + "/" + key, "alphabet", body[key], "tokens below %d" % model.vocab)
    differ = [i for i, (a, b) in enumerate(zip(left, right)) if a != b]
    if len(left) != len(right) or len(left) != prefix + tokens or not differ or differ[-1] >= prefix:
        raise Rejection(where + "/right", "domain", right, "another input, with the same last %d tokens" % tokens)
    if body["place"] != differ[-1]:
        raise Rejection(where + "/place", "arithmetic", body["place"], differ[-1])
    if (body["before"] is None) != (tokens == 0):
        raise Rejection(where + "/before", "domain", body["before"], "two states, or null after no token")

    def replay():
        ready(model, [left, right])
        states = [ends(model, side) for side in (left, right)]
        expect_same(body["state"], lambda: result(states[0][1]), where + "/state")
        if states[0][1] != states[1][1]:
            raise Rejection(where + "/right", "view-differs", states[1][1], states[0][1])
        if body["before"] is not None:
            for i, stored in enumerate(body["before"]):
                expect_same(stored, lambda: result(states[i][0]), "%s/before/%d" % (where, i))
            if body["before"][0] == body["before"][1]:
                raise Rejection("/statement/forgotten/tokens", "bound", tokens, "the least number")
        return "horizon: one state after %d tokens" % tokens
    return replay


def ends(model, tokens):
    """The last two states of one run, as hex; the refusal instead of a state that there is not."""
    try:
        before = model.state_of(tokens[:-1])
    except Refused as why:
        return why, why
    try:
        return model.hex(before), model.hex(model.after(before, tokens[-1], len(tokens) - 1))
    except Refused as why:
        return model.hex(before), why


def result(found):
    if isinstance(found, Refused):
        raise found
    return found


def ready(model, inputs):
    work = sum(len(tokens) for tokens in inputs) * model.cost * 2
    if work > WORK:
        raise NotChecked("a replay of about %d products; the limit of this checker is %d" % (work, WORK))
