"""Min-IP with a nonnegative kernel (docs/rank.md; the JSON is docs/design/010-rank-evidence.md)."""

import itertools
import math
from fractions import Fraction

from .outcome import NotChecked, Rejection
from .canonical import decimal_value
from .derive import ratio_text, shape_named_ratios, shape_ratio
from .shape import EVIDENCE_SHAPES, STATEMENT_SHAPES, as_bool, as_count, as_list, as_object, as_symbol, as_text, shape_fields
from .kinds import STATEMENT_CHECKS

MAX_INPUTS, MAX_GAP, MAX_CUBE, MAX_DEGREE = 2 ** 22, 64, 12, 4096
METHODS = ("dominance", "trace", "cycle")


# Shapes.

def small(value, at, limit=2 ** 32):
    as_symbol(value, at)
    if decimal_value(value) >= limit:
        raise Rejection(at, "domain", value, "a smaller number")
    return decimal_value(value)


def small_item(value, at):
    small(value, at)


def shape_masks(value, at):
    as_list(value, at, as_symbol)


def shape_matrix(value, at):
    as_list(value, at, lambda row, a: as_list(row, a, shape_ratio))


def shape_kernel(value, at):
    shape_fields(value, at, {"phi_k": shape_matrix, "phi_q": shape_matrix})


def shape_weight(value, at):
    shape_fields(value, at, {"lower": shape_ratio, "tokens": shape_masks, "upper": shape_ratio})


def shape_preference(value, at):
    shape_fields(value, at, {"chain": shape_masks, "query": as_symbol, "ratio": shape_ratio})


def shape_method(value, at):
    if as_text(value, at) not in METHODS:
        raise Rejection(at, "malformed", value, " ".join(METHODS))


def shape_set(body, at):
    if "bits" in body:
        if small(body["bits"], at + "/bits") > MAX_CUBE:
            raise Rejection(at + "/bits", "domain", body["bits"], "at most %d bits" % MAX_CUBE)
    else:
        shape_masks(body["tokens"], at + "/tokens")
        masks = tokens_of(body)
        if not masks or any(a >= b for a, b in zip(masks, masks[1:])):
            raise Rejection(at + "/tokens", "domain", body["tokens"], "different tokens in increasing order")
    return tokens_of(body)


def tokens_of(body):
    if "bits" in body:
        return list(range(2 ** decimal_value(body["bits"])))
    return [decimal_value(mask) for mask in body["tokens"]]


def shape_queries(body, tokens, at):
    shape_masks(body["queries"], at)
    masks = [decimal_value(mask) for mask in body["queries"]]
    if not masks or not set(masks) <= set(tokens) or any(a >= b for a, b in zip(masks, masks[1:])):
        raise Rejection(at, "domain", body["queries"], "different tokens in increasing order")


def shape_rank(body, at):
    if not isinstance(body, dict):
        raise Rejection(at, "malformed", body, "an object")
    tokens = "bits" if "bits" in body else "tokens"
    if "gap" in body:
        return shape_ratios(body, at)
    if "softmax" in body:
        as_object(body, at, ("bits", "length", "softmax"))
        shape_ratio(body["softmax"], at + "/softmax")
        length, bits = small(body["length"], at + "/length"), small(body["bits"], at + "/bits")
        if Fraction(body["softmax"]) <= 0:
            raise Rejection(at + "/softmax", "domain", body["softmax"], "a positive number")
        if length < 2:
            raise Rejection(at + "/length", "domain", body["length"], "at least 2")
        if not 1 <= bits <= 64:
            raise Rejection(at + "/bits", "domain", body["bits"], "1 to 64")
        return None
    if "optimum" in body:
        as_object(body, at, ("kernel", "length", "optimum", "queries", tokens))
        masks = shape_set(body, at)
        shape_kernel(body["kernel"], at + "/kernel")
        shape_queries(body, masks, at + "/queries")
        length = small(body["length"], at + "/length", 2 ** 64)
        shape_ratio(body["optimum"], at + "/optimum")
        if length < 1:
            raise Rejection(at + "/length", "domain", body["length"], "at least 1")
        if Fraction(body["optimum"]) < 0:
            raise Rejection(at + "/optimum", "domain", body["optimum"], "at least 0")
        return feasible(masks, length, body, at)
    fixed = "kernel" in body
    special = ("kernel", "queries") if fixed else ("rank",)
    as_object(body, at, ("error", "exists", "length", "strict", tokens, *special))
    masks = shape_set(body, at)
    length = small(body["length"], at + "/length", 2 ** 64)
    shape_ratio(body["error"], at + "/error")
    as_bool(body["strict"], at + "/strict")
    if length < 1:
        raise Rejection(at + "/length", "domain", body["length"], "at least 1")
    error = Fraction(body["error"])
    if error < 0 or body["strict"] and error == 0:
        raise Rejection(at + "/error", "domain", body["error"], "an error that is possible")
    feasible(masks, length, body, at)
    as_bool(body["exists"], at + "/exists")
    if fixed:
        shape_kernel(body["kernel"], at + "/kernel")
        shape_queries(body, masks, at + "/queries")
    elif small(body["rank"], at + "/rank", 2 ** 64) < 1:
        raise Rejection(at + "/rank", "domain", body["rank"], "at least 1")
    return None


def feasible(tokens, length, body, at):
    """Inputs around one query: multisets.  The product stops growing once it is over the limit."""
    count = 1
    for i in range(length - 1):
        count = count * (len(tokens) + i) // (i + 1)
        if count > MAX_INPUTS or len(tokens) == 1:
            break
    if count > MAX_INPUTS:
        raise Rejection(at + "/length", "domain", body["length"], "at most 2^22 inputs around a query")


def shape_ratios(body, at):
    as_object(body, at, ("error", "gap", "ratio"), ("weight",))
    as_list(body["gap"], at + "/gap", small_item)
    if "weight" in body:
        small(body["weight"], at + "/weight")
    as_list(body["ratio"], at + "/ratio", shape_ratio)
    shape_ratio(body["error"], at + "/error")
    gaps = [decimal_value(gap) for gap in body["gap"]]
    most = min(decimal_value(body.get("weight", str(MAX_GAP))), MAX_GAP)
    rising = all(a < b for a, b in zip(gaps, gaps[1:]))
    if not gaps or len(gaps) != len(body["ratio"]) or not rising or gaps[0] < 1 or gaps[-1] > most:
        raise Rejection(at + "/gap", "domain", body["gap"], "increasing gaps, as many as ratios")
    error = Fraction(body["error"])
    if error <= 0 or max(error.numerator, error.denominator) > 2 ** 20:
        raise Rejection(at + "/error", "domain", body["error"], "an error with a short numerator and denominator")


STATEMENT_SHAPES["rank"] = shape_rank
EVIDENCE_SHAPES.update({
    "kernel": ({"error": shape_ratio, "phi_k": shape_matrix, "phi_q": shape_matrix, "readout": shape_matrix}, {}),
    "farkas": ({"inputs": lambda value, at: as_list(value, at, shape_weight)}, {}),
    "code": ({"inputs": as_symbol, "method": shape_method, "rank": as_symbol, "value": shape_ratio,
              "preferences": lambda value, at: as_list(value, at, shape_preference),
              "words": lambda value, at: as_list(value, at, shape_masks)}, {}),
    "dual": ({"gap": small_item, "primal": shape_named_ratios, "weights": shape_named_ratios}, {}),
    "softmax": ({"degree": small_item}, {"excess": small_item}),
})


# Kernels and readouts.

def overlap(x, z):
    return bin(x & z).count("1")


def target(query, others):
    return min(overlap(query, z) for z in (query, *others))


def rationals(matrix):
    return [[Fraction(entry) for entry in row] for row in matrix]


def alpha_of(phi_q, phi_k, tokens, at):
    """The kernel, nonnegative and positive on the diagonal."""
    def sized(table, found, expected):
        if found != expected:
            raise Rejection("%s/%s" % (at, table), "size", "%d entries" % found, "%d entries" % expected)
    phi_q, phi_k = rationals(phi_q), rationals(phi_k)
    sized("phi_q", len(phi_q), len(tokens))
    for i, row in enumerate(phi_q):
        sized("phi_q/%d" % i, len(row), len(phi_k))
    for i, row in enumerate(phi_k):
        sized("phi_k/%d" % i, len(row), len(tokens))
    alpha = [[sum((q * row[z] for q, row in zip(features, phi_k)), Fraction(0)) for z in range(len(tokens))]
             for features in phi_q]
    for x, row in enumerate(alpha):
        if min(row) < 0 or row[x] <= 0:
            raise Rejection(at, "bound", "a negative value, or 0 on the diagonal", "a nonnegative kernel, positive on the diagonal")
    return alpha


def largest_error(tokens, length, query, alpha, readout):
    """Largest error of one row, in integers over one denominator."""
    clear = math.lcm(*(a.denominator for a in alpha))
    weights = [int(a * clear) for a in alpha]
    sums = [a * u for a, u in zip(weights, readout)]
    scale = math.lcm(*(s.denominator for s in sums))
    sums = [int(s * scale) for s in sums]
    own, worst, under = tokens[query], 0, 1
    shared = [overlap(own, z) for z in tokens]
    for others in itertools.combinations_with_replacement(range(len(tokens)), length - 1):
        total = weights[query] + sum(weights[z] for z in others)
        value = sums[query] + sum(sums[z] for z in others)
        goal = min([shared[query], *(shared[z] for z in others)])
        total *= scale
        distance = abs(value - goal * total)
        if distance * under > worst * total:
            worst, under = distance, total
    return Fraction(worst, under)


def check_kernel(claim, body, at, tokens, length, queries):
    """The error of a stored readout, recomputed."""
    work = math.comb(len(tokens) + length - 2, length - 1) * len(queries)
    if work > claim.max_inputs:
        raise NotChecked("%d inputs" % work)
    alpha = alpha_of(body["phi_q"], body["phi_k"], tokens, at)
    if len(body["readout"]) != len(queries):
        raise Rejection(at + "/readout", "size", "%d rows" % len(body["readout"]), "%d rows" % len(queries))
    for i, row in enumerate(body["readout"]):
        if len(row) != len(tokens):
            raise Rejection("%s/readout/%d" % (at, i), "size", "%d entries" % len(row), "%d entries" % len(tokens))
    readout = rationals(body["readout"])
    error = max((largest_error(tokens, length, q, alpha[q], row) for q, row in zip(queries, readout)), default=Fraction(0))
    if ratio_text(error) != body["error"]:
        raise Rejection(at + "/error", "arithmetic", body["error"], ratio_text(error))
    return error


def within(error, allowed, strict, at):
    if not (error < allowed if strict else error <= allowed):
        raise Rejection(at, "bound", ratio_text(error), "%s %s" % ("below" if strict else "at most", ratio_text(allowed)))


# Refutations.

def read_weights(body, at, tokens, length):
    found, last = [], None
    places = {mask: i for i, mask in enumerate(tokens)}
    for i, entry in enumerate(body["inputs"]):
        where = "%s/inputs/%d/tokens" % (at, i)
        masks = [decimal_value(mask) for mask in entry["tokens"]]
        if len(masks) != length:
            raise Rejection(where, "size", "%d tokens" % len(masks), "%d tokens" % length)
        for mask in masks:
            if mask not in places:
                raise Rejection(where, "domain", mask, "a token")
        query, *others = [places[mask] for mask in masks]
        if others != sorted(others) or last is not None and last >= (query, others):
            raise Rejection(where, "coverage", masks, "inputs in increasing order, each once")
        last = (query, others)
        found.append((query, others, Fraction(entry["upper"]), Fraction(entry["lower"])))
    return found


def combined(tokens, weights, error, at):
    """What is left of W and of the kernel values, per (query, key)."""
    left, gains, some = {}, {}, False
    for i, (query, others, upper, lower) in enumerate(weights):
        if upper < 0 or lower < 0:
            raise Rejection("%s/inputs/%d" % (at, i), "bound", "a negative weight", "weights of at least 0")
        some = some or upper > 0 or lower > 0
        goal = target(tokens[query], [tokens[z] for z in others])
        net, gain = upper - lower, (lower - upper) * goal - (upper + lower) * error
        for key in (*others, query):
            left[query, key] = left.get((query, key), 0) + net
            gains[query, key] = gains.get((query, key), 0) + gain
    if not some:
        raise Rejection(at + "/inputs", "bound", "no positive weight", "weights that refute")
    return left, gains


def refute_row(tokens, query, alpha, weights, error, strict, at):
    left, gains = combined(tokens, weights, error, at)
    for (_, key), rest in sorted(left.items()):
        if rest and alpha[key] > 0:
            raise Rejection(at + "/inputs", "arithmetic", "W(%d, %d) stays" % (tokens[query], tokens[key]), "sums that cancel")
    total = sum(gain * alpha[key] for (_, key), gain in gains.items())
    if not (total >= 0 if strict else total > 0):
        raise Rejection(at + "/inputs", "bound", ratio_text(Fraction(total)), "a contradiction")


def refute_rank_one(tokens, weights, error, strict, at):
    left, gains = combined(tokens, weights, error, at)
    for (query, key), rest in sorted(left.items()):
        if rest:
            raise Rejection(at + "/inputs", "arithmetic", "W(%d, %d) stays" % (tokens[query], tokens[key]), "sums that cancel")
    keys = {}
    for (_, key), gain in gains.items():
        keys[key] = keys.get(key, 0) + gain
    if any(gain < 0 for gain in keys.values()) or not strict and not any(keys.values()):
        raise Rejection(at + "/inputs", "bound", "a sum that contradicts nothing", "weights that refute")


def check_fixed_refutation(body, at, statement, tokens, queries, error, strict):
    alpha = alpha_of(statement["kernel"]["phi_q"], statement["kernel"]["phi_k"], tokens, "/statement/rank/kernel")
    weights = read_weights(body, at, tokens, decimal_value(statement["length"]))
    if not weights:
        raise Rejection(at + "/inputs", "bound", "no positive weight", "weights that refute")
    query = weights[0][0]
    for i, entry in enumerate(weights):
        if entry[0] != query:
            raise Rejection("%s/inputs/%d" % (at, i), "coverage", "another query", "inputs of one query")
    if query not in queries:
        raise Rejection(at + "/inputs/0", "domain", tokens[query], "a query of the statement")
    refute_row(tokens, query, alpha[query], weights, error, strict, at)
    return len(weights)


# Bounds from codes.

def factor(query, start, end, length, error):
    """What one step of a chain proves, or None."""
    gap = overlap(query, end) - overlap(query, start)
    if gap <= 0:
        return None
    value = (length - 2) * (Fraction(gap) / (2 * error) - 1) if error else Fraction(0)
    if end != query:
        return value if value >= 1 else None
    if length < 3:
        return None
    value = (value * length - 1) / (length - 1)
    return value if value > 0 else None


def needed(method, words, strict, at):
    def wrong(message):
        raise Rejection(at + "/words", "size", message, "words of this method")
    if any(len(word) != (3 if method == "cycle" else 2) for word in words):
        wrong("a word of another length")
    count = len(words)
    if method != "cycle":
        if count < 2:
            wrong("fewer than two words")
        return [(words[i][0], words[i][1], words[j][1]) for i in range(count) for j in range(count) if j != i]
    if count < 3 or count % 2 == 0 or not strict:
        wrong("an even or short cycle, or errors that may equal the bound")
    found = []
    for i, (query, better, worse) in enumerate(words):
        found += [(query, better, worse), (words[i - 1][0], worse, better), (words[(i + 1) % count][0], worse, better)]
    return found


def conclude(method, count, ratios, strict, at):
    def wrong(message):
        raise Rejection(at + "/preferences", "bound", message, "ratios that are large enough")
    if method == "dominance":
        for row in range(count):
            total = sum(1 / ratio for ratio in ratios[row * (count - 1):(row + 1) * (count - 1)])
            if total > 1 or not strict and total == 1:
                wrong("row %d adds up to %s" % (row, ratio_text(Fraction(total))))
        return count, Fraction(count)
    if method == "trace":
        value = Fraction(count * count) / (count + sum(1 / ratio ** 2 for ratio in ratios))
        return (math.floor(value) + 1 if strict else math.ceil(value)), value
    if any(ratio < 1 for ratio in ratios):
        wrong("a ratio below 1")
    return 3, Fraction(3)


def check_code(body, at, statement, tokens):
    length, error, strict = decimal_value(statement["length"]), Fraction(statement["error"]), statement["strict"]
    words = [[decimal_value(mask) for mask in word] for word in body["words"]]
    chains = [[decimal_value(mask) for mask in entry["chain"]] for entry in body["preferences"]]
    for mask in itertools.chain(*words, *chains):
        if mask not in tokens:
            raise Rejection(at + "/words", "domain", mask, "tokens of the statement")
    wanted = needed(body["method"], words, strict, at)
    ends = [(decimal_value(entry["query"]), chain[0] if chain else None, chain[-1] if chain else None)
            for entry, chain in zip(body["preferences"], chains)]
    if ends != wanted:
        raise Rejection(at + "/preferences", "coverage", "other preferences", "those that the words need, in order")
    ratios, inputs = [], set()
    for i, ((query, _, _), chain, entry) in enumerate(zip(ends, chains, body["preferences"])):
        where, ratio = "%s/preferences/%d" % (at, i), Fraction(1)
        if len(chain) < 2:
            raise Rejection(where + "/chain", "bound", "no step", "steps that prove something")
        for start, end in zip(chain, chain[1:]):
            step = factor(query, start, end, length, error)
            if step is None:
                raise Rejection(where + "/chain", "bound", "a step without a factor", "steps that prove something")
            ratio *= step
            inputs |= {(query, (start,) * (length - 1)), (query, (end,) * (length - 1)),
                       (query, tuple(sorted((start,) + (end,) * (length - 2))))}
        if ratio_text(ratio) != entry["ratio"]:
            raise Rejection(where + "/ratio", "arithmetic", entry["ratio"], ratio_text(ratio))
        ratios.append(ratio)
    proved, value = conclude(body["method"], len(words), ratios, strict, at)
    for key, right in (("rank", str(proved)), ("value", ratio_text(value)), ("inputs", str(len(inputs)))):
        if body[key] != right:
            raise Rejection("%s/%s" % (at, key), "arithmetic", body[key], right)
    if proved <= decimal_value(statement["rank"]):
        raise Rejection(at + "/rank", "bound", body["rank"], "more than " + statement["rank"])
    return "code: %d words, %s: rank at least %d" % (len(words), body["method"], proved)


# The best ratio that one row forces.

def ratio_program(gap, weight, error):
    """Names of the variables, and rows {name: ({variable: coefficient}, bound)} of `sum >= bound`."""
    names = [str(v) for v in range(gap + 1)] + ["self"]
    overlaps = [*range(gap + 1), weight]
    value = lambda name: name if name == "self" else "a " + name
    variables = [value(name) for name in names] + ["+ " + name for name in names] + ["- " + name for name in names]
    rows = {}
    for i, u in enumerate(names):
        for j in range(i, len(names)):
            goal = min(overlaps[i], overlaps[j], weight)
            for side, sign in (("upper", -1), ("lower", 1)):
                row = dict.fromkeys(variables, 0)
                for name in ("self", u, names[j]):
                    row[value(name)] += error.numerator - sign * error.denominator * goal
                    row["+ " + name] += sign * error.denominator
                    row["- " + name] -= sign * error.denominator
                rows["%s %s %s" % (side, u, names[j])] = (row, 0)
    normal = dict.fromkeys(variables, 0)
    normal["a %d" % gap] = 1
    rows["normal"] = (normal, 1)
    return variables, rows


def check_dual(body, at, gap, weight, error):
    """The value of the program: a feasible point and a feasible dual vector that meet."""
    variables, rows = ratio_program(gap, weight, error)
    for key, known in (("primal", variables), ("weights", rows)):
        for name in body[key]:
            if name not in known:
                raise Rejection("%s/%s/%s" % (at, key, name), "domain", name, "a name of the program")
    x = {name: Fraction(body["primal"].get(name, 0)) for name in variables}
    y = {name: Fraction(body["weights"].get(name, 0)) for name in rows}
    if min(x.values()) < 0 or any(sum(a * x[v] for v, a in row.items() if a) < bound for row, bound in rows.values()):
        raise Rejection(at + "/primal", "bound", "a row that fails", "a feasible vector")
    for v in variables:
        column = sum(y[name] * row[v] for name, (row, _) in rows.items() if row[v])
        if column > (1 if v == "a 0" else 0):
            raise Rejection(at + "/weights", "bound", "column %s" % v, "a feasible vector")
    if min(y.values()) < 0:
        raise Rejection(at + "/weights", "bound", "a negative weight", "a feasible vector")
    if x["a 0"] != y["normal"]:
        raise Rejection(at + "/weights", "bound", ratio_text(y["normal"]), ratio_text(x["a 0"]))
    return x["a 0"]


def check_ratios(claim, established):
    body, error = claim.body, Fraction(claim.body["error"])
    gaps = [decimal_value(gap) for gap in body["gap"]]
    if len(claim.evidence) != (len(gaps) if established else 1):
        raise Rejection("/evidence", "kind-mismatch", "%d objects" % len(claim.evidence), "one per gap, or one that differs")
    for i, (_, item, at) in enumerate(claim.evidence):
        gap = decimal_value(item["gap"])
        if gap not in gaps or established and gaps[i] != gap:
            raise Rejection(at + "/gap", "coverage", item["gap"], "the gaps of the statement in order")
        value = check_dual(item, at, gap, decimal_value(body.get("weight", item["gap"])), error)
        stated = body["ratio"][gaps.index(gap)]
        if (ratio_text(value) == stated) != established:
            raise Rejection("/statement/rank/ratio", "bound", ratio_text(value), "what makes %s %s" % (stated, claim.verdict))
    return "primal and dual: %d best ratios of one row" % len(claim.evidence)


# Softmax.

def exponential(t, degree):
    """Rationals below and above e^t, or None where the rest is not bounded."""
    if degree + 2 <= t:
        return None
    # Horner over one denominator: sum of p^k q^(n-k) / k!.
    p, q = t.numerator, t.denominator
    numerator, denominator, term = 1, 1, 1
    for k in range(1, degree + 1):
        term *= p
        numerator = numerator * q * k + term
        denominator *= q * k
    below = Fraction(numerator, denominator)
    rest = Fraction(term * p, denominator * q * (degree + 1)) * (degree + 2) / (degree + 2 - t)
    return below, below + rest


def check_softmax(body, at, statement, established):
    beta, length, bits = Fraction(statement["softmax"]), decimal_value(statement["length"]), decimal_value(statement["bits"])
    degree = decimal_value(body["degree"])
    if degree > MAX_DEGREE:
        raise Rejection(at + "/degree", "domain", body["degree"], "at most %d" % MAX_DEGREE)
    outcome = "holds"
    for excess in range(1, bits + 1):
        bounds, demand = exponential(beta * excess, degree), (length - 1) * (2 * excess - 1)
        if bounds is None:
            outcome = "open"
        elif bounds[1] <= demand:
            outcome = excess
            break
        elif bounds[0] <= demand:
            outcome = "open"
    named = decimal_value(body["excess"]) if "excess" in body else None
    if outcome == "holds" and established and named is None:
        return "e^(beta d) exceeds %d(2d - 1) for d = 1..%d" % (length - 1, bits)
    if not established and outcome not in ("holds", "open"):
        if named == outcome:
            return "fails where the others exceed the least overlap by %d" % outcome
        raise Rejection(at + "/excess", "arithmetic", named, outcome)
    if established and named is not None:
        raise Rejection(at + "/excess", "bound", "an excess", "none")
    raise Rejection(at + "/degree", "bound", outcome, claim_word(established))


def claim_word(established):
    return "it holds" if established else "it fails"


# Claims.

def check_rank(claim):
    body, established = claim.body, claim.verdict == "established"
    kinds = [tag for tag, _, _ in claim.evidence]

    def mismatch(expected):
        raise Rejection("/evidence", "kind-mismatch", " ".join(kinds[:3]), expected)
    if "gap" in body:
        if set(kinds) != {"dual"}:
            mismatch("dual only")
        return check_ratios(claim, established)
    if "softmax" in body:
        if kinds != ["softmax"]:
            mismatch("one softmax")
        return check_softmax(claim.evidence[0][1], claim.evidence[0][2], body, established)
    tokens, length = tokens_of(body), decimal_value(body["length"])
    _, item, at = claim.evidence[0]
    if "rank" in body:
        positive = established == body["exists"]
        error, strict, everyone = Fraction(body["error"]), body["strict"], list(range(len(tokens)))
        if positive and kinds == ["kernel"]:
            if len(item["phi_k"]) > decimal_value(body["rank"]):
                raise Rejection(at + "/phi_k", "bound", "%d features" % len(item["phi_k"]), "at most " + body["rank"])
            found = check_kernel(claim, item, at, tokens, length, everyone)
            within(found, error, strict, at + "/error")
            return "kernel: %d of %s features, error %s" % (len(item["phi_k"]), body["rank"], ratio_text(found))
        if not positive and kinds == ["code"]:
            return check_code(item, at, body, tokens)
        if not positive and kinds == ["farkas"] and body["rank"] == "1":
            weights = read_weights(item, at, tokens, length)
            refute_rank_one(tokens, weights, error, strict, at)
            return "farkas: %d inputs refute every kernel of rank 1" % len(weights)
        mismatch("one kernel" if positive else "one code, or at rank 1 one farkas")
    queries = [tokens.index(decimal_value(mask)) for mask in body["queries"]]

    def readout(number):
        _, stored, place = claim.evidence[number]
        for key in ("phi_q", "phi_k"):
            if stored[key] != body["kernel"][key]:
                raise Rejection(place + "/phi_k", "arithmetic", "another kernel", "the kernel of the statement")
        return check_kernel(claim, stored, place, tokens, length, queries), place + "/error"

    def refuted(number, error, strict):
        _, stored, place = claim.evidence[number]
        return check_fixed_refutation(stored, place, body, tokens, queries, error, strict)
    if "optimum" in body:
        optimum = Fraction(body["optimum"])
        if established and kinds == ["kernel", "farkas"]:
            found, place = readout(0)
            within(found, optimum, False, place)
            return "error %s is reached, and %d inputs refute less" % (body["optimum"], refuted(1, optimum, True))
        if not established and kinds == ["kernel"]:
            within(*readout(0)[:1], optimum, True, at + "/error")
            return "a smaller error"
        if not established and kinds == ["farkas"]:
            return "farkas: %d inputs refute that error" % refuted(0, optimum, False)
        mismatch("kernel farkas" if established else "one kernel or one farkas")
    error, strict = Fraction(body["error"]), body["strict"]
    if established == body["exists"] and kinds == ["kernel"]:
        found, place = readout(0)
        within(found, error, strict, place)
        return "readout: error %s" % ratio_text(found)
    if established != body["exists"] and kinds == ["farkas"]:
        return "farkas: %d inputs refute every readout of this kernel" % refuted(0, error, strict)
    mismatch("one kernel" if established == body["exists"] else "one farkas")
    return None


STATEMENT_CHECKS["rank"] = check_rank
