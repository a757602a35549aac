"""Indistinguishable decompositions (games 7; the JSON is docs/design/008-decomposition-evidence.md)."""

import itertools
import math
from fractions import Fraction

from .outcome import Rejection, SpecError, short
from .shape import (
    EVIDENCE_SHAPES, STATEMENT_SHAPES, as_bool, as_count, as_list, as_number, as_symbol, as_tagged, as_text,
    shape_counts, shape_digit_lists, shape_fields, shape_holds, shape_symbols)
from .number import ExactOps, simplify
from .expression import Env, Parser, Scope, compile_node, need
from .run import final_view
from .task import describe, no_common_answer
from .kinds import ALLOWED, CHECKS
from . import region

MAX_SETS = 2 ** 22      # sets S_2 that are all tried
LISTED = 2 ** 10        # elements of R that are listed one by one


# --- shapes

def shape_word(*words):
    def shape(value, at):
        if as_text(value, at) not in words:
            raise Rejection(at, "malformed", value, "one of " + " ".join(words))
    return shape


def shape_x(value, at):
    as_list(value, at, as_symbol)


def shape_sets(value, at):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object from label to elements")
    for label in sorted(value):
        shape_digit_lists(value[label], at + "/" + label)


def shape_remaining(value, at):
    """R: {"list"}, {"bits"}, {"product"} or {"affine"}."""
    tag, body, at = as_tagged(value, at, ("affine", "bits", "list", "product"))
    if tag == "list":
        shape_symbols(body, at)
        numbers = [int(text) for text in body]
        if any(a >= b for a, b in zip(numbers, numbers[1:])):
            raise Rejection(at, "malformed", body, "an increasing list")
    elif tag == "bits":
        if len(as_text(body, at)) % 2 or set(body) - set("0123456789abcdef"):
            raise Rejection(at, "malformed", body, "pairs of digits 0..9, a..f")
    elif tag == "product":
        def entry(row, where):
            if len(as_list(row, where)) != 2:
                raise Rejection(where, "malformed", row, "[place, values]")
            as_count(row[0], where + "/0")
            shape_counts(row[1], where + "/1")
        as_list(body, at, entry)
    else:
        equation = {"terms": lambda v, w: as_list(v, w, shape_counts), "value": as_count}
        shape_fields(body, at, {"equations": lambda v, w: as_list(v, w, lambda e, p: shape_fields(e, p, equation)),
                                "modulus": as_count})


def shape_level(value, at):
    shape_fields(value, at, {
        "allowed": lambda v, w: shape_fields(v, w, {"pow": lambda p, q: as_list(p, q, lambda e, r: as_list(
            e, r, as_text))}),
        "classes": shape_counts,
        "fixed": lambda v, w: as_list(v, w, lambda e, p: shape_fields(e, p, {"key": shape_symbols,
                                                                              "slot": as_number})),
        "joint": lambda v, w: shape_fields(v, w, {"classes": as_count, "largest": as_count}),
        "level": as_number, "loss": as_text, "r": shape_remaining, "reach": as_count, "sizes": shape_counts,
        "wanted": as_text, "z": shape_sets,
    }, {"rectangle": lambda v, w: shape_fields(v, w, {"exhaustive": as_bool, "left": as_count, "right": as_count})})


def shape_pair(value, at):
    if value is not None:
        def anything(value, at):
            """Whatever it is, it is compared with the right input."""
        shape_fields(value, at, {"final": as_bool, "left": anything, "right": anything})


STATEMENT_SHAPES["decomposition"] = lambda body, at: shape_fields(body, at, {
    "holds": shape_holds, "one_shot": as_bool, "tie": shape_word("least", "greatest"), "x": shape_x})
EVIDENCE_SHAPES["decomposition"] = ({
    "count": lambda v, w: shape_fields(v, w, {"addresses": as_count, "entries": as_count, "fires": as_bool,
                                              "values": as_count}),
    "leak": lambda v, w: as_list(v, w, as_number),
    "levels": lambda v, w: as_list(v, w, shape_level),
    "mode": shape_word("replay", "symbolic"),
    "pair": shape_pair,
    "pattern": lambda v, w: shape_fields(v, w, {"classes": as_count, "size": as_count}),
    "tie": shape_word("least", "greatest"), "x": shape_x}, {})
for _verdict in ("established", "refuted"):
    ALLOWED["decomposition", _verdict] = [["decomposition"]]


# --- the hybrid game seen from a level

class Frame:
    """Players L, .., 1, 0, -1 have the indices 0, .., L + 1."""

    def __init__(self, claim):
        self.game, self.runner, self.limit = claim.game, claim.runner, claim.limit
        parameters = self.game.parameters
        self.steps, self.start = parameters["steps"], parameters["start"]
        self.ranges, self.queries = parameters["ranges"], parameters["queries"]

    def index(self, label):
        return self.steps - label

    def player(self, label):
        return self.game.players[self.index(label)]

    def rounds(self, epoch):
        """The number of rounds up to the end of an epoch."""
        return max((slot.round + 1 for slot in self.game.slots if slot.numbers[0] <= epoch), default=0)

    def crossing(self, level):
        last = self.index(level)
        return [slot for slot in self.game.active
                if slot.numbers[0] <= level and slot.sender <= last < slot.receiver]

    def upper_size(self, level):
        return math.prod(self.player(label).size for label in range(level, self.steps + 1))

    def uppers(self, level):
        """All tuples (z_L, .., z_level), first component most significant."""
        return itertools.product(*[list(self.player(label).elements()) for label in range(self.steps, level - 1, -1)])

    def tuple(self, level, index):
        digits = []
        for label in range(level, self.steps + 1):
            index, rest = divmod(index, self.player(label).size)
            digits.append(unrank(self.player(label), rest))
        return tuple(reversed(digits))

    def lower(self, z):
        """All (z_(l-1), .., z_0, w), each set in the order in which its members were put in."""
        last = list(self.game.players[self.steps + 1].elements())
        return list(itertools.product(*[z[j] for j in range(len(z) - 1, -1, -1)], last))

    def reach(self, z):
        """The values i_k that Z_0 x .. x Z_k reaches: for one w an image of an image, and images respect unions."""
        reached = {digits[0] for digits in z[0]}
        for j in range(1, len(z)):
            rows, m = (1, 0) if j == 1 else (self.queries[j - 2], self.ranges[j - 2])
            reached = {table[row * m + value] for table in z[j] for row in range(rows) for value in reached}
        return reached

    def symbols(self, inputs, rounds):
        """What is said in the first rounds."""
        said = [0] * len(self.game.slots)
        for index, function, slot in self.runner.steps:
            if slot.round >= rounds:
                break
            symbol = function(inputs, said)
            if not 0 <= symbol < slot.alphabet:
                raise SpecError("%s says %s, on input %s" % (slot.name, short(symbol), describe(self.game, inputs)))
            said[index] = symbol
        return said

    def view(self, inputs, rounds):
        """What -1 has stored after these rounds."""
        said = self.symbols(inputs, rounds)
        return [said[index] for index in self.game.stored(self.game.output, rounds)]


def unrank(player, index):
    """The element of a table or number with this index."""
    field = player.fields[0]
    digits = []
    for _ in range(field.width):
        index, digit = divmod(index, field.numbers[-1])
        digits.append(digit)
    return tuple(reversed(digits))


def largest(classes, tie):
    """The key of the largest class; ties to the least or the greatest key."""
    top = max(map(len, classes.values()))
    keys = [key for key, members in classes.items() if len(members) == top]
    return min(keys) if tie == "least" else max(keys)


# --- the chain by runs

def listed_base(frame, x, tie):
    """Steps 1 and 2: (classes, size of G, Z_0, Z_1)."""
    zero = [(a,) for a in range(min(x[0], frame.start))]
    players, slot = frame.game.players, frame.game.by_name.get("soft 1->-1 @1")
    one, everything = frame.player(1), list(frame.game.players[-1].elements())
    frame.limit(one.size * len(everything), "runs for the pattern of player 1")
    classes = {}
    first = [next(iter(player.elements())) for player in players[:frame.steps - 1]]
    for table in one.elements():
        key = ()
        if slot is not None and frame.game.slots[slot].alphabet > 1:
            end = frame.game.slots[slot].round + 1
            key = tuple(frame.symbols((*first, table, (0,), w), end)[slot] for w in everything)
        classes.setdefault(key, []).append(table)
    members = classes[largest(classes, tie)]
    covered, chosen = set(), []
    for _ in range(min(x[1], len(members))):
        gains = [(len({table[a[0]] for a in zero} - covered), -place) for place, table in enumerate(members)
                 if table not in chosen]
        table = members[-max(gains)[1]]
        covered |= {table[a[0]] for a in zero}
        chosen.append(table)
    return len(classes), len(members), zero, chosen


def split(frame, level, start, lower, tie, one_shot):
    """Step 3: refine a list of (index, upper tuple) by the crossing slots."""
    slots, rounds = frame.crossing(level), frame.rounds(level)
    frame.limit(len(start) * len(lower), "runs on R x Z")
    rows = []
    for index, upper in start:
        said = [frame.symbols(upper + tail, rounds) for tail in lower]
        rows.append((index, upper, [tuple(s[slot.index] for s in said) for slot in slots]))
    joint = {}
    for row in rows:
        joint.setdefault(tuple(itertools.chain.from_iterable(row[2])), []).append(row)
    best = joint[largest(joint, tie)]
    sizes, numbers = [len(rows)], []
    if one_shot:
        sizes, numbers, rows = [len(rows), len(best)], [len(joint)], best
    else:
        for place in range(len(slots)):
            classes = {}
            for row in rows:
                classes.setdefault(row[2][place], []).append(row)
            rows = classes[largest(classes, tie)]
            sizes.append(len(rows))
            numbers.append(len(classes))
    return {"fixed": [{"key": [str(s) for s in key], "slot": slot.index} for slot, key in zip(slots, rows[0][2])],
            "sizes": [str(n) for n in sizes], "classes": [str(n) for n in numbers],
            "joint": {"classes": str(len(joint)), "largest": str(len(best))}}, rows


def rectangle(frame, level, rows, z, x):
    """Step 4: (facts, Z_level, the upper tuples left)."""
    size = frame.player(level).size
    columns = {}
    for index, upper, _ in rows:
        columns.setdefault(index % size, (set(), upper[-1]))[0].add(index // size)
    places = sorted(columns)
    images = {place: frame.reach(z + [[columns[place][1]]]) for place in places}
    for right in range(min(x, len(places)), 0, -1):
        exhaustive = math.comb(len(places), right) <= MAX_SETS
        found = best_set(places, columns, images, right) if exhaustive else grown(places, columns, images, right)
        if found is not None:
            chosen = sorted(found)
            left = set.intersection(*[columns[place][0] for place in chosen])
            facts = {"exhaustive": exhaustive, "left": str(len(left)), "right": str(right)}
            tuples = {index // size: upper[:-1] for index, upper, _ in rows}
            return facts, [columns[place][1] for place in chosen], [(i, tuples[i]) for i in sorted(left)]
    raise SpecError("R is empty")


def best_set(places, columns, images, right):
    best, top = None, 0
    for chosen in itertools.combinations(places, right):
        left = set.intersection(*[columns[place][0] for place in chosen])
        score = len(left) * len(set().union(*[images[place] for place in chosen])) if left else 0
        if score > top:
            best, top = chosen, score
    return best


def grown(places, columns, images, right):
    chosen, left, image = [], None, set()
    for _ in range(right):
        best, top = None, 0
        for place in places:
            if place not in chosen:
                rows = columns[place][0] if left is None else left & columns[place][0]
                score = len(rows) * len(image | images[place])
                if score > top:
                    best, top = place, score
        if best is None:
            return None
        chosen.append(best)
        left = columns[best][0] if left is None else left & columns[best][0]
        image = image | images[best]
    return chosen


def quotient(p, q):
    return str(Fraction(p, q))


def level_facts(frame, level, z, facts, size, remaining):
    """A level with its reach, and what the paper allows and asks for at c = 1."""
    sqrt_k = frame.steps ** 4 * 8 ** (frame.steps ** 2)
    sizes = [len(members) for members in z]
    allowed = 4 * sqrt_k * math.prod(sizes[:level - 1]) * math.prod(frame.queries)
    wanted = Fraction(math.prod(sizes[:level]) * math.prod(frame.queries[:level - 2]), 8 ** (frame.steps * (level - 1)))
    labels = (0, 1) if level == 2 else (level - 1,)
    return {**facts, "level": level, "r": remaining, "loss": quotient(frame.upper_size(level), size),
            "allowed": {"pow": [["2", str(allowed)]]}, "reach": str(len(frame.reach(z))), "wanted": str(wanted),
            "z": {str(j): [list(digits) for digits in z[j]] for j in labels}}


def listed_set(indices, size):
    if len(indices) <= LISTED:
        return {"list": [str(index) for index in indices]}
    bits = bytearray((size + 7) // 8)
    for index in indices:
        bits[index // 8] |= 1 << index % 8
    return {"bits": bits.hex()}


def replayed(frame, body):
    """The whole chain by runs, as the evidence has it."""
    x, tie = [int(text) for text in body["x"]], body["tie"]
    classes, size, zero, one = listed_base(frame, x, tie)
    z, levels, rows, facts = [zero, one], [], None, {}
    for level in range(2, frame.steps + 1):
        if level == 2:
            frame.limit(frame.upper_size(2) * len(frame.lower(z)), "runs on R x Z")
            start = list(enumerate(frame.uppers(2)))
        else:
            facts, members, start = rectangle(frame, level - 1, rows, z, x[level - 1])
            z.append(members)
        found, rows = split(frame, level, start, frame.lower(z), tie, body["one_shot"])
        if level == 2:
            leak = leaks(frame, rows[0][1], z)
        else:
            found["rectangle"] = facts
        remaining = listed_set([row[0] for row in rows], frame.upper_size(level))
        levels.append(level_facts(frame, level, z, found, len(rows), remaining))
    addresses = reached_addresses(frame, z)
    first = rows[0][1]
    others = (row[1] for row in rows if any(row[1][0][a] != first[0][a] for a in addresses))
    other = next(others, None)
    return finished(frame, body, "replay", (classes, size), levels, leak, len(rows), z,
                    None if other is None else (first, other))


def leaks(frame, upper, z):
    """The slots to -1 in epochs 0 and 1 whose symbols vary with z_1 on Z."""
    slots = [slot for slot in frame.game.active if slot.receiver == frame.game.output and slot.numbers[0] <= 1]
    said = {}
    for tail in frame.lower(z):
        symbols = frame.symbols(upper + tail, frame.rounds(1))
        for slot in slots:
            said.setdefault((slot.index, tail[1:]), set()).add(symbols[slot.index])
    return [slot.index for slot in slots if any(key[0] == slot.index and len(said[key]) > 1 for key in said)]


def reached_addresses(frame, z):
    m = frame.ranges[-2]
    return [row * m + value for row in range(frame.queries[-1]) for value in sorted(frame.reach(z))]


def finished(frame, body, mode, pattern, levels, leak, size, z, tables):
    """The final count and the pair."""
    reached, entries = len(reached_addresses(frame, z)), frame.queries[-1] * frame.ranges[-2]
    return {"mode": mode, "tie": body["tie"], "x": body["x"],
            "pattern": {"classes": str(pattern[0]), "size": str(pattern[1])}, "levels": levels, "leak": leak,
            "count": {"addresses": str(reached), "entries": str(entries), "values": str(frame.ranges[-1]),
                      "fires": size > frame.ranges[-1] ** (entries - reached)},
            "pair": tables and pair_of(frame, tables, z)}


def pair_of(frame, tables, z):
    for tail in frame.lower(z):
        left, right = (table + tail for table in tables)
        if no_common_answer(frame.game.task, left, right):
            views = [frame.view(side, frame.game.end) for side in (left, right)]
            labelled = [{player.label: list(digits) for player, digits in zip(frame.game.players, side)}
                        for side in (left, right)]
            return {"final": views[0] == views[1], "left": labelled[0], "right": labelled[1]}
    return None


# --- the chain by rules, for L = 2

def by_rules(frame, claim, body):
    if frame.steps != 2:
        raise SpecError("symbolic classes are for two steps")
    x, tie = [int(text) for text in body["x"]], body["tie"]
    classes, size, zero, one = rule_base(frame, claim, x, tie) or listed_base(frame, x, tie)
    z = [zero, one]
    lower = frame.lower(z)
    frame.limit(len(lower), "elements of Z")
    width, values = frame.player(2).width, frame.ranges[1]
    for whole in (region.Product(width, values), region.affine(width, values)):
        found = whole and refine(frame, claim, whole, lower, tie, body["one_shot"])
        if found:
            break
    else:
        raise SpecError("no symbolic classes")
    facts, left = found
    levels = [level_facts(frame, 2, z, facts, left.size(), left.written())]
    tables = left.differing(reached_addresses(frame, z))
    return finished(frame, body, "symbolic", (classes, size), levels, leaks(frame, (left.least(),), z), left.size(), z,
                    tables and tuple((table,) for table in tables))


def rule_base(frame, claim, x, tie):
    zero = [(a,) for a in range(min(x[0], frame.start))]
    whole, classes = region.Product(frame.player(1).width, frame.ranges[0]), 1
    slot = frame.game.by_name.get("soft 1->-1 @1")
    slot = None if slot is None or frame.game.slots[slot].alphabet < 2 else frame.game.slots[slot]
    if slot is not None:
        first, one = ((0,) * frame.player(label).width for label in (2, 1))
        rules = []
        for w in frame.game.players[-1].elements():
            inputs = (first, one, (0,), w)
            rules.append(region.own_rule(claim, slot, inputs, frame.symbols(inputs, slot.round)))
        part = None if None in rules else whole.split(rules, tie)
        if part is None:
            return None
        classes, _, whole, _ = part
    chosen = whole.covering(len(zero), x[1])
    return classes, whole.size(), zero, chosen


def refine(frame, claim, whole, lower, tie, one_shot):
    left, sizes, numbers, fixed, everything, uniform = whole, [whole.size()], [], [], [], True
    for slot in frame.crossing(2):
        rules = []
        for tail in lower:
            inputs = (left.least(),) + tail
            rules.append(region.own_rule(claim, slot, inputs, frame.symbols(inputs, slot.round)))
        part = None if None in rules else left.split(rules, tie)
        if part is None:
            return None
        number, key, left, same = part
        uniform = uniform and same
        sizes.append(left.size())
        numbers.append(number)
        fixed.append({"key": [str(s) for s in key], "slot": slot.index})
        everything += rules
    joint = whole.split(everything, "least")
    if joint is None or (one_shot and not uniform):
        return None
    if one_shot:
        sizes, numbers = [whole.size(), left.size()], [joint[0]]
    return {"fixed": fixed, "sizes": [str(n) for n in sizes], "classes": [str(n) for n in numbers],
            "joint": {"classes": str(joint[0]), "largest": str(joint[2].size())}}, left


# --- the check

class Check:
    def __init__(self, claim, body, at):
        self.claim, self.body, self.at, self.stated = claim, body, at, claim.body
        self.frame = Frame(claim)

    def wrong(self, at, code, found="", expected=""):
        raise Rejection(self.at + at, code, found, expected)

    def parameters(self):
        x, steps = [int(text) for text in self.stated["x"]], self.frame.steps
        if len(x) != steps or 0 in x:
            raise Rejection("/statement/decomposition/x", "malformed", x, "%d sizes of at least 1" % steps)
        for key in ("x", "tie"):
            if self.body[key] != self.stated[key]:
                self.wrong("/" + key, "coverage", self.body[key], self.stated[key])
        levels = [level["level"] for level in self.body["levels"]]
        if levels != list(range(2, steps + 1)):
            self.wrong("/levels", "coverage", levels, list(range(2, steps + 1)))

    def sets(self):
        """Every set lies in its domain, and Inv holds on R x Z, run by run."""
        z = []
        for number, level in enumerate(self.body["levels"]):
            at = "/levels/%d" % number
            labels = ["0", "1"] if level["level"] == 2 else [str(level["level"] - 1)]
            if sorted(level["z"]) != labels:
                self.wrong(at + "/z", "coverage", sorted(level["z"]), labels)
            for label in labels:
                player, members = self.frame.player(int(label)), level["z"][label]
                for place, digits in enumerate(members):
                    self.claim.element(player, digits, "%s%s/z/%s/%d" % (self.at, at, label, place))
                if not members:
                    self.wrong("%s/z/%s" % (at, label), "coverage", "nothing", "at least one element")
                z.append([tuple(digits) for digits in members])
            listed = next(iter(level["r"])) in ("list", "bits")
            if listed != (self.body["mode"] == "replay"):
                self.wrong(at + "/r", "coverage", next(iter(level["r"])), "a set of mode " + self.body["mode"])
            if listed:
                self.invariant(level, at, z)

    def invariant(self, level, at, z):
        frame, l = self.frame, level["level"]
        size, elements = frame.upper_size(l), elements_of(level["r"])
        if elements and elements[-1] >= size:
            self.wrong(at + "/r", "domain", elements[-1], "an index below %d" % size)
        if "bits" in level["r"] and len(level["r"]["bits"]) != 2 * ((size + 7) // 8):
            self.wrong(at + "/r/bits", "domain", len(level["r"]["bits"]), "%d bits" % size)
        slots = [slot.index for slot in frame.crossing(l)]
        if [entry["slot"] for entry in level["fixed"]] != slots:
            self.wrong(at + "/fixed", "coverage", [entry["slot"] for entry in level["fixed"]], slots)
        count = math.prod([len(members) for members in z]) * math.prod(frame.queries)
        self.claim.limit(count * len(elements), "runs on R x Z")
        lower = frame.lower(z)
        keys = [[int(text) for text in entry["key"]] for entry in level["fixed"]]
        for place, key in enumerate(keys):
            if len(key) != len(lower):
                self.wrong("%s/fixed/%d/key" % (at, place), "coverage", "%d symbols" % len(key), len(lower))
        rounds = frame.rounds(l)
        for index in elements:
            upper = frame.tuple(l, index)
            for column, tail in enumerate(lower):
                said = frame.symbols(upper + tail, rounds)
                for place, (slot, key) in enumerate(zip(slots, keys)):
                    if said[slot] != key[column]:
                        self.wrong("%s/fixed/%d/key/%d" % (at, place, column), "not-constant",
                                   "%d on tuple %d" % (said[slot], index), key[column])

    def pair(self):
        pair = self.body["pair"]
        if pair is None or not pair["final"]:
            return
        sides = []
        for key in ("left", "right"):
            labels = [player.label for player in self.frame.game.players]
            digits = lambda value: isinstance(value, list) and all(type(d) is int and d >= 0 for d in value)
            if not isinstance(pair[key], dict) or not all(digits(pair[key].get(label)) for label in labels):
                self.wrong("/pair/" + key, "domain", pair[key], "one input per player")
            sides.append([pair[key][label] for label in labels])
        inputs = []
        for key, side in zip(("left", "right"), sides):
            inputs.append(tuple(self.claim.element(player, digits, "%s/pair/%s/%s" % (self.at, key, player.label))
                                for player, digits in zip(self.frame.game.players, side)))
        game = self.frame.game
        views = [final_view(game, side, self.claim.runner.run(side)) for side in inputs]
        if views[0] != views[1]:
            self.wrong("/pair/right", "view-differs", "another view", "the view on the left")
        if not no_common_answer(game.task, *inputs):
            self.wrong("/pair", "common-answer", "a common answer", "no answer accepted on both")


def elements_of(r):
    if "list" in r:
        return [int(text) for text in r["list"]]
    data = bytes.fromhex(r["bits"])
    return [8 * place + bit for place, byte in enumerate(data) for bit in range(8) if byte >> bit & 1]


def difference(at, found, expected):
    """The first place, keys in order, where two values differ; lists of different lengths differ as a whole."""
    if isinstance(found, dict) and isinstance(expected, dict) and sorted(found) == sorted(expected):
        pairs = [(key, found[key], expected[key]) for key in sorted(found)]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = [(place, a, b) for place, (a, b) in enumerate(zip(found, expected))]
    else:
        same = type(found) is type(expected) and found == expected
        return None if same else (at, found, expected)
    for key, a, b in pairs:
        place = difference("%s/%s" % (at, key), a, b)
        if place:
            return place
    return None


def code_at(at):
    parts = at.split("/") + [""] * 4
    if parts[1] == "count":
        return "bound"
    if parts[1] == "pattern" or parts[1] == "levels" and parts[3] in ("sizes", "classes", "joint", "loss",
                                                                      "rectangle"):
        return "size"
    if parts[1] == "levels" and parts[3] in ("reach", "wanted"):
        return "reach"
    if parts[1] == "levels" and parts[3] == "allowed":
        return "arithmetic"
    if parts[1] == "levels" and parts[3] == "fixed":
        return "not-constant"
    return "coverage"


def results(right):
    """The names that `holds` uses."""
    names = {"t": int(right["count"]["addresses"]), "N": int(right["count"]["entries"]),
             "fires": right["count"]["fires"], "leak": bool(right["leak"]),
             "pair": right["pair"] is not None and right["pair"]["final"]}
    for level in right["levels"]:
        names["R%d" % level["level"]] = int(level["sizes"][-1])
        names["reach%d" % (level["level"] - 1)] = int(level["reach"])
        names["loss%d" % level["level"]] = simplify(Fraction(level["loss"]))
    return names


def first_false(holds, names):
    for number, text in enumerate(holds):
        try:
            code = need(compile_node(Parser(text).whole(), Scope(names, ExactOps)), "bool")
            value = code.run(Env())
        except SpecError as error:
            raise Rejection("/statement/decomposition/holds/%d" % number, "malformed", str(error),
                            "a comparison of results") from None
        if not value:
            return text
    return None


def check_decomposition(claim, body, at):
    if claim.game.family != "hybrid" or claim.game.task.tag != "composition" or claim.game.parameters["steps"] < 2:
        raise Rejection("/evidence", "kind-mismatch", "another game", "a hybrid game of composition")
    check = Check(claim, body, at)
    check.parameters()
    check.sets()
    check.pair()
    stated = {**claim.body, "x": body["x"], "tie": body["tie"]}
    try:
        right = (replayed(check.frame, stated) if body["mode"] == "replay"
                 else by_rules(check.frame, claim, stated))
    except SpecError as error:
        raise Rejection(at, "replay", str(error)) from None
    place = difference("", body, right)
    if place:
        raise Rejection(at + place[0], code_at(place[0]), place[1], place[2])
    failing = first_false(claim.body["holds"], results(right))
    if (failing is None) != (claim.verdict == "established"):
        raise Rejection(at, "bound", failing or "every comparison holds", "what makes the claim " + claim.verdict)
    sizes = ["R%d = %s" % (level["level"], short(level["sizes"][-1])) for level in right["levels"]]
    return "decomposition (%s): %s" % (body["mode"], ", ".join(sizes))


CHECKS["decomposition"] = check_decomposition
