"""Numeric claims: inequality and parameters (files 5.3, counting 2, details 3)."""

import itertools
import re

from .limits import MAX_POINTS, MAX_POINTS_LISTED, MAX_STEPS_OF_PAPER
from .outcome import NotChecked, Rejection, SpecError, short
from .canonical import canonical
from .number import ExactOps, compare_exact
from .expression import (
    Env, NAME, Parser, Scope, bits_of, compile_node, merge_constants, need, resolve_constants, size_value)
from .pattern import loop_points
from .kinds import expect_kinds
from .enumeration import check_enumeration


class NumericStatement:
    """Points in loop order and, at each, the listed comparisons or the named check."""

    def __init__(self, claim):
        body = self.body = claim.body
        self.paper = claim.kind == "parameters"
        if self.paper and body["paper"] != "hybrid-v1":
            raise SpecError("unknown paper %s" % short(body["paper"]))
        self.let = {} if self.paper else resolve_constants(body["let"])
        self.points = [{}]
        if body["for"]:
            self.points = list(itertools.islice(loop_points(body["for"], self.let, 4 * MAX_POINTS), MAX_POINTS + 1))
        if len(self.points) > MAX_POINTS:
            raise SpecError("more than 2^20 points")
        self.trees = [self.comparison(text) for text in body.get("holds", ())]

    @staticmethod
    def comparison(text):
        node = Parser(text).whole()
        if node[0] != "cmp":
            raise SpecError("found %s, expected a comparison" % short(text))
        return node

    def arguments(self, point):
        """steps, c, d, a1 of the paper at a point."""
        values = {key: size_value(self.body[key], point, key, 0 if key == "a1" else 1)
                  for key in ("steps", "c", "d", "a1")}
        if values["steps"] < 2 or values["steps"] > MAX_STEPS_OF_PAPER or values["c"] % values["d"]:
            raise SpecError("steps must be in 2..%d, and d must divide c" % MAX_STEPS_OF_PAPER)
        return values

    def constants(self, point):
        """What the names mean at one point."""
        if not self.paper:
            return merge_constants(self.let, point)
        values = self.arguments(point)
        names = {**values, "L": values["steps"], **point}
        for used in sorted({name for text in self.body["holds"] for name in re.findall(NAME, text)}):
            if used not in names and is_quantity(used, values["steps"]):
                names[used] = paper_quantity(used, values["steps"], values["c"], values["d"])
        return names

    def rows(self):
        """(point, holds, comparison object) per point and listed comparison, points outer."""
        for point in self.points:
            if "check" in self.body:
                left, wanted, right = paper_check(self.body["check"], **self.arguments(point))
                found = compare_exact(left, right)
                yield point, holds(wanted, found["relation"]), found
                continue
            scope = Scope(self.constants(point), ExactOps)
            pairs = [[need(compile_node(node, scope), "int") for node in tree[2:]] for tree in self.trees]
            for tree, (left, right) in zip(self.trees, pairs):
                found = compare_exact(left.run(Env()), right.run(Env()))
                yield point, holds(tree[1], found["relation"]), found


def holds(operator, relation):
    return relation in {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}[operator]


QUANTITY = re.compile(r"(K|sqrtK|m|n|P|C|A)|(n|x|N|log2Delta|Theta|t)(0|[1-9][0-9]{0,3})")


def is_quantity(name, L):
    match = QUANTITY.fullmatch(name)
    if not match or match.group(1):
        return bool(match)
    first, last = {"n": (1, L - 1), "x": (0, L - 1), "N": (0, L - 1), "log2Delta": (2, L), "Theta": (0, L - 1),
                   "t": (2, L)}[match.group(2)]
    return first <= int(match.group(3)) <= last


def paper_quantity(name, L, c, d):
    """The quantities of counting 2, as the products that define them."""
    ops = ExactOps

    def get(other):
        return paper_quantity(other, L, c, d)
    if name == "K":
        return product(ops.power(ops.mul(c, L), 8), ops.power(8, 2 * L * L))
    if name == "sqrtK":
        return product(ops.power(ops.mul(c, L), 4), ops.power(8, L * L))
    if name == "m":
        return ops.power(get("K"), 1 + sum(8 ** r for r in range(L)))
    if name == "n":
        total = 2
        for l in range(L):
            total = ops.add(total, get("N%d" % l))
        return total
    if name == "P":
        return product(*[get("n%d" % i) for i in range(1, L)])
    if name == "C":
        return ops.mul(c, d + 1)
    if name == "A":
        return ops.power(2, 3 * L * L)
    kind, l = QUANTITY.fullmatch(name).group(2), int(QUANTITY.fullmatch(name).group(3))
    if kind == "n":
        return ops.power(get("K"), 4 * 8 ** (L - l - 1))
    if kind == "x":
        return ops.power(get("K"), 8 ** (L - l - 1))
    if kind == "N":
        return product(get("m"), *[get("n%d" % i) for i in range(1, l + 1)])
    if kind == "log2Delta":
        return product(4, get("sqrtK"), *[get("x%d" % i) for i in range(l - 1)], get("P"))
    if kind == "Theta":
        factors = [get("x%d" % i) for i in range(l + 1)] + [get("n%d" % i) for i in range(1, l)]
        return ops.divide(product(*factors), ops.power(8, L * l))
    return product(get("n%d" % (l - 1)), get("Theta%d" % (l - 1)))


def paper_check(name, steps, c, d, a1):
    """(left, relation that is wanted, right) of the row `name` of counting 2 and 3, layout (a1, A, .., A)."""
    match = re.fullmatch(r"([A-Za-z0-9-]+?)(?:\((0|[1-9][0-9]*)\))?", name)
    row = PAPER_ROWS.get(match.group(1)) if match else None
    if row is None:
        raise SpecError("unknown check %s" % short(name))
    first, last, function = row
    index = int(match.group(2)) if match.group(2) else None
    if (first is None) != (index is None) or (index is not None and not first <= index <= last(steps)):
        raise SpecError("unknown check %s" % short(name))
    paper = Paper(steps, c, d, a1)
    try:
        return function(paper) if index is None else function(paper, index)
    except SpecError as error:
        raise NotChecked("check %s: %s" % (name, error)) from None


class Paper:
    """The quantities of counting 2 at one point, and the parts that its rows are made of."""

    def __init__(self, steps, c, d, a1):
        self.L, self.c, self.d, self.a1 = steps, c, d, a1
        self.C, self.passes = c * (d + 1), 2 ** (3 * steps * steps)

    def __getitem__(self, name):
        return paper_quantity(name, self.L, self.c, self.d)

    def x(self, low, high):
        """x_low .. x_(high-1)."""
        return product(*[self["x%d" % i] for i in range(low, high)])

    def share(self, l):
        return product(self["sqrtK"], self.x(0, l), self["P"])

    def linear(self, r):
        """C (a_1 + .. + a_r)."""
        return product(self.C, self.a1 + (r - 1) * self.passes)

    def base_soft(self):
        P, x0, x1, m = (self[name] for name in ("P", "x0", "x1", "m"))
        parts = (P, x0, product(m, x1), product(P, x0), product(x0, x1), product(m, x1))
        return total([product(2 * self.c * (self.L - 1), part) for part in parts])

    def step_soft(self, l):
        parts = [product(self["P"], self.x(0, l)), self.x(0, l)]
        parts += [product(self["N%d" % (i - 1)], self.x(i, l)) for i in range(1, l)]
        own = product(2 * self.c * (l + 1) * (self.L - l), self["N%d" % (l - 1)], self["x%d" % l])
        return total([product(2 * self.c * (self.L - l), part) for part in parts] + [own])

    def rectangle(self, l):
        x, loss = self["x%d" % l], self["log2Delta%d" % l]
        return total([product(x, loss), loss, product(2, x), 1])

    def kept(self, l, factor=0):
        """t_l, times 2^((l-1)(3L-1)) if the factor 8^(-L l) of Theta_l is replaced by 2^(-l)."""
        return product(self["t%d" % l], 2 ** (factor * (l - 1) * (3 * self.L - 1)))

    def coverage(self, l, t):
        known = product(4, self["x%d" % l], t)
        new = floor_log2_of(ExactOps.divide(self["N%d" % (l - 1)], known))
        return product(ExactOps.divide(t, 2), new), ">=", total([self["log2Delta%d" % l], 2])

    def base_coverage(self):
        new = floor_log2_of(ExactOps.divide(self["m"], product(4, self["x0"], self["x1"])))
        return product(self["x0"], new), ">=", total([product(4, self.c, self["P"]), 2])

    def last_count(self, t):
        return self["log2Delta%d" % self.L], "<", ExactOps.mul(ExactOps.log2(self.answers()), t)

    def answers(self):
        return self["N%d" % (self.L - 1)]

    def theta(self, l):
        t = self.kept(l, 1)
        return self.last_count(t) if l == self.L else self.coverage(l, t)

    def repaired(self):
        return product(2, self.c, self.c, self.L, self.passes)

    def bound(self, exponent):
        return ExactOps.power(self.c, exponent)

    def sharp(self):
        """bits(n) at c = 2."""
        return bits_of(ExactOps.integer(paper_quantity("n", self.L, 2, self.d)))

    def view_bits(self):
        return 2 * self.c * self.L * (self.L + 1) + self.C * (self.a1 + (self.L - 1) * self.passes)

    def quotient(self):
        root = ExactOps.power(self.c * self.L, 4)
        return product(root, ExactOps.power(8, self.L), self["log2Delta%d" % self.L])


def product(*factors):
    result = 1
    for factor in factors:
        result = ExactOps.mul(result, factor)
    return result


def total(terms):
    result = terms[0]
    for term in terms[1:]:
        result = ExactOps.add(result, term)
    return result


def floor_log2_of(value):
    """floor(log2 floor(value)) of a value of at least 1."""
    value = ExactOps.plain(value)
    return (value.numerator // value.denominator).bit_length() - 1


def two_power(exponent):
    return ExactOps.power(2, exponent)


def before_last(steps):
    return steps - 1


# name: (least index or None, greatest index, the row)
PAPER_ROWS = {
    "B-BUDGET": (1, before_last, lambda p, l: (p.linear(l + 1), "<=", p.share(l))),
    "B-BUDGET-SLACK": (2, before_last, lambda p, l: (product(l, p["x0"]), "<=", p.x(0, l))),
    "B1": (None, None, lambda p: (p["n"], "<=", p.bound(4 * 16 ** p.L))),
    "B1-SHARP": (None, None, lambda p: (p["n"], "<=", p.bound(p.sharp()))),
    "B1-PAD": (None, None, lambda p: (p["n"], "<", p.bound(4 * 16 ** p.L))),
    "B3-TYPO": (None, None, lambda p: (p.linear(p.L), "<=", product(2, p.c, p.L, p.passes))),
    "B3-FIX": (1, lambda steps: 2, lambda p, i: (p.linear(p.L), "<=", p.repaired()) if i == 1 else
               (p.repaired(), "<=", p["sqrtK"])),
    "base-coverage": (None, None, Paper.base_coverage),
    "base-total": (None, None, lambda p: (total([p.base_soft(), p.linear(2)]), "<=", p["log2Delta2"])),
    "coverage": (2, before_last, lambda p, l: p.coverage(l, p["t%d" % l])),
    "total": (2, before_last, lambda p, l: (total([p.rectangle(l), p.step_soft(l), p.linear(l + 1)]), "<=",
                                            p["log2Delta%d" % (l + 1)])),
    "final": (None, None, lambda p: p.last_count(p["t%d" % p.L])),
    "share-soft": (1, before_last, lambda p, l: (p.step_soft(l) if l > 1 else p.base_soft(), "<=", p.share(l))),
    "share-rectangle": (2, before_last, lambda p, l: (p.rectangle(l), "<=", p.share(l))),
    "B-THETA": (2, lambda steps: steps, Paper.theta),
    "capacity": (None, None, lambda p: (two_power(p.c), ">=", p.answers())),
    "capacity-game": (None, None, lambda p: (two_power(p.view_bits()), ">=", p.answers())),
    "capacity-theorem": (None, None, lambda p: (two_power(p.c), ">=", p.bound(4 * 16 ** p.L))),
    "identity-m": (None, None, lambda p: (p["m"], "=", product(p["K"], p.x(0, p.L)))),
    "identity-K": (None, None, lambda p: (ExactOps.power(p["sqrtK"], 2), "=", p["K"])),
    "identity-n": (1, before_last, lambda p, l: (p["n%d" % l], "=", ExactOps.power(p["x%d" % l], 4))),
    "identity-x": (1, before_last, lambda p, l: (p["x%d" % (l - 1)], "=", ExactOps.power(p["x%d" % l], 8))),
    "identity-N": (None, None, lambda p: (p.answers(), "=",
                                          ExactOps.power(p["K"], 1 + (12 * 8 ** (p.L - 1) - 5) // 7))),
    "B5-QUOTIENT": (None, None, lambda p: (product(4, p["t%d" % p.L]), "=", p.quotient())),
}


def check_numeric(claim):
    """One comparison per point and listed comparison (at most 1,000 points), an enumeration beyond that, or the
    first failing comparison.  Whether the verdict follows is decided before any stored value is looked at."""
    numbers = NumericStatement(claim)
    points, kinds = len(numbers.points), [tag for tag, _, _ in claim.evidence]
    rows = []
    for point, right, expected in numbers.rows():
        if not right:
            return check_first_failure(claim, kinds, point, expected)
        rows.append(expected if points <= MAX_POINTS_LISTED else canonical(expected["relation"]))
    if claim.verdict == "refuted":
        raise Rejection("/verdict", "bound", "no comparison fails", "refuted")
    if points > MAX_POINTS_LISTED:
        expect_kinds(kinds, ["enumeration"])
        check_enumeration(claim, claim.evidence[0][1], claim.evidence[0][2], "inequality-v1", [len(rows)],
                          lambda: relations(rows))
        return "enumeration: %d comparisons hold at all %d points" % (len(rows), points)
    claim.expect_no_files()
    expect_kinds(kinds, ["comparison"] * len(rows))
    for (_, body, at), expected in zip(claim.evidence, rows):
        check_comparison(body, expected, at)
    return "comparison: holds at all %d %s" % (points, "point" if points == 1 else "points")


def relations(records):
    yield from records
    return {}


def check_first_failure(claim, kinds, point, expected):
    if claim.verdict != "refuted":
        raise Rejection("/verdict", "bound", "a comparison that fails", "established")
    claim.expect_no_files()
    expect_kinds(kinds, ["comparison"])
    check_comparison(claim.evidence[0][1], expected, claim.evidence[0][2])
    place = "at %s: " % ", ".join("%s = %d" % item for item in point.items()) if point else ""
    return short("%s%s %s %s" % (place, shown(expected["left"]), expected["relation"], shown(expected["right"])))


def shown(side):
    """A side of a comparison in words."""
    if isinstance(side, str):
        return side
    return " * ".join(base if exponent == "1" else "%s^%s" % (base, exponent if exponent.isdigit() else
                                                               "(%s)" % exponent) for base, exponent in side["pow"])


def check_comparison(body, expected, at):
    """Every stored value equals the recomputed one, `k` included."""
    for key in ("left", "relation", "right", "cancelled", "k"):
        if body.get(key) != expected.get(key):
            raise Rejection(at + ("/" + key if key in body else ""), "arithmetic", body.get(key, "no " + key),
                            expected.get(key, "no " + key))
