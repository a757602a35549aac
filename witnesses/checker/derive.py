"""Derived bounds (docs/derive.md; the JSON is docs/design/002-derive-evidence.md)."""

import math
import re
from fractions import Fraction

from .outcome import NotChecked, Rejection
from .canonical import decimal_value
from .shape import (
    EVIDENCE_SHAPES, STATEMENT_SHAPES, as_bool, as_count, as_list, as_number, as_text, shape_any_object,
    shape_counts, shape_fields)
from .number import floor_log2
from .kinds import ALLOWED, CHECKS


DERIVE_METHODS = ("free", "exact-integer", "certified-log")
DERIVE_PRECISIONS = (64, 200, 400, 800, 1600, 3200, 6400)
DERIVE_MODES = {"refined", "coarse"}
DERIVE_CUTS = DERIVE_MODES | {"coarse-full-w", "refined-i-major"}
DERIVE_NAIVE_BOX = 20000      # combinations of (m, n_1, n'_1, x_0) that this program looks at one by one


def shape_ratio(value, at):
    as_text(value, at)
    match = re.fullmatch(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?", value)
    if not match or value != ratio_text(Fraction(int(match[1]), int(match[2] or 1))):
        raise Rejection(at, "malformed", value, "a rational p/q in lowest terms")


def ratio_text(x):
    return str(x.numerator) if x.denominator == 1 else "%d/%d" % (x.numerator, x.denominator)


def one_of(words):
    def shape(value, at):
        if as_text(value, at) not in words:
            raise Rejection(at, "malformed", value, "one of " + " ".join(sorted(words)))
    return shape


def only_true(value, at):
    if value is not True:
        raise Rejection(at, "malformed", value, "true, or no such key")


def product_fits(steps, a, senders):
    """Lemma 7: separate senders, fewer full layers than steps, at least 3 steps, no carries before step 2."""
    quiet = not any(a[:2])
    return senders == "separate" and steps >= 3 and derive_start(steps, a) == "short" and quiet


def shape_bound_layout(value, at):
    shape_fields(value, at, {"passes": shape_counts, "steps": as_count})
    if not 2 <= decimal_value(value["steps"]) <= 64 or not 1 <= len(value["passes"]) <= 256:
        raise Rejection(at, "domain", value["steps"], "2..64 steps")


def shape_cost(value, at):
    shape_fields(value, at, DERIVE_COST)
    if decimal_value(value["soft_bits"]) < 1:
        raise Rejection(at + "/soft_bits", "domain", "0", "at least 1 bit")


def shape_scheme(value, at):
    shape_fields(value, at, {"m": as_count, "n": shape_counts, "np": shape_counts, "x": shape_counts})


DERIVE_COST = {"carry_bits": as_count, "mode": one_of(DERIVE_MODES), "senders": one_of({"separate", "merged"}),
               "soft_bits": as_count}
DERIVE_STEP = {"D": as_count, "D_next": as_count, "E": as_count, "base": as_bool, "l": as_count, "t": as_count,
               "t_next": as_count, "v": as_count}


def shape_derive(body, at):
    layout = {"before": as_count, "linear": shape_counts, "steps": as_count}
    if isinstance(body, dict) and "exponent" in body:
        shape_fields(body, at, {**layout, "exponent": shape_ratio, "kappa": shape_ratio, "mode": one_of(DERIVE_CUTS)})
    elif isinstance(body, dict) and "for_every_c" in body:
        shape_fields(body, at, {**layout, "for_every_c": as_count})
    elif isinstance(body, dict) and "proved" in body:
        shape_fields(body, at, {**layout, **DERIVE_COST, "proved": shape_scheme}, {"product_start": only_true})
    else:
        shape_fields(body, at, {**layout, **DERIVE_COST, "tokens_at_most": as_count}, {"product_start": only_true})
    if not 2 <= decimal_value(body["steps"]) <= 64 or len(body["linear"]) > 255:
        raise Rejection(at, "domain", body["steps"], "2..64 steps")
    if decimal_value(body.get("soft_bits", "1")) < 1:
        raise Rejection(at + "/soft_bits", "domain", "0", "at least 1 bit")
    if "kappa" in body and not 1 <= Fraction(body["kappa"]) <= 2:
        raise Rejection(at, "domain", body["kappa"], "a kappa in [1, 2]")
    if ("exponent" in body or "for_every_c" in body) and derive_start(*derive_layout(body)) in (None, "window"):
        raise Rejection(at, "domain", body["linear"], "a layout that is not possible")
    if "product_start" in body and not product_fits(*derive_layout(body), body["senders"]):
        raise Rejection(at + "/product_start", "domain", "true", "a layout and senders for which Lemma 7 holds")
    if "proved" in body:
        derive_params(body["proved"], decimal_value(body["steps"]), at + "/proved")


def shape_step(value, at):
    row = lambda v, a: shape_fields(v, a, {"bits": as_count, "name": as_text})
    cover = lambda v, a: shape_fields(v, a, {"cost_bits": as_count, "k": as_count, "method": one_of(DERIVE_METHODS)})
    shape_fields(value, at, {**DERIVE_STEP, "coverage": cover, "rows": lambda v, a: as_list(v, a, row)})


def shape_option(value, at):
    if isinstance(value, bool) or not isinstance(value, int) or value < -1:
        raise Rejection(at, "malformed", value, "-1 or more")


def shape_named_ratios(value, at):
    for name in sorted(shape_any_object(value, at) or value):
        shape_ratio(value[name], at + "/" + name)


STATEMENT_SHAPES["derive"] = shape_derive
EVIDENCE_SHAPES["derive_bound"] = ({
    "cost": shape_cost,
    "final": lambda v, a: shape_fields(v, a, {"D": as_count, "N": as_count, "t": as_count}),
    "layout": shape_bound_layout,
    "n": as_count, "params": shape_scheme, "q": shape_option, "steps": lambda v, a: as_list(v, a, shape_step),
    "theta": shape_counts, "trivial": as_bool}, {"product_start": only_true})
EVIDENCE_SHAPES["derive_uniform"] = ({"at_two": as_count, "polynomial": shape_counts}, {})
EVIDENCE_SHAPES["derive_exhausted"] = ({"below": as_count, "points": as_count}, {})
EVIDENCE_SHAPES["derive_exponent"] = ({
    "primal": lambda v, a: shape_fields(v, a, {"q": as_number, "x": shape_named_ratios}),
    "duals": lambda v, a: as_list(v, a, lambda w, b: shape_fields(w, b, {"q": as_number, "y": shape_named_ratios}))}, {})


def derive_layout(body):
    """(L, [a_0, .., a_r])."""
    return decimal_value(body["steps"]), [decimal_value(a) for a in [body["before"], *body["linear"]]]


def derive_start(steps, a):
    """long (Lemma 4), short (Lemma 4'), window, or None: possible, nothing to prove."""
    full = len(a) - 1
    if full < steps:
        return "short"
    if full > steps or a[0]:
        return None
    return "window" if a[1] else "long"


def derive_params(value, steps, at):
    """(m, n, n', x) as integers, in their ranges."""
    m = decimal_value(value["m"])
    n, used, x = ([decimal_value(v) for v in value[key]] for key in ("n", "np", "x"))
    if (len(n), len(used), len(x)) != (steps - 1, steps - 1, steps):
        raise Rejection(at, "domain", "lists of other lengths", "L - 1, L - 1 and L numbers")
    if any(not 1 <= u <= k for u, k in zip(used, n)) or min(x) < 1 or x[0] > m:
        raise Rejection(at, "domain", "an integer out of range", "1 <= n' <= n, 1 <= x_0 <= m, x_l >= 1")
    return m, n, used, x


def log2_ends(x, precision):
    low = floor_log2(x, precision)
    return low, low if x & (x - 1) == 0 else low + 1


def cover_holds(v, q, k, b, strict):
    """C(v,k) k^q 2^b <= v^q (strict: <); beyond 2*10^5 bits by enclosures of a one-sided bound."""
    if k == 0:
        return True
    if b >= q * v.bit_length():
        return False
    if q * v.bit_length() <= 200000:
        left, right = (math.comb(v, k) * k ** q) << b, v ** q
        return left < right if strict else left <= right
    for precision in DERIVE_PRECISIONS:
        logs = {y: log2_ends(y, precision) for y in (v, k, v - k)}

        def total(up):
            hi, lo = (lambda y: logs[y][up]), (lambda y: logs[y][1 - up])
            draws = q * (hi(k) - lo(v)) + (b << precision)
            if v.bit_length() - q.bit_length() > 32:
                return (k * (hi(v) - lo(k)) + draws) * 10 ** 16 + (k << precision) * 14426950408889635
            return v * hi(v) - k * lo(k) - (v - k) * lo(v - k) + draws
        above = total(1)
        if above < 0 or (above == 0 and not strict):
            return True
        if total(0) > 0:
            return False
    return False


def cover_largest(v, q, b, strict):
    """The largest Theta that the coverage inequality gives."""
    top = min(v, q) - 1
    if top == 0 or b >= q * v.bit_length():
        return 1
    if cover_holds(v, q, top, b, strict):
        return top + 1
    shift = max(0, top.bit_length() - 64)
    low, high = 0, (top >> shift) + (1 if (top >> shift) << shift != top else 0)
    while low + 1 < high:
        middle = (low + high) // 2
        if cover_holds(v, q, middle << shift, b, strict):
            low = middle
        else:
            high = middle
    return (low << shift) + 1


def last_options(a_last, steps):
    return [-1] if a_last == 0 else list(range(steps, -1, -1))


class Ledger:
    """The ledger of one point, as in Theorem 1: every row, with given or best choices."""

    def __init__(self, steps, a, cost, params, product, theta=None, option=None, at=""):
        self.product = product
        self.s, self.c, self.coarse, self.merged = cost
        self.start, self.steps = derive_start(steps, a), steps
        epochs = steps if len(a) - 1 >= steps else steps - 1
        self.a = (a + [0] * epochs)[:epochs + 1]
        self.m, self.n, self.used, self.x = params
        self.ranges = [self.m]
        for factor in self.n:
            self.ranges.append(self.ranges[-1] * factor)
        self.w = math.prod(self.used)
        self.length, self.trivial = 2 + sum(self.ranges), self.s < (self.ranges[-1] - 1).bit_length()
        self.records, self.theta = [], []
        options = last_options(self.a[-1], steps)
        if option is not None and option not in options:
            raise Rejection(at + "/q", "domain", str(option), "an option of this layout")
        if theta is not None and len(theta) != steps - 1:
            raise Rejection(at + "/theta", "bound", "%d numbers" % len(theta), steps - 1)
        self.option = option
        t, deficit = self.x[0], self.first()
        for l in range(1, steps):
            given = None if theta is None else (theta[l - 1], "%s/theta/%d" % (at, l - 1))
            t, deficit = self.step(l, t, deficit, given, options)
        self.t, self.deficit = t, deficit

    def digest(self, cut):
        return self.s * (1 if self.merged else self.steps - cut + 1)

    def first(self):
        if self.start == "short":
            return self.c * self.a[0]
        if self.start == "long":
            return self.s * self.w
        g, x0, carry = self.digest(1), self.x[0], self.c * self.a[1]
        return g * self.w + min(carry * x0, g * x0 + carry)

    def variable(self, l):
        return self.x[0] if l == 1 else self.used[l - 2] * self.ranges[l - 2]

    def tokens(self, l):
        if self.coarse:
            return self.ranges[l - 1]
        return self.variable(l) + (self.ranges[l - 2] - self.variable(l - 1) if l > 1 else 0)

    def step(self, l, t, deficit, given, options):
        late = self.start != "short"
        base, e, last = late and l == 1, (l if late else l - 1), l == self.steps - 1
        lemma7 = self.product and l == 2
        strict = lemma7 or (base and self.start == "long")
        v, q, g = self.ranges[l - 1], self.x[l] * t, self.digest(l + 1)
        free = deficit == 0 and not strict
        b = 0 if free else self.x[l] * deficit + (0 if strict else 1)
        carried = g * self.w if strict else b
        if lemma7:
            each = self.s * (self.tokens(1) * self.x[1] + self.x[0] + self.w)
            b, carried = self.x[2] * each, (self.steps - 2) * each
        theta = self.choose(v, q, b, strict, free, given)
        method = "free" if free else "exact-integer" if q * v.bit_length() <= 200000 else "certified-log"
        rows = [("carried", carried)]
        if e:
            rows.append(("soft to %d, epochs 1..%d" % (l, e), g * self.tokens(l) * self.x[l] * e))
        if base:
            rows.append(("soft to 0, epoch 1", g * self.x[0]))
        rows.append(("carries, epochs 0..%d" % e, self.c * sum(self.a[:e + 1])))
        late_rows = lambda option: self.epoch_rows(l, e, g, base, option)
        if not last:
            rows += late_rows(self.steps)
        else:
            if self.option is None:
                self.option = min(options, key=lambda q: sum(bits for _, bits in late_rows(q)))
            rows += late_rows(self.option)
        after, t_next = sum(bits for _, bits in rows), self.used[l - 1] * theta
        self.theta.append(theta)
        self.records.append({
            "D": str(deficit), "D_next": str(after), "E": str(e), "base": base, "l": str(l), "t": str(t),
            "t_next": str(t_next), "v": str(v), "coverage": {"cost_bits": str(b), "k": str(theta - 1), "method": method},
            "rows": [{"bits": str(bits), "name": name} for name, bits in rows]})
        return t_next, after

    def choose(self, v, q, b, strict, free, given):
        if given is None:
            return min(v, q) if free else cover_largest(v, q, b, strict)
        theta, at = given
        if not 1 <= theta <= min(v, q):
            raise Rejection(at, "bound", str(theta), "1..%d" % min(v, q))
        if not free and not cover_holds(v, q, theta - 1, b, strict):
            raise Rejection(at, "bound", str(theta), "coverage")
        return theta

    def epoch_rows(self, l, e, g, base, option):
        lists = lambda i, j: math.prod(self.x[i:j])
        entries = [("w", self.w * (1 if e == 0 and self.a[0] == 0 else lists(0, l))),
                   ("0", self.x[0] * self.x[1] if base else lists(0, l))]
        entries += [(str(i), self.tokens(i) * lists(i, l)) for i in range(1, l)]
        entries.append((str(l), self.tokens(l) * self.x[l]))
        kept = entries[:1] if option == -1 else entries[:option + 1]
        rows = [("soft to %s, epoch %d" % (name, e + 1), g * times) for name, times in kept]
        if option >= 0:
            rows.append(("carries, epoch %d" % (e + 1), self.c * self.a[e + 1] * lists(option, self.steps)))
        return rows

    def closes(self):
        """2^D < N^t."""
        for precision in DERIVE_PRECISIONS[1:]:
            low, high = log2_ends(self.ranges[-1], precision)
            if self.t * low > self.deficit << precision:
                return True
            if self.t * high <= self.deficit << precision:
                return False
        raise NotChecked("a comparison met the precision cap")

    def room(self):
        """floor(t log2 N), as far as 6400 fractional bits tell."""
        for precision in DERIVE_PRECISIONS[1:]:
            low, high = (self.t * end >> precision for end in log2_ends(self.ranges[-1], precision))
            if low == high:
                break
        return low

    def shown(self):
        return "%d tokens%s: %d bits against %d" % (
            self.length, ", trivial" if self.trivial else "", self.deficit, self.room())


def cost_of(body):
    return (decimal_value(body["soft_bits"]), decimal_value(body["carry_bits"]), body["mode"] == "coarse",
            body["senders"] == "merged")


def first_difference(stored, right, at):
    """`arithmetic` at the first place where a stored object differs from the recomputed one."""
    if stored == right and type(stored) is type(right):
        return
    if isinstance(stored, dict) and isinstance(right, dict) and sorted(stored) == sorted(right):
        for key in sorted(stored):
            first_difference(stored[key], right[key], at + "/" + key)
    elif isinstance(stored, list) and isinstance(right, list) and len(stored) == len(right):
        for i, (a, b) in enumerate(zip(stored, right)):
            first_difference(a, b, "%s/%d" % (at, i))
    else:
        raise Rejection(at, "arithmetic", stored, right)


def check_derive_bound(claim, body, at):
    steps, a = derive_layout(claim.body)
    cost = {key: claim.body[key] for key in DERIVE_COST}
    first_difference(body["layout"], {"passes": [str(e) for e in a], "steps": str(steps)}, at + "/layout")
    first_difference(body["cost"], cost, at + "/cost")
    product = "product_start" in claim.body
    first_difference("product_start" in body, product, at + "/product_start")
    if derive_start(steps, a) is None:
        raise Rejection(at, "domain", "a layout that is possible", "a ledger")
    params, theta = derive_params(body["params"], steps, at), [decimal_value(v) for v in body["theta"]]
    ledger = Ledger(steps, a, cost_of(cost), params, product, theta, body["q"], at)
    first_difference(body, {
        **({"product_start": True} if product else {}),
        "cost": cost, "layout": body["layout"], "params": body["params"], "n": str(ledger.length), "q": ledger.option,
        "final": {"D": str(ledger.deficit), "N": str(ledger.ranges[-1]), "t": str(ledger.t)}, "steps": ledger.records,
        "theta": body["theta"], "trivial": ledger.trivial}, at)
    if "proved" in claim.body:
        first_difference(body["params"], claim.body["proved"], at + "/params")
    elif ledger.length > decimal_value(claim.body["tokens_at_most"]):
        raise Rejection(at + "/n", "bound", body["n"], "at most " + claim.body["tokens_at_most"])
    if claim.verdict == "refuted":
        best = Ledger(steps, a, cost_of(cost), params, product)
        if (best.theta, best.option) != (theta, body["q"]):
            raise Rejection(at, "bound", "choices that could be better", "the best choices")
    if ledger.closes() != (claim.verdict == "established"):
        raise Rejection("/verdict", "bound", claim.verdict, "what the ledger says")
    if claim.verdict == "refuted":
        return "ledger: does not close at %s (this says nothing about networks)" % ledger.shown()
    return "ledger: closes at " + ledger.shown()


def check_derive_exhausted(claim, body, at):
    """No point of the scheme with fewer tokens closes: L = 2, every combination, for small boxes only."""
    below = decimal_value(claim.body["tokens_at_most"]) + 1
    room = max(0, below - 3)
    points = sum(m * k * (k + 1) // 2 for m in range(1, min(room // 2, 10 ** 6) + 1) for k in [room // m - 1])
    first_difference(body, {"below": str(below), "points": str(points)}, at)
    steps, a = derive_layout(claim.body)
    start = derive_start(steps, a)
    if steps != 2 or start is None:
        raise Rejection(at, "domain", "another layout", "two steps")
    if points > DERIVE_NAIVE_BOX:
        raise NotChecked("a box of %d combinations; this checker repeats %d" % (points, DERIVE_NAIVE_BOX))
    for m in range(1, room // 2 + 1):
        for n in range(1, room // m):
            for used in range(1, n + 1):
                for x0 in range(1, m + 1):
                    x1 = 0
                    while True:
                        x1 += 1
                        ledger = Ledger(2, a, cost_of(claim.body), (m, [n], [used], [x0, x1]), False)
                        if ledger.closes():
                            raise Rejection(at, "bound", "a point of %d tokens" % ledger.length, "no point")
                        # D_2 does not fall with x_1, and t_2 <= n' m
                        if ledger.deficit >= used * m * (m * n).bit_length():
                            break
                        if ledger.first() == 0 and start == "short" and x0 * x1 >= m:
                            break
    return "exhausted: no point of the scheme below %d tokens closes, %d combinations and every x_1" % (below, points)


def exponent_rows(steps, family, cut, kappa, option):
    """The rows {variable: coefficient} >= bound of the exponent program, by name."""
    rows = {}

    def add(name, bound, *parts):
        row = {}
        for sign, names in parts:
            for variable in names:
                row[variable] = row.get(variable, 0) + sign
        rows[name] = (row, Fraction(bound))
    big_n = lambda l: ["M"] + ["nu_%d" % i for i in range(1, l + 1)]
    queries = ["np_%d" % l for l in range(1, steps)]
    reach = lambda l: ["X_0"] if l == 1 else ["np_%d" % (l - 1), "th_%d" % (l - 1)]
    lists = lambda i, j: ["X_%d" % l for l in range(i, j + 1)]
    add("start", 0, (1, ["M"]), (-1, ["X_0"]))
    if family != "short":
        if family == "long":
            add("D_1", 1, (1, ["D_1"]), (-1, queries))
        else:
            add("D_1", kappa, (1, ["D_1"]))
    for l in range(1, steps):
        nu, np, th, room, tau = ("%s_%d" % (name, l) for name in ("nu", "np", "th", "V", "tau"))
        after = ["D_%d" % (l + 1)]
        add("queries %d" % l, 0, (1, [nu]), (-1, [np]))
        if cut == "coarse-full-w":
            add("full W %d" % l, 0, (1, [np]), (-1, [nu]))
        add("image %d" % l, 0, (1, lists(l, l) + reach(l)), (-1, [th]))
        add("room %d" % l, 0, (1, [room]), (-1, [th]))
        add("range %d" % l, 0, (1, big_n(l - 1)), (-1, [room]))
        if cut != "refined-i-major":
            add("all values %d" % l, 0, (1, [room]), (-1, big_n(l - 1)))
        if cut.startswith("coarse"):
            add("tokens %d" % l, 0, (1, [tau]), (-1, big_n(l - 1)))
        elif l == 1:
            add("tokens 1", 0, (1, [tau]), (-1, ["X_0"]))
        elif cut == "refined":
            add("tokens %d" % l, 0, (1, [tau]), (-1, ["np_%d" % (l - 1)] + big_n(l - 2)))
        else:
            add("tokens %d" % l, 0, (1, [tau]), (-1, ["nu_%d" % (l - 1), "V_%d" % (l - 1)]))
            add("tokens %d, constants" % l, 0, (1, [tau]), (-1, big_n(l - 2)))
        if l > 1 or family != "short":
            add("coverage %d" % l, 0, (1, reach(l)), (-1, ["D_%d" % l]))
        base = family == "long" and l == 1
        q = option if l == steps - 1 else steps
        if not base:
            add("rectangle %d" % l, 0, (1, after), (-1, lists(l, l) + ["D_%d" % l]))
        if q > l or family == "long" or l > 1:
            add("soft %d to %d" % (l, l), 1, (1, after), (-1, [tau] + lists(l, l)))
        for i in range(1, min(l, q)):
            add("soft %d to %d" % (l, i), 1, (1, after), (-1, ["tau_%d" % i] + lists(i, l - 1)))
        if q > 0 or base:
            add("soft %d to 0" % l, 1, (1, after), (-1, lists(0, (1 if q else 0) if base else l - 1)))
        add("soft %d to w" % l, 1, (1, after), (-1, queries + ([] if family == "short" and l == 1 else lists(0, l - 1))))
        add("carries %d" % l, kappa, (1, after), (-1, lists(q, steps - 1)))
    add("final", 0, (1, reach(steps)), (-1, ["D_%d" % steps]))
    return rows, big_n(steps - 1)


def exponent_variables(steps):
    names = ["M"] + ["X_%d" % l for l in range(steps)] + ["D_%d" % l for l in range(1, steps + 1)]
    return set(names + ["%s_%d" % (f, l) for f in ("nu", "np", "th", "V", "tau") for l in range(1, steps)])


def named_vector(value, names, at):
    vector = {}
    for name in sorted(value):
        if name not in names:
            raise Rejection(at + "/" + name, "domain", name, "a name of the program")
        vector[name] = Fraction(value[name])
        if vector[name] < 0:
            raise Rejection(at, "bound", value[name], "at least 0")
    return vector


def check_derive_exponent(claim, body, at):
    steps, a = derive_layout(claim.body)
    start = derive_start(steps, a)
    family = "long" if start == "long" else "carry" if a[0] else "short"
    program = lambda q: exponent_rows(steps, family, claim.body["mode"], Fraction(claim.body["kappa"]), q)
    if body["primal"]["q"] > steps:
        raise Rejection(at + "/primal/q", "domain", body["primal"]["q"], "at most L")
    rows, objective = program(body["primal"]["q"])
    x = named_vector(body["primal"]["x"], exponent_variables(steps), at + "/primal/x")
    for name, (row, bound) in rows.items():
        if sum(k * x.get(variable, 0) for variable, k in row.items()) < bound:
            raise Rejection(at + "/primal/x", "bound", "row " + name, "a feasible point")
    value = sum(x.get(variable, Fraction(0)) for variable in objective)
    if [dual["q"] for dual in body["duals"]] != list(range(steps, -1, -1)):
        raise Rejection(at + "/duals", "coverage", "other options", "q = L..0")
    for i, dual in enumerate(body["duals"]):
        where = "%s/duals/%d/y" % (at, i)
        rows, objective = program(dual["q"])
        y = named_vector(dual["y"], rows, where)
        columns = {}
        for name, weight in y.items():
            for variable, k in rows[name][0].items():
                columns[variable] = columns.get(variable, 0) + k * weight
        for variable in sorted(columns):
            if columns[variable] > (1 if variable in objective else 0):
                raise Rejection(where, "bound", "column " + variable, "a feasible dual vector")
        if sum(weight * rows[name][1] for name, weight in y.items()) < value:
            raise Rejection(where, "bound", "a smaller value", "at least " + ratio_text(value))
    if (value != 0 and 1 / value == Fraction(claim.body["exponent"])) != (claim.verdict == "established"):
        raise Rejection("/statement/derive/exponent", "bound", claim.body["exponent"], ratio_text(1 / value) if value else "none")
    return "primal and dual: n = c^%s is the best exponent of the scheme" % ratio_text(value)


def closed_form_length(steps, a):
    """The coefficients of a polynomial in c that bounds the length of Theorem 2 for s = 2c, C = c(c+1) and every c >= 1."""
    def add(*polynomials):
        length = max(map(len, polynomials))
        return [sum(p[i] for p in polynomials if i < len(p)) for i in range(length)]

    def mul(*polynomials):
        product = [1]
        for p in polynomials:
            longer = [0] * (len(product) + len(p) - 1)
            for i, x in enumerate(product):
                for j, y in enumerate(p):
                    longer[i + j] += x * y
            product = longer
        return product
    short = derive_start(steps, a) == "short"
    epochs = steps - 1 if short else steps
    digests = [0, 2 * (steps - 1)]                           # Q = (L-1) s
    b = mul([50 * steps], digests)
    y = lambda l: mul([2 * 4 ** l], digests, *[b] * (steps - 1 - l))
    total = 4 * sum(a[:epochs + 1])
    # ceil(total c (c+1) / p(c)) <= ceil(total / p(1)) (c+1) + 1, as p(c) >= p(1) c
    over = lambda p: [-(-total // sum(p)) + 1, -(-total // sum(p))]
    if short and not a[0]:
        m, first = add(y(1), over(b)), mul([4], b, y(2)) if steps > 2 else None
    else:
        least = add([1], mul([a[0]], [0, 1, 1])) if short else y(0)
        m, first = mul([4], y(1), add(least, over(mul(b, y(1))))), mul(b, y(2)) if steps > 2 else None
    length, size = add([2], m), m
    for l in range(1, steps):
        factor = b if l == steps - 1 else first if l == 1 else mul(b, y(l + 1))
        size = mul(size, factor)
        length = add(length, size)
    return length


def check_derive_uniform(claim, body, at):
    """n <= c^E for every c >= 2: the coefficients are whole numbers, so the value at c = 2 decides."""
    steps, a = derive_layout(claim.body)
    length, power = closed_form_length(steps, a), decimal_value(claim.body["for_every_c"])
    at_two = sum(k << i for i, k in enumerate(length))
    first_difference(body, {"at_two": str(at_two), "polynomial": [str(k) for k in length]}, at)
    if (at_two - 1).bit_length() > power:
        raise Rejection(at + "/at_two", "bound", body["at_two"], "at most 2^%d" % power)
    return "closed form: n at most c^%d for every c >= 2" % power


def derive_kinds(claim):
    """Which evidence kind carries this question and verdict."""
    if "exponent" in claim.body:
        return "derive_exponent"
    if "for_every_c" in claim.body:
        return "derive_uniform" if claim.verdict == "established" else "nothing"
    return "derive_bound" if "proved" in claim.body or claim.verdict == "established" else "derive_exhausted"


def check_derive(claim, body, at):
    tag = claim.evidence[0][0]
    if tag != derive_kinds(claim):
        raise Rejection("/evidence", "kind-mismatch", tag, derive_kinds(claim))
    return {"derive_bound": check_derive_bound, "derive_exhausted": check_derive_exhausted,
            "derive_exponent": check_derive_exponent, "derive_uniform": check_derive_uniform}[tag](claim, body, at)


for _tag in ("derive_bound", "derive_exhausted", "derive_exponent", "derive_uniform"):
    CHECKS[_tag] = check_derive
    for _verdict in ("established", "refuted"):
        ALLOWED.setdefault(("derive", _verdict), []).append([_tag])
