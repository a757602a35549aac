"""`derive_game`: the ledger of a hybrid game, edge by edge (docs/derive.md 5; docs/design/002-derive-evidence.md)."""

import math

from .outcome import Rejection
from .canonical import decimal_value
from .shape import EVIDENCE_SHAPES, as_bool, as_count, as_list, as_text, shape_counts, shape_fields
from .derive import derive_start, first_difference, last_options, shape_option
from .kinds import CHECKS

MOST = 200000       # bits of every number of the ledger


def shape_game_step(value, at):
    row = lambda v, a: shape_fields(v, a, {"name": as_text, "strings": as_count})
    shape_fields(value, at, {
        "E": as_count, "after": as_count, "base": as_bool, "before": as_count, "l": as_count, "strict": as_bool,
        "t": as_count, "v": as_count, "rows": lambda v, a: as_list(v, a, row)})


EVIDENCE_SHAPES["derive_game"] = ({
    "final": lambda v, a: shape_fields(v, a, {"range": as_count, "strings": as_count, "t": as_count}),
    "lists": shape_counts, "q": shape_option, "steps": lambda v, a: as_list(v, a, shape_game_step),
    "theta": shape_counts, "used": shape_counts}, {})


class GameLedger:
    """Every deficit is kept as the number 2^D of strings that are told apart."""

    def __init__(self, game, body, at):
        p = game.parameters
        self.at, self.steps = at, p["steps"]
        self.ranges, self.queries = p["ranges"], p["queries"]
        self.soft, self.linear = {}, {}
        epochs = 0
        for slot in game.slots:
            e, sender, receiver = slot.numbers[0], int(slot.sender_label), int(slot.receiver_label)
            epochs = max(epochs, e)
            if slot.channel == "soft":
                self.soft[e, sender, receiver] = slot.alphabet
            else:
                self.linear[e, sender] = self.linear.get((e, sender), 1) * slot.alphabet
        if not 2 <= self.steps <= 64:
            self.refuse("one step, or too many")
        # an epoch whose carries say nothing has no recurrent layer
        passes = [int(any(self.carry(e, j) > 1 for j in range(self.steps + 1))) for e in range(epochs + 1)]
        self.start = derive_start(self.steps, passes)
        if self.start is None:
            self.refuse("a layout that is possible")
        self.epochs = self.steps if epochs >= self.steps else self.steps - 1
        self.passes = (passes + [0] * self.epochs)[:self.epochs + 1]
        self.used, self.x, self.theta = ([decimal_value(v) for v in body[key]] for key in ("used", "lists", "theta"))
        if (len(self.used), len(self.x)) != (self.steps - 1, self.steps):
            self.refuse("lists of other lengths")
        limits = [(self.x[0], p["start"])] + list(zip(self.used, self.queries)) + [(x, MOST) for x in self.x]
        if any(not 1 <= found <= most for found, most in limits):
            self.refuse("a number out of range")
        self.w = self.times(*self.used)
        self.option = body["q"]
        if self.option not in last_options(self.passes[-1], self.steps):
            raise Rejection(at + "/q", "domain", str(self.option), "an option of this layout")
        if len(self.theta) != self.steps - 1:
            raise Rejection(at + "/theta", "bound", "%d numbers" % len(self.theta), self.steps - 1)

    def refuse(self, found):
        raise Rejection(self.at, "domain", found, "a ledger that can be recomputed")

    def times(self, *factors):
        product = 1
        for factor in factors:
            product *= factor
            if product > MOST:
                self.refuse("more than %d strings to fix" % MOST)
        return product

    def power(self, size, exponent):
        if size == 1:
            return 1
        self.times(size.bit_length(), exponent)
        return size ** exponent

    def carry(self, epoch, j):
        return self.linear.get((epoch, j), 1)

    def heard(self, epoch, receiver, above):
        """The symbols of all senders left of a cut, to one receiver."""
        return math.prod(self.soft.get((epoch, j, receiver), 1) for j in range(above + 1, self.steps + 1))

    def lists(self, i, j):
        return self.times(*self.x[i:j])

    def first(self):
        if self.start == "short":
            return self.carry(0, 1)
        if self.start == "long":
            return self.power(self.soft.get((1, 1, -1), 1), self.w)
        to_w = self.power(self.heard(1, -1, 0), self.w)
        repairs = []
        for size, extra in ((self.carry(1, 0), 1), (self.heard(1, 0, 0), self.carry(1, 1))):
            try:
                repairs.append(self.power(size, self.x[0]) * extra)
            except Rejection as refused:
                failure = refused
        if not repairs:
            raise failure
        return to_w * min(repairs)

    def late(self, l, e, base, option):
        """The rows of epoch e across cut l + 1."""
        entries = [("w", -1, lambda: self.w if e == 1 and not self.passes[0] else self.times(self.w, self.lists(0, l)))]
        entries.append(("0", 0, lambda: self.lists(0, 2 if base else l)))
        entries += [(str(i), i, lambda i=i: self.lists(i, l)) for i in range(1, l)]
        entries.append((str(l), l, lambda: self.x[l]))
        rows = []
        for name, receiver, choices in entries[:1] if option == -1 else entries[:option + 1]:
            rows.append(("soft to %s, epoch %d" % (name, e), self.power(self.heard(e, receiver, l), choices())))
        if option >= 0:
            cut = option if l == self.steps - 1 else l + 1
            rows.append(("carries, epoch %d" % e, self.power(self.carry(e, cut), self.lists(option, self.steps))))
        return rows

    def covered(self, theta, v, q, x, strings, strict, at):
        if not 1 <= theta <= min(v, q):
            raise Rejection(at, "bound", str(theta), "1..%d" % min(v, q))
        k = theta - 1
        if k == 0 or strings == 1:
            return
        right = self.power(v, q)
        if (strings.bit_length() - 1) * x <= right.bit_length():
            paid = self.power(strings, x)
            left = math.comb(v, k) * self.power(k, q) * paid
            if left < right if strict else 2 * left <= right:
                return
        raise Rejection(at, "bound", str(theta), "coverage")

    def walk(self):
        records, t, strings = [], self.x[0], self.first()
        for l in range(1, self.steps):
            late = self.start != "short"
            base, e = late and l == 1, l if late else l - 1
            strict, v, x = base and self.start == "long", self.ranges[l - 1], self.x[l]
            theta = self.theta[l - 1]
            self.covered(theta, v, self.times(x, t), x, strings, strict, "%s/theta/%d" % (self.at, l - 1))
            if strict:
                carried = self.power(self.heard(1, -1, 1), self.w)
            else:
                carried = 1 if strings == 1 else 2 * self.power(strings, x)
            rows = [("carried", carried)]
            if e:
                early = math.prod(self.heard(f, l, l) for f in range(1, e + 1))
                rows.append(("soft to %d, epochs 1..%d" % (l, e), self.power(early, x)))
            if base:
                rows.append(("soft to 0, epoch 1", self.power(self.heard(1, 0, l), self.x[0])))
            rows.append(("carries, epochs 0..%d" % e, math.prod(self.carry(f, l + 1) for f in range(e + 1))))
            rows += self.late(l, e + 1, base, self.option if l == self.steps - 1 else self.steps)
            after = math.prod(count for _, count in rows)
            records.append({
                "E": str(e), "after": str(after), "base": base, "before": str(strings), "l": str(l), "strict": strict,
                "t": str(t), "v": str(v), "rows": [{"name": name, "strings": str(count)} for name, count in rows]})
            t, strings = self.times(self.used[l - 1], theta), after
        return records, t, strings


def check_derive_game(claim, body, at):
    """The ledger closes: no protocol solves the game."""
    game = claim.game
    p = game.parameters
    if game.family != "hybrid" or game.task.resolved() != {"composition": {
            "queries": [str(n) for n in p["queries"]], "ranges": [str(m) for m in p["ranges"]],
            "start": str(p["start"]), "steps": str(p["steps"])}}:
        raise Rejection(at, "domain", "another game", "a hybrid game with sequential composition")
    ledger = GameLedger(game, body, at)
    records, t, strings = ledger.walk()
    answers = ledger.ranges[-1]
    closes = ledger.power(answers, t) > strings
    first_difference(body, {
        "final": {"range": str(answers), "strings": str(strings), "t": str(t)}, "lists": body["lists"], "q": body["q"],
        "steps": records, "theta": body["theta"], "used": body["used"]}, at)
    if not closes:
        raise Rejection(at + "/final", "bound", "a ledger that does not close", "a ledger that closes")
    return "ledger: closes, %d strings against %d^%d" % (strings, answers, t)


CHECKS["derive_game"] = check_derive_game
