"""Pointer recursions that are said to compute k-hop (docs/khop.md)."""

import itertools

from .outcome import NotChecked, Rejection, SpecError
from .canonical import decimal_value
from .shape import STATEMENT_SHAPES, as_object, as_symbol, as_text
from .expression import Env, Parser, Scope, compile_node, is_name, need
from .pattern import loop_points
from .enumeration import check_enumeration
from .kinds import STATEMENT_CHECKS

MAX_POINTS, MAX_LAYERS, MAX_LENGTH, MAX_SYMBOLS, MAX_REGISTER = 2 ** 10, 2 ** 10, 64, 64, 2 ** 63
START = ("self", "find1", "strict1", "last")


def shape_texts(value, at):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object")
    for name in sorted(value):
        as_text(value[name], at + "/" + name)


def shape_size(value, at, most):
    as_symbol(value, at)
    if not 1 <= decimal_value(value) <= most:
        raise Rejection(at, "domain", value, "1 to %d" % most)


def shape_recursion(body, at):
    as_object(body, at, ("for", "hops", "layer", "length", "output", "start", "symbols"))
    as_object(body["layer"], at + "/layer", ("for", "look", "set"))
    for key in ("for", "hops", "output"):
        as_text(body[key], at + "/" + key)
    for key in ("for", "look"):
        as_text(body["layer"][key], at + "/layer/" + key)
    shape_texts(body["start"], at + "/start")
    shape_texts(body["layer"]["set"], at + "/layer/set")
    shape_size(body["symbols"], at + "/symbols", MAX_SYMBOLS)
    shape_size(body["length"], at + "/length", MAX_LENGTH)


STATEMENT_SHAPES["recursion"] = shape_recursion


def finds(word, strict):
    """find^1 of every position; entry 0 is 0."""
    found = [0]
    for i in range(1, len(word) + 1):
        last = i - 1 if strict else i
        found.append(max((j for j in range(2, last + 1) if word[j - 2] == word[i - 1]), default=0))
    return found


def hop(word, symbols, k, find1):
    """hop_k at every position."""
    said = []
    for i in range(1, len(word) + 1):
        at = i
        for _ in range(k):
            if find1[at] == at:
                break
            at = find1[at]
        said.append(word[at - 1] if at else symbols)
    return said


def renamed(node):
    """`there.x` as one name."""
    if isinstance(node, tuple):
        if node[:2] == ("field", "there"):
            return ("name", "there." + node[2])
        return tuple(renamed(part) for part in node)
    return [renamed(part) for part in node] if isinstance(node, list) else node


def register_code(text, constants, names):
    """An index into the variables, or a compiled expression."""
    node = renamed(Parser(text).whole())
    scope = Scope(constants, fields={name: [("", 0, i, None)] for i, name in enumerate(names)})
    code = need(compile_node(node, scope), "int")
    while node[0] == "if":
        condition = need(compile_node(node[1], scope), "bool")
        if condition.open:
            break
        node = node[2] if condition.run(Env()) else node[3]
    if node[0] == "name" and node[1] in names:
        return names.index(node[1])
    return code


def value_of(code, variables):
    if isinstance(code, int):
        return variables[code]
    value = code.run(Env((variables,)))
    if not -MAX_REGISTER <= value < MAX_REGISTER:
        raise SpecError("a register outside -2^63..2^63")
    return value


class Machine:
    """The machine at one point."""

    def __init__(self, body, point):
        self.symbols = decimal_value(body["symbols"])
        names = sorted(body["start"])
        for name in names:
            if name in point or name == "there" or not is_name(name):
                raise SpecError("`%s` cannot be the name of a register" % name)
        layer = body["layer"]
        for name in (*layer["set"], layer["look"], body["output"]):
            if name not in names:
                raise SpecError("unknown register `%s`" % name)
        self.start = [register_code(body["start"][name], point, list(START)) for name in names]
        hops = need(compile_node(Parser(body["hops"]).whole(), Scope(point)), "int")
        if hops.open:
            raise SpecError("hops that are not constant")
        self.hops = hops.run(Env())
        if not 0 <= self.hops < 2 ** 64:
            raise SpecError("%d hops" % self.hops)
        both = names + ["there." + name for name in names]
        steps = list(itertools.islice(loop_points(layer["for"], point, 4 * MAX_LAYERS), MAX_LAYERS + 1))
        if len(steps) > MAX_LAYERS:
            raise SpecError("more than %d layers" % MAX_LAYERS)
        self.layers = [[register_code(layer["set"].get(name, name), {**point, **step}, both) for name in names]
                       for step in steps]
        self.look, self.output, self.width = names.index(layer["look"]), names.index(body["output"]), len(names)

    def outputs(self, word, find1, strict1):
        n = len(word)
        last = [0] + [max((j for j in range(1, i) if word[j - 1] == word[i - 1]), default=0) for i in range(1, n + 1)]
        state = [[0] * self.width]
        for i in range(1, n + 1):
            known = [i, find1[i], strict1[i], last[i]]
            state.append([value_of(code, known) for code in self.start])
        for layer in self.layers:
            after = [state[0]]
            for own in state[1:]:
                both = own + state[self.place(own[self.look], n)]
                after.append([value_of(code, both) for code in layer])
            state = after
        places = [self.place(own[self.output], n) for own in state[1:]]
        return [word[place - 1] if place else self.symbols for place in places]

    @staticmethod
    def place(value, n):
        if not 0 <= value <= n:
            raise SpecError("%d is no position of %d" % (value, n))
        return value

    def compare(self, word):
        find1, strict1 = finds(word, False), finds(word, True)
        return self.outputs(word, find1, strict1), hop(word, self.symbols, self.hops, find1)


def machines(body):
    points = list(itertools.islice(loop_points(body["for"], {}, 4 * MAX_POINTS), MAX_POINTS + 1))
    if len(points) > MAX_POINTS:
        raise SpecError("more than %d points" % MAX_POINTS)
    if any("k" not in point for point in points):
        raise SpecError("no variable k")
    return [(point, Machine(body, point)) for point in points]


def words(symbols, length):
    for n in range(1, length + 1):
        yield from itertools.product(range(symbols), repeat=n)


def check_recursion(claim):
    body, at = claim.body, claim.evidence[0][2]
    symbols, length = decimal_value(body["symbols"]), decimal_value(body["length"])
    try:
        found = machines(body)
    except SpecError as error:
        raise Rejection("/statement/recursion", "malformed", str(error), "a machine that can be run") from None
    kinds = [tag for tag, _, _ in claim.evidence]
    if claim.verdict == "established":
        if kinds != ["enumeration"]:
            raise Rejection("/evidence", "kind-mismatch", " ".join(kinds[:3]), "one enumeration")
        return check_all(claim, found, symbols, length, at)
    if kinds != ["counterexample"]:
        raise Rejection("/evidence", "kind-mismatch", " ".join(kinds[:3]), "one counterexample")
    claim.expect_no_files()
    return check_departure(claim, found, symbols, length, at)


def check_all(claim, found, symbols, length, at):
    inputs = sum(symbols ** n for n in range(1, length + 1))
    if inputs * len(found) > claim.max_inputs:
        raise NotChecked("%d runs" % (inputs * len(found)))

    def rerun():
        for point, machine in found:
            for word in words(symbols, length):
                said, right = machine.compare(word)
                if said != right:
                    raise Rejection("/verdict", "bound", "a departure at %s on %s" % (point, list(word)), "no departure")
                yield ("[%s]" % ",".join(map(str, said))).encode("ascii")
        return {}
    try:
        check_enumeration(claim, claim.evidence[0][1], at, "recursion-v1", [inputs * len(found)], rerun)
    except SpecError as error:
        raise Rejection("/statement/recursion/look", "malformed", str(error), "a machine that can be run") from None
    return "enumeration: right at every position of %d inputs, %d points" % (inputs, len(found))


def check_departure(claim, found, symbols, length, at):
    body = claim.evidence[0][1]
    given, answer = body["input"], decimal_value(body["answer"])
    word, position = given.get("input"), given.get("position")
    if not word or len(word) > length or max(word) >= symbols:
        raise Rejection(at + "/input/input", "domain", word, "an input of the statement")
    if position is None or len(position) != 1 or not 1 <= position[0] <= len(word):
        raise Rejection(at + "/input/position", "domain", position, "a position of the input")
    point = {name: digits for name, digits in given.items() if name not in ("input", "position")}
    machine = next((m for p, m in found if {name: [value] for name, value in p.items()} == point), None)
    if machine is None:
        raise Rejection(at + "/input/k", "domain", point, "a point of `for`")
    try:
        said, right = machine.compare(tuple(word))
    except SpecError as error:
        raise Rejection(at + "/input", "replay", str(error), "a run of the machine") from None
    place = position[0] - 1
    if said[place] != answer:
        raise Rejection(at + "/answer", "replay", body["answer"], str(said[place]))
    if said[place] == right[place]:
        raise Rejection(at + "/answer", "accepted", body["answer"], "a wrong answer")
    return "counterexample: the machine says %d, hop_%d is %d" % (answer, machine.hops, right[place])


STATEMENT_CHECKS["recursion"] = check_recursion
