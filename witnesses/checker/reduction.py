"""Reductions to k-hop and the problem of one cycle or two (docs/reductions.md)."""

import itertools
import math

from .outcome import Rejection
from .canonical import decimal_value
from .shape import (
    EVIDENCE_SHAPES, STATEMENT_SHAPES, as_bool, as_count, as_list, as_object, as_symbol, as_text, shape_digits,
    shape_fields)
from .kinds import STATEMENT_CHECKS


MAX_VERTICES = 8
MAX_CHASES = 2 ** 32
ONE, TWO = "one-cycle", "two-cycles"


def shape_reduction(body, at):
    as_object(body, at, ("from", "k"), ("one_iff", "q"))
    source = as_text(body["from"], at + "/from")
    if source == "cycles":
        as_object(body, at, ("from", "k", "one_iff"))
        if as_text(body["one_iff"], at + "/one_iff") not in (ONE, TWO):
            raise Rejection(at + "/one_iff", "unknown-kind", body["one_iff"], ONE + " or " + TWO)
        as_vertices(body["k"], at + "/k", False)
    elif source == "pointer-chasing":
        as_object(body, at, ("from", "k", "q"))
        as_symbol(body["k"], at + "/k")
        as_symbol(body["q"], at + "/q")
        if not chases(decimal_value(body["k"]), decimal_value(body["q"])):
            raise Rejection(at, "domain", body, "k >= 1, q even, at most 2^32 instances")
    else:
        raise Rejection(at + "/from", "unknown-kind", source, "cycles or pointer-chasing")


def shape_cycles(body, at):
    as_object(body, at, ("question", "vertices"), ("directed", "equals", "held"))
    question = as_text(body["question"], at + "/question")
    if question == "sign":
        as_object(body, at, ("question", "vertices"))
        as_vertices(body["vertices"], at + "/vertices", True)
    elif question == "reads":
        as_object(body, at, ("directed", "equals", "question", "vertices"))
        as_bool(body["directed"], at + "/directed")
        as_vertices(body["vertices"], at + "/vertices", body["directed"])
        as_count(body["equals"], at + "/equals")
    elif question == "split":
        as_object(body, at, ("equals", "held", "question", "vertices"))
        as_vertices(body["vertices"], at + "/vertices", False)
        as_symbol(body["held"], at + "/held")
        if decimal_value(body["held"]) > decimal_value(body["vertices"]):
            raise Rejection(at + "/held", "domain", body["held"], "at most the vertices")
        as_count(body["equals"], at + "/equals")
    else:
        raise Rejection(at + "/question", "unknown-kind", question, "sign, reads or split")


def as_vertices(value, at, directed):
    as_symbol(value, at)
    vertices = decimal_value(value)
    if vertices % 2 or not (4 if directed else 6) <= vertices <= MAX_VERTICES:
        raise Rejection(at, "domain", value, "an even number up to 8, at least 4 directed, 6 undirected")


def as_two(item):
    def shape(value, at):
        as_list(value, at, item)
        if len(value) != 2:
            raise Rejection(at, "malformed", value, "two of them")
    return shape


STATEMENT_SHAPES.update({"reduction": shape_reduction, "cycles": shape_cycles})
EVIDENCE_SHAPES.update({
    "all_instances": ({"instances": as_count}, {}),
    "failing_instance": ({"edges": lambda value, at: as_list(value, at, shape_edge)}, {}),
    "signs": ({"one": as_two(as_count), "two": as_two(as_count)}, {}),
    "shared_words": ({"one": shape_digits, "two": shape_digits}, {}),
    "split_colouring": ({"clique": shape_digits, "colours": shape_digits}, {}),
})


def shape_edge(value, at):
    shape_digits(value, at)
    if len(value) != 2:
        raise Rejection(at, "malformed", value, "[u, v]")


# Instances.

def directed(n, kind):
    """Successor functions that are one cycle, or two of half the length."""
    def cycle(vertices):
        first, rest = vertices[0], vertices[1:]
        for order in itertools.permutations(rest):
            yield dict(zip((first, *order), (*order, first)))
    if kind == ONE:
        return [tuple(f[v] for v in range(n)) for f in cycle(tuple(range(n)))]
    found = []
    for half in itertools.combinations(range(1, n), n // 2 - 1):
        left, right = (0, *half), tuple(v for v in range(1, n) if v not in half)
        for f in cycle(left):
            for g in cycle(right):
                both = {**f, **g}
                found.append(tuple(both[v] for v in range(n)))
    return found


def undirected(n, kind):
    return {tuple(sorted((min(u, v), max(u, v)) for u, v in enumerate(f))) for f in directed(n, kind)}


def is_odd(f):
    """By the cycles: an even cycle is odd."""
    left, odd = set(range(len(f))), False
    while left:
        at, length = min(left), 0
        while at in left:
            left.remove(at)
            at, length = f[at], length + 1
        odd ^= length % 2 == 0
    return odd


def hop(text, k):
    """The symbol k hops from the end, or None; text is a sequence of bytes."""
    at = len(text) - 1
    for _ in range(k):
        before = text.rfind(text[at:at + 1], 0, at)
        if before < 0:
            return None
        at = before + 1
    return text[at]


STAR, PLUS, GAP = 254, 253, 255


def gadget_block(u, v):
    return bytes((STAR, u, PLUS, v, u, PLUS, v, STAR, GAP))


def gadget_answers_one(edges):
    blocks = [gadget_block(u + 1, v + 1) for u, v in edges]
    return hop(b"".join(blocks) * (len(edges) // 2) + b"\x01", len(edges)) == 1


def gadget_strings(n):
    return sum(len(undirected(n, kind)) for kind in (ONE, TWO)) * math.factorial(n) * 2 ** n


def every_gadget(n, ones):
    """The first instance that breaks the statement, or None."""
    for kind in (ONE, TWO):
        for graph in sorted(undirected(n, kind)):
            both = [(gadget_block(u + 1, v + 1), gadget_block(v + 1, u + 1)) for u, v in graph]
            for order in itertools.permutations(both):
                for blocks in itertools.product(*order):
                    text = b"".join(blocks) * (n // 2) + b"\x01"
                    if (hop(text, n) == 1) != (kind == ones):
                        return graph
    return None


def chases(k, q):
    if q == 0 or q % 2 or k == 0 or q > 20 or k > 64:
        return 0
    count = math.factorial(q) ** k * math.comb(q, q // 2)
    return count if count <= MAX_CHASES else 0


def every_chase(k, q):
    """Is hop_k of the string of every instance the half that vertex 1 leads to?"""
    matchings = list(itertools.permutations(range(q)))
    for halves in itertools.combinations(range(q), q // 2):
        for chosen in itertools.product(matchings, repeat=k):
            text, end = bytearray(), 0
            for layer in range(k, 0, -1):
                for vertex in range(q):
                    partner = chosen[layer - 1][vertex]
                    text.append((vertex if layer % 2 else q + vertex) + 1)
                    text.append(2 * q + 1 + (partner in halves) if layer == k
                                else (partner if layer % 2 == 0 else q + partner) + 1)
            text.append(1)
            for matching in chosen:
                end = matching[end]
            if hop(bytes(text), k) != 2 * q + 1 + (end in halves):
                return False
    return True


# Verdicts.

def check_reduction(claim):
    claim.expect_no_files()
    question = claim.body.get("question", "")
    established = claim.verdict == "established"
    wanted = {"sign": "signs", "reads": "shared_words", "split": "split_colouring"}.get(
        question, "all_instances" if established else "failing_instance")
    if [tag for tag, _, _ in claim.evidence] != [wanted]:
        raise Rejection("/evidence", "kind-mismatch", [tag for tag, _, _ in claim.evidence], wanted)
    _, body, at = claim.evidence[0]
    if question:
        checks = {"sign": check_signs, "reads": check_reads, "split": check_split}
        return checks[question](claim, body, at, decimal_value(claim.body["vertices"]))
    return (check_gadget if claim.body["from"] == "cycles" else check_chase)(claim, body, at, established)


def check_gadget(claim, body, at, established):
    n, ones = decimal_value(claim.body["k"]), claim.body["one_iff"]
    if not established:
        edges = tuple(map(tuple, body["edges"]))
        graph = tuple(sorted((min(e), max(e)) for e in edges))
        kinds = [kind for kind in (ONE, TWO) if graph in undirected(n, kind)]
        if not kinds:
            raise Rejection(at + "/edges", "domain", body["edges"], "the edges of one cycle or of two halves")
        if gadget_answers_one(edges) == (kinds[0] == ones):
            raise Rejection(at, "replay", "an instance on which it holds", "one on which it fails")
        return "fails on this instance"
    count(claim, body, at, gadget_strings(n))
    broken = every_gadget(n, ones)
    if broken:
        raise Rejection(at, "bound", broken, "no exception")
    return "all %s strings of the gadget" % body["instances"]


def check_chase(claim, body, at, established):
    if not established:
        raise Rejection(at, "domain", "an instance of another problem", "none is known")
    k, q = decimal_value(claim.body["k"]), decimal_value(claim.body["q"])
    count(claim, body, at, chases(k, q))
    if not every_chase(k, q):
        raise Rejection(at, "bound", "an instance that breaks it", "no exception")
    return "all %s instances of pointer chasing" % body["instances"]


def count(claim, body, at, right):
    claim.limit(right, "instances")
    if body["instances"] != str(right):
        raise Rejection(at + "/instances", "arithmetic", body["instances"], str(right))


def check_signs(claim, body, at, n):
    found = {}
    for key, kind in (("one", ONE), ("two", TWO)):
        odd = [is_odd(f) for f in directed(n, kind)]
        found[key] = [str(odd.count(False)), str(odd.count(True))]
        if body[key] != found[key]:
            raise Rejection(at + "/" + key, "arithmetic", body[key], found[key])
    if (found["one"][0] == "0" and found["two"][1] == "0") != (claim.verdict == "established"):
        raise Rejection("/verdict", "bound", claim.verdict, "the other verdict")
    return "one cycle is odd, two are even"


def check_reads(claim, body, at, n):
    way = claim.body["directed"]
    words = {}
    for kind in (ONE, TWO):
        words[kind] = (directed(n, kind) if way else
                       [tuple(u * n + v for u, v in graph) for graph in undirected(n, kind)])
    pair = []
    for key, kind in (("one", ONE), ("two", TWO)):
        if tuple(body[key]) not in set(words[kind]):
            raise Rejection(at + "/" + key, "domain", body[key], "an instance of this kind")
        pair.append(tuple(body[key]))

    def shared(a, b):
        return sum(x == y for x, y in zip(a, b)) if way else len(set(a) & set(b))
    most = max(shared(a, b) for a in words[ONE] for b in words[TWO])
    if shared(*pair) != most:
        raise Rejection(at, "bound", "%d words in common" % shared(*pair), str(most))
    if (decimal_value(claim.body["equals"]) == most + 1) != (claim.verdict == "established"):
        raise Rejection(claim.at + "/equals", "bound", claim.body["equals"], str(most + 1))
    return "%d words must be read" % (most + 1)


def check_split(claim, body, at, n):
    held = decimal_value(claim.body["held"])
    all_edges = list(itertools.combinations(range(n), 2))
    number = {edge: i for i, edge in enumerate(all_edges)}
    place = {part: i for i, part in enumerate(itertools.combinations(range(len(all_edges)), held))}
    by_bob = {}
    for which, kind in enumerate((ONE, TWO)):
        for graph in undirected(n, kind):
            edges = sorted(number[edge] for edge in graph)
            for part in itertools.combinations(edges, held):
                rest = tuple(edge for edge in edges if edge not in part)
                by_bob.setdefault(rest, ([], []))[which].append(place[part])
    conflicts = {frozenset((a, b)) for one, two in by_bob.values() for a in one for b in two}
    colours, clique = body["colours"], body["clique"]
    if len(colours) != len(place):
        raise Rejection(at + "/colours", "size", len(colours), "%d, one for each set" % len(place))
    for pair in conflicts:
        if len({colours[i] for i in pair}) == 1:
            raise Rejection(at + "/colours", "not-separated", sorted(pair), "different colours")
    for i, member in enumerate(clique):
        if member >= len(place):
            raise Rejection("%s/clique/%d" % (at, i), "coverage", member, "a set below %d" % len(place))
        for other in clique[:i]:
            if frozenset((other, member)) not in conflicts:
                raise Rejection("%s/clique/%d" % (at, i), "not-separated", "no conflict with %d" % other, "a conflict")
    used = max(colours) + 1
    if used != len(clique):
        raise Rejection(at + "/clique", "bound", "%d sets in pairwise conflict" % len(clique), "%d colours" % used)
    if (decimal_value(claim.body["equals"]) == used) != (claim.verdict == "established"):
        raise Rejection(claim.at + "/equals", "bound", claim.body["equals"], str(used))
    return "%d sets, %d conflicts: %d colours, a clique of %d" % (len(place), len(conflicts), used, used)


STATEMENT_CHECKS["reduction"] = check_reduction
STATEMENT_CHECKS["cycles"] = check_reduction
