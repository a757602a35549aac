"""Names of slots, patterns, loops (files 1)."""

import itertools
import re

from .limits import MAX_BITS, MAX_SLOTS
from .outcome import NotChecked, SpecError, short
from .canonical import is_decimal
from .expression import Env, Parser, Scope, compile_node, constant_integer, is_name, need, substitute


LABEL = r"-?[0-9]+|[A-Za-z][A-Za-z0-9_]*"
CHANNELS = {"soft": "soft", "lin": "linear", "summary": "summary", "selection": "selection", "read": "read",
            "free": "free"}
SLOT_NAME = re.compile(r"(%s) (%s)->(%s)(?: @([0-9]+(?:\.[0-9]+)*))?" % ("|".join(CHANNELS), LABEL, LABEL))


def parse_slot_name(text):
    """(kind, from, to, index list or None) of a slot name."""
    match = SLOT_NAME.fullmatch(text)
    if not match:
        raise SpecError("found `%s`, expected a slot like `soft A->B` or `lin A->B @1`" % short(text))
    index = [int(part) for part in match.group(4).split(".")] if match.group(4) else None
    return match.group(1), match.group(2), match.group(3), index


def slot_name(kind, sender, receiver, index):
    return "%s %s->%s @%s" % (kind, sender, receiver, ".".join(map(str, index)))


def match_pattern(pattern, slot, constants):
    """(number of wildcards, bindings) if the pattern matches the slot, else None."""
    kind, edge, index = split_pattern(pattern)
    bindings, wildcards = {}, 0
    if kind == "*":
        wildcards += 1
    elif CHANNELS[kind] != slot.channel:
        return None
    parts = []
    if edge == "*":
        wildcards += 2
    else:
        sender, receiver = edge.split("->")
        parts += [(sender, slot.sender_label), (receiver, slot.receiver_label)]
    if index == "*":
        wildcards += 1
    else:
        pieces = split_index(index)
        if len(pieces) != len(slot.numbers):
            return None
        parts += [(piece, str(number)) for piece, number in zip(pieces, slot.numbers)]
    for piece, text in parts:
        cost = match_part(piece, text, bindings, constants)
        if cost is None:
            return None
        wildcards += cost
    return wildcards, bindings


def split_pattern(pattern):
    """(kind, edge, index) of a pattern; no `@` means `@*`."""
    word = r"(?:[A-Za-z0-9_\-]*\{[^{}]*\}|\*|%s)" % LABEL
    piece = r"(?:\{[^{}]*\}|\*|[0-9]+)"
    match = re.fullmatch(r"(\*|%s) (\*|%s->%s)(?: @(%s(?:\.%s)*))?"
                         % ("|".join(CHANNELS), word, word, piece, piece), pattern)
    if not match:
        raise SpecError("`%s` is not a slot pattern" % short(pattern))
    return match.group(1), match.group(2), match.group(3) or "*"


def split_index(index):
    return re.findall(r"\{[^{}]*\}|\*|[0-9]+", index)


def match_part(piece, text, bindings, constants):
    """Wildcards used (0 or 1) if one part of a pattern matches, else None; may add a binding."""
    if piece == "*":
        return 1
    if "{" not in piece:
        return 0 if (piece == text or (piece.isdigit() and text.isdigit() and int(piece) == int(text))) else None
    prefix, inner = piece[:piece.index("{")], piece[piece.index("{") + 1:-1].strip()
    if not text.startswith(prefix) or not is_decimal(text[len(prefix):]):
        return None
    number = int(text[len(prefix):])
    if is_name(inner) and inner not in bindings and inner not in constants:
        bindings[inner] = number
        return 1
    return 0 if constant_integer(inner, {**constants, **bindings}) == number else None


def resolve_patterns(patterns, game, constants, allow_unused=False):
    """{slot index: (pattern, bindings)}: the pattern with the fewest wildcards wins, a tie is an error, and so is a
    pattern that matches no slot."""
    best, ties, used = {}, {}, set()
    if len(patterns) * len(game.slots) > 4 * MAX_SLOTS:
        raise NotChecked("too many patterns and slots")
    for pattern in sorted(patterns):
        for slot in game.slots:
            found = match_pattern(pattern, slot, constants)
            if found is None:
                continue
            used.add(pattern)
            if slot.index not in best or found[0] < best[slot.index][0]:
                best[slot.index] = (found[0], pattern, found[1])
                ties.pop(slot.index, None)
            elif found[0] == best[slot.index][0]:
                ties[slot.index] = pattern
    for index, pattern in ties.items():
        raise SpecError("`%s` and `%s` both match %s" % (best[index][1], pattern, game.slots[index].name))
    for pattern in patterns:
        split_pattern(pattern)
        if pattern not in used and not allow_unused:
            raise SpecError("pattern `%s` matches no slot of this game" % short(pattern))
    return {index: (pattern, bindings) for index, (_, pattern, bindings) in best.items()}


def loop_points(text, constants, limit=MAX_BITS):
    """The points of `for = "j in 0..L, i in -1..<j"` as dictionaries, in lexicographic order."""
    parser = Parser(substitute(text, constants))
    binds = parser.binds()
    if parser.peek()[0] != "end":
        raise SpecError("found %s, expected the end in %s" % (short(parser.peek()[1]), short(text)))
    for name, _, _, _ in binds:
        if name in constants:
            raise SpecError("`%s` already has a meaning here" % name)
    if len({bind[0] for bind in binds}) < len(binds):
        raise SpecError("a variable twice in %s" % short(text))

    steps = itertools.count()

    def points(depth, point):
        if depth == len(binds):
            yield dict(point)
            return
        name, low, high, exclusive = binds[depth]
        scope = Scope({**constants, **point})
        ends = [need(compile_node(node, scope), "int").run(Env()) for node in (low, high)]
        for value in range(ends[0], ends[1] + (0 if exclusive else 1)):
            if next(steps) > limit:
                raise NotChecked("a loop of more than %d steps" % limit)
            yield from points(depth + 1, {**point, name: value})
    return points(0, {})


def bounded_points(loop, constants):
    """The points of a loop in a game file, at most 2^20 of them; without a loop one empty point."""
    if loop is None:
        return [{}]
    if not isinstance(loop, str):
        raise SpecError("`for` is not a text")
    points = list(itertools.islice(loop_points(loop, constants, 2 * MAX_SLOTS), MAX_SLOTS + 1))
    if len(points) > MAX_SLOTS:
        raise SpecError("a loop of more than 2^20 points")
    return points
