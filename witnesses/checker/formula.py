"""Refuted formulas: table-v1, symbol-order-v1, LRAT (format 3 and 4).  Self-contained but for `kept_slots`,
`supports`."""

import hashlib
import itertools
import math
import re
import zlib

from .outcome import NotChecked, Rejection, SpecError
from .flow import kept_slots, supports
from .kinds import CHECKS
from .enumeration import expect_value


FORMULA, PROOF = "formula.cnf", "proof.lrat.gz"
MAX_LITERALS = 2 ** 25          # a bound of this program: longer formulas are not-checked
LRAT_NUMBERS = re.compile(rb"(?:0|-?[1-9][0-9]{0,17})(?: (?:0|-?[1-9][0-9]{0,17}))*")
LRAT_DELETION = re.compile(rb"[1-9][0-9]{0,17} d ((?:[1-9][0-9]{0,17} )*)0")


class Formula:
    """Numbered variables and clauses (tuples of literals), in order."""

    def __init__(self):
        self.variables, self.clauses, self.literals = 0, [], 0

    def group(self, size):
        """One variable for two symbols, one-hot for more, none for one."""
        first = self.variables + 1
        self.variables += 0 if size < 2 else 1 if size == 2 else size
        return first, size

    def groups(self, keys, size):
        """A group per key, then the clauses that each is exactly one symbol."""
        made = {key: self.group(size) for key in keys}
        if size > 2:
            for group in made.values():
                row = [literal(group, v) for v in range(size)]
                self.add(row)
                for a, b in itertools.combinations(row, 2):
                    self.add((-a, -b))
        return made

    def add(self, clause):
        clause = tuple(clause)
        self.literals += len(clause)
        if self.literals > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        self.clauses.append(clause)

    def lines(self):
        yield b"p cnf %d %d" % (self.variables, len(self.clauses))
        for clause in self.clauses:
            yield b" ".join([b"%d" % x for x in clause] + [b"0"])


def literal(group, symbol):
    first, size = group
    if size == 2:
        return first if symbol else -first
    return first + symbol


class Encoder:
    """table-v1 for a list of inputs (format 4.1)."""

    def __init__(self, game, inputs, accepted):
        self.game, self.inputs, self.formula = game, inputs, Formula()
        self.kept = sorted(kept_slots(game))
        self.support = {k: sorted(players) for k, players in supports(game, set(self.kept)).items()}
        self.said, self.functions = {}, []
        for k in self.kept:
            self.slot(game.slots[k])
        self.answers(accepted)
        self.plain = len(self.formula.clauses)

    def arguments(self, sources, number):
        stored = [k for p in sources for k in self.game.stored(p, number) if k in self.support]
        return stored, [self.game.slots[k].alphabet for k in stored]

    def distinct(self, players):
        return sorted({tuple(x[p] for p in players) for x in self.inputs})

    def combinations(self, sizes, repeats):
        """All combinations of symbols, if they are few enough to be written `repeats` times."""
        if math.prod(sizes) * max(repeats, 1) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        return list(itertools.product(*[range(size) for size in sizes]))

    def pre(self, stored, x, combination):
        """The negated literals of "the arguments have these symbols" on an input (players to digits)."""
        groups = [self.said[k][tuple(x[p] for p in self.support[k])] for k in stored]
        return [-literal(group, v) for group, v in zip(groups, combination)]

    def slot(self, slot):
        size, sources, support = slot.alphabet, slot.sources, self.support[slot.index]
        restrictions = self.distinct(support)
        if size * len(restrictions) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        said = self.said[slot.index] = self.formula.groups(restrictions, size)
        stored, sizes = self.arguments(sources, slot.round)
        owns = self.distinct(sources)
        if not stored:
            function = {(own, ()): said[tuple(own[sources.index(p)] for p in support)] for own in owns}
        else:
            combinations = self.combinations(sizes, size * max(len(owns), len(restrictions)))
            function = self.formula.groups(list(itertools.product(owns, combinations)), size)
            for restriction in restrictions:
                x = dict(zip(support, restriction))
                own = tuple(x[p] for p in sources)
                for combination in combinations:
                    pre = self.pre(stored, x, combination)
                    m, f = said[restriction], function[own, combination]
                    for v in (1, 0) if size == 2 else range(size):
                        self.formula.add(pre + [-literal(m, v), literal(f, v)])
        self.functions.append((slot, stored, function))

    def answers(self, accepted):
        game, task = self.game, self.game.task
        stored, sizes = self.arguments((game.output,), game.end)
        owns = self.distinct((game.output,))
        combinations = self.combinations(sizes, len(self.inputs))
        if task.answers * len(owns) * len(combinations) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        function = self.formula.groups(list(itertools.product(owns, combinations)), task.answers)
        for x, right in zip(self.inputs, accepted):
            if right is not None:
                for combination in combinations:
                    group = function[(x[game.output],), combination]
                    self.formula.add(self.pre(stored, x, combination) + [literal(group, a) for a in right])

    def order_symbols(self):
        """symbol-order-v1 (format 4.3)."""
        named = {slot.by for slot in self.game.slots if slot.rule == "read"}
        for slot, stored, function in self.functions:
            if slot.sender == slot.receiver or slot.index in named:
                continue
            consulted = slot.receiver in slot.sources
            mine = [i for i, k in enumerate(stored) if self.game.slots[k].receiver == slot.receiver]
            contexts = {}
            for own, combination in sorted(function):
                context = (own[slot.sources.index(slot.receiver)], tuple(combination[i] for i in mine)) \
                    if consulted else ()
                contexts.setdefault(context, []).append(function[own, combination])
            for keys in contexts.values():
                for number, group in enumerate(keys[:slot.alphabet - 1]):
                    for v in range(number + 1, slot.alphabet):
                        self.formula.add((-literal(group, v),))


def check_all_chosen(game, at):
    """Every kept slot is chosen and has a function of its own."""
    for k in sorted(kept_slots(game)):
        if game.slots[k].rule != "chosen" or k in game.shared:
            raise Rejection(at + "/encoding", "encoding", game.slots[k].name, "a slot with a function of its own")


# Name to encoder, symmetry schema, and the check that the game is covered; `copies.py` adds its own.
ENCODINGS = {"table-v1": (Encoder, "symbol-order-v1", check_all_chosen)}


def check_no_protocol(claim, body, at):
    """The formula of the input core made again and compared, then the proof that it cannot be satisfied."""
    for name in (FORMULA, PROOF):
        if name not in claim.attached:
            raise Rejection("/files/" + name, "file", "no such file", "%s and %s" % (FORMULA, PROOF))
    if len(claim.attached) > 2:
        raise Rejection("/files", "file", sorted(claim.attached), "%s and %s" % (FORMULA, PROOF))
    claim.trust = ["encoding:" + body["encoding"]] + ["symmetry:" + name for name in body["symmetry"]]
    if body["encoding"] not in ENCODINGS:
        raise Rejection(at + "/encoding", "encoding", body["encoding"], " or ".join(sorted(ENCODINGS)))
    encoding, schema, check_covered = ENCODINGS[body["encoding"]]
    for i, name in enumerate(body["symmetry"]):
        if name != schema or i > 0:
            raise Rejection("%s/symmetry/%d" % (at, i), "symmetry", name, schema + ", once")
    game = claim.game
    inputs = [claim.full_input(value, "%s/inputs/%d" % (at, i)) for i, value in enumerate(body["inputs"])]
    check_covered(game, at)
    for i in range(1, len(inputs)):
        if inputs[i - 1] >= inputs[i]:
            raise Rejection("%s/inputs/%d" % (at, i), "coverage", body["inputs"][i], "inputs in increasing order")
    accepted = [accepted_on(game.task, x, "%s/inputs/%d" % (at, i)) for i, x in enumerate(inputs)]
    encoder = encoding(game, inputs, accepted)
    if body["symmetry"]:
        encoder.order_symbols()
    formula = encoder.formula
    expect_value(body["vars"], str(formula.variables), at + "/vars", "arithmetic")
    expect_value(body["clauses"], str(len(formula.clauses)), at + "/clauses", "arithmetic")
    compare_formula(formula, encoder.plain, claim.attached[FORMULA])
    steps = check_lrat(formula, claim.attached[PROOF])
    return "no protocol on %d inputs: %d clauses refuted in %d steps" % (len(inputs), len(formula.clauses), steps)


def accepted_on(task, x, at):
    """The accepted answers, increasing; None if all are."""
    try:
        right = task.accepted(x)
    except SpecError as error:
        raise Rejection(at, "replay", str(error), "a defined task") from None
    if right is None:
        return None
    right = sorted(set(right))
    if not right:
        raise Rejection(at, "encoding", "no accepted answer", "an input that can be encoded")
    return None if len(right) == task.answers else right


def compare_formula(formula, plain, data):
    """Byte for byte; the first line after the header that differs decides between `encoding` and `symmetry`."""
    right = list(formula.lines()) + [b""]
    found = data.split(b"\n")
    if found == right:
        return
    length = max(len(found), len(right))
    line = next((i for i in range(1, length) if found[i:i + 1] != right[i:i + 1]), 0)
    text = [b" ".join(rows[line:line + 1]).decode("utf-8", "replace") for rows in (found, right)]
    raise Rejection("%s:%d" % (FORMULA, line + 1), "symmetry" if line > plain else "encoding", *text)


def gzip_chunks(data):
    """The content of exactly one gzip member; zlib.error or ValueError for anything else."""
    decoder = zlib.decompressobj(wbits=31)
    for start in range(0, len(data), 2 ** 16):
        if decoder.eof:
            raise ValueError("bytes after the end of the gzip member")
        chunk = decoder.decompress(data[start:start + 2 ** 16], 2 ** 20)
        while chunk or decoder.unconsumed_tail:
            yield chunk
            chunk = decoder.decompress(decoder.unconsumed_tail, 2 ** 20)
    if not decoder.eof or decoder.unused_data:
        raise ValueError("not exactly one gzip member")


def content_digest(name, data):
    """SHA-256 of an attached file after decompression."""
    if not name.endswith(".gz"):
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    try:
        for chunk in gzip_chunks(data):
            digest.update(chunk)
    except (zlib.error, ValueError) as error:
        raise Rejection("/files/%s/content" % name, "file", str(error), "one gzip member") from None
    return digest.hexdigest()


def proof_lines(data):
    """The lines of the proof, each without its end; a torn last line is `proof-end`."""
    rest, number = b"", 0
    for chunk in gzip_chunks(data):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            number += 1
            yield number, line
    if rest:
        raise Rejection("proof.lrat:%d" % (number + 1), "proof-end", "a torn line", "a line that ends")


def check_lrat(formula, data):
    """Reverse unit propagation along the hints, nothing else (format 3.2)."""
    live = {i + 1: clause for i, clause in enumerate(formula.clauses)}
    last, number, lines = len(formula.clauses), 0, proof_lines(data)
    for number, line in lines:
        deletion = LRAT_DELETION.fullmatch(line)
        if deletion:
            for word in deletion.group(1).split():
                if live.pop(int(word), None) is None:
                    step_fails(number, "deletion of " + word.decode(), "a live clause")
            continue
        if not LRAT_NUMBERS.fullmatch(line):
            step_fails(number, line[:40].decode("utf-8", "replace"), "numbers")
        numbers = [int(word) for word in line.split(b" ")]
        last += 1
        if numbers[0] != last or 0 not in numbers[1:]:
            step_fails(number, "id %d" % numbers[0], "the id %d and a clause" % last)
        end = numbers.index(0, 1)
        clause, hints = tuple(numbers[1:end]), numbers[end + 1:]
        if len({abs(x) for x in clause}) < len(clause) or any(abs(x) > formula.variables for x in clause):
            step_fails(number, list(clause), "distinct variables of the formula")
        follow_hints(live, {-x for x in clause}, hints, number)
        live[last] = clause
        if not clause:
            for number, _ in lines:
                raise Rejection("proof.lrat:%d" % number, "proof-end", "a line after the empty clause", "the end")
            return last - len(formula.clauses)
    raise Rejection("proof.lrat:%d" % (number + 1), "proof-end", "the end of the file", "the empty clause")


def follow_hints(live, true, hints, number):
    """Each hint is unit, none is satisfied, and the last one, before the final 0, is false."""
    if hints[-1:] != [0] or len(hints) < 2:
        step_fails(number, "no conflict", "hints that end in a false clause, and 0")
    for place, hint in enumerate(hints[:-1]):
        clause = live.get(hint)
        if clause is None:
            step_fails(number, "hint %d" % hint, "the id of a live clause")
        unit, count = 0, 0
        for x in clause:
            if -x not in true:
                if x in true:
                    step_fails(number, "hint %d is satisfied" % hint, "a unit or false clause")
                unit, count = x, count + 1
        if count == 0:
            if place < len(hints) - 2:
                step_fails(number, "a hint after the conflict", "0")
            return
        if count > 1:
            step_fails(number, "hint %d is not unit (%d literals unassigned)" % (hint, count), "a unit or false clause")
        true.add(unit)
    step_fails(number, "no conflict", "hints that end in a false clause")


def step_fails(number, found, expected):
    raise Rejection("proof.lrat:%d" % number, "proof-step", found, expected)


CHECKS["no_protocol"] = check_no_protocol
