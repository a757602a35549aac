"""Depth of protocol trees of a matrix (docs/matrix.md)."""

from .outcome import NotChecked, Rejection
from .canonical import decimal_value
from .shape import (
    EVIDENCE_SHAPES, STATEMENT_SHAPES, as_count, as_list, as_number, as_object, as_symbol, as_text, shape_counts,
    shape_digits, shape_fields)
from .kinds import STATEMENT_CHECKS


PRIME = 2 ** 61 - 1
MAX_CELLS = 2 ** 22         # entries of the matrix of a game
MAX_SIDE = 20               # rows or columns of a rectangle whose splits are tried
MAX_PARTS = 2 ** 26         # parts of all splits of a table, and steps of an exhaustion by rounds
MAX_PARTS_HERE = 2 ** 18    # the same, in this program
MAX_ENTRIES = 16            # entries of matrices of which all are enumerated
TAGS = ("tree", "fooling_set", "minor", "exhausted", "round_exhausted", "depth_histogram")


# Shape.

def shape_matrix(body, at):
    if isinstance(body, dict) and "all" in body:
        shape_fields(body, at, {"all": as_all, "histogram": shape_counts})
        return
    as_object(body, at, (), ("at_least", "at_most", "equals", "rounds", "rows"))
    given = [key for key in ("equals", "at_least", "at_most") if key in body]
    if len(given) != 1:
        raise Rejection(at, "malformed", given, "exactly one of equals, at_least, at_most")
    if "rounds" in body:
        as_symbol(body["rounds"], at + "/rounds")
        if body["rounds"] == "0":
            raise Rejection(at + "/rounds", "malformed", "0", "at least 1")
    if "rows" in body:
        read_rows(body["rows"], at + "/rows")
    as_count(body[given[0]], at + "/" + given[0])


def as_all(value, at):
    as_list(value, at, as_symbol)
    if len(value) != 2:
        raise Rejection(at, "malformed", value, "[rows, columns]")


def read_rows(texts, at):
    """Rows of digits, or of numbers separated by single blanks when some number has two digits."""
    as_list(texts, at, as_text)
    if not texts:
        raise Rejection(at, "malformed", "no rows", "rows")
    spaced = any(" " in text or "\t" in text for text in texts)
    rows = []
    for i, text in enumerate(texts):
        words = text.split() if spaced else list(text)
        if not words or len(words) != len(rows[0] if rows else words) or any(
                not (word.isascii() and word.isdigit() and int(word) < 2 ** 63) for word in words):
            raise Rejection("%s/%d" % (at, i), "malformed", text, "a row of the matrix")
        rows.append([int(word) for word in words])
    blank = "" if all(entry < 10 for row in rows for entry in row) else " "
    for i, row in enumerate(rows):
        right = blank.join(map(str, row)) + (blank if len(row) == 1 else "")
        if right != texts[i]:
            raise Rejection("%s/%d" % (at, i), "malformed", texts[i], right)
    return rows


def shape_node(value, at):
    if isinstance(value, dict) and "leaf" in value:
        shape_fields(value, at, {"leaf": as_symbol})
        return
    speaker = "bob" if isinstance(value, dict) and "alice" not in value and "bob" in value else "alice"
    shape_fields(value, at, {speaker: shape_digits, "next": shape_pair})


def shape_pair(value, at):
    shape_digits(value, at)
    if len(value) != 2:
        raise Rejection(at, "malformed", value, "two numbers")


def shape_sides(value, at):
    as_list(value, at, shape_digits)
    if len(value) != 2:
        raise Rejection(at, "malformed", value, "[rows, columns]")


def list_of(item):
    return lambda value, at: as_list(value, at, item)


def shape_depth(value, at):
    if value is not None:
        as_number(value, at)


STATEMENT_SHAPES["matrix"] = shape_matrix
EVIDENCE_SHAPES.update({
    "tree": ({"nodes": list_of(shape_node)}, {}),
    "fooling_set": ({"sets": list_of(list_of(shape_pair))}, {}),
    "minor": ({"minors": list_of(lambda value, at: shape_fields(
        value, at, {"columns": shape_digits, "rows": shape_digits}))}, {}),
    "exhausted": ({"levels": list_of(list_of(shape_sides))}, {}),
    "round_exhausted": ({"depth": shape_depth}, {}),
    "depth_histogram": ({"counts": shape_counts}, {}),
})


# Matrices.

def matrix_of(claim):
    if "rows" in claim.body:
        return read_rows(claim.body["rows"], claim.at + "/rows")
    game = claim.game
    open_players = [p for p, player in enumerate(game.players) if player.size >= 2]
    if len(open_players) != 2:
        raise Rejection("/spec", "malformed", "%d players with inputs" % len(open_players), "two")
    size = game.total()
    claim.limit(size, "entries")
    if size > MAX_CELLS:
        raise NotChecked("%d entries" % size)
    entries = []
    for inputs in game.inputs():
        accepted = game.task.accepted(inputs)
        accepted = None if accepted is None else list(accepted)
        if accepted is None or len(accepted) != 1:
            raise Rejection("/spec", "malformed", "not one answer", "a function of two players")
        entries.append(accepted[0])
    width = game.players[open_players[1]].size
    return [entries[i:i + width] for i in range(0, size, width)]


def distinct(lines):
    """The first of each class of equal lines."""
    seen, kept = set(), []
    for i, line in enumerate(lines):
        key = tuple(line)
        if key not in seen:
            seen.add(key)
            kept.append(i)
    return kept


def bits(count):
    return (count - 1).bit_length() if count > 1 else 0


def increasing(indices, limit, at):
    for i in range(1, len(indices)):
        if indices[i - 1] >= indices[i]:
            raise Rejection("%s/%d" % (at, i), "coverage", indices, "increasing indices")
    if indices and indices[-1] >= limit:
        raise Rejection(at, "coverage", indices[-1], "an index below %d" % limit)


def rank(lines):
    """Rank modulo PRIME of rows of numbers."""
    lines, found = [list(line) for line in lines], 0
    for column in range(len(lines[0]) if lines else 0):
        pivot = next((i for i in range(found, len(lines)) if lines[i][column]), None)
        if pivot is None:
            continue
        lines[found], lines[pivot] = lines[pivot], lines[found]
        top = lines[found]
        inverse = pow(top[column], -1, PRIME)
        for i in range(found + 1, len(lines)):
            if lines[i][column]:
                factor = lines[i][column] * inverse % PRIME
                lines[i] = [(a - factor * b) % PRIME for a, b in zip(lines[i], top)]
        found += 1
    return found


def leaves_by_rank(matrix, rows, columns):
    entries = [[matrix[i][j] for j in columns] for i in rows]
    values = {entry for line in entries for entry in line}
    return sum(rank([[int(entry == value) for entry in line] for line in entries]) for value in values)


# Evidence.

def check_tree(claim, matrix, body, at):
    """Depth; every node once, every bit varies, every leaf of one value."""
    nodes = body["nodes"]
    used, depth, rounds = set(), 0, 0
    stack = [(0, list(range(len(matrix))), list(range(len(matrix[0]))), 0, 0, None)]
    while stack:
        index, rows, columns, level, turns, last = stack.pop()
        here = "%s/nodes/%d" % (at, index)
        if index >= len(nodes) or index in used:
            raise Rejection(here, "coverage", "a node that does not exist, or a second time", "every node once")
        used.add(index)
        node = nodes[index]
        if "leaf" in node:
            value = decimal_value(node["leaf"])
            if any(matrix[i][j] != value for i in rows for j in columns):
                raise Rejection(here + "/leaf", "not-constant", "another entry", node["leaf"])
            depth, rounds = max(depth, level), max(rounds, turns)
            continue
        if any(child <= index for child in node["next"]):
            raise Rejection(here + "/next", "coverage", node["next"], "later nodes")
        speaker = "alice" if "alice" in node else "bob"
        own, ones = (rows if speaker == "alice" else columns), node[speaker]
        increasing(ones, float("inf"), here + "/" + speaker)
        chosen = set(ones)
        if not chosen <= set(own) or not 0 < len(chosen) < len(own):
            raise Rejection(here + "/" + speaker, "coverage", ones, "some of the inputs that come here, not all")
        turns += speaker != last
        zeros = [i for i in own if i not in chosen]
        for child, part in zip(reversed(node["next"]), (ones, zeros)):
            stack.append((child, part, columns, level + 1, turns, speaker) if speaker == "alice"
                         else (child, rows, part, level + 1, turns, speaker))
    if len(used) < len(nodes):
        raise Rejection(at + "/nodes", "coverage", "a node that no input reaches", "every node once")
    if "rounds" in claim.body and rounds > decimal_value(claim.body["rounds"]):
        raise Rejection(at, "bound", "%d rounds" % rounds, "at most " + claim.body["rounds"])
    return depth


def one_each(matrix, found, at):
    values = sorted({entry for row in matrix for entry in row})
    if len(found) != len(values):
        raise Rejection(at, "size", len(found), "%d, one for each value" % len(values))
    return zip(values, found)


def check_minor(matrix, body, at):
    leaves = 0
    for i, (value, minor) in enumerate(one_each(matrix, body["minors"], at + "/minors")):
        here = "%s/minors/%d" % (at, i)
        rows, columns = minor["rows"], minor["columns"]
        if len(rows) != len(columns) or not rows:
            raise Rejection(here, "size", "%d rows and %d columns" % (len(rows), len(columns)), "a square")
        increasing(rows, len(matrix), here + "/rows")
        increasing(columns, len(matrix[0]), here + "/columns")
        if rank([[int(matrix[r][c] == value) for c in columns] for r in rows]) != len(rows):
            raise Rejection(here, "bound", "a singular matrix", "rank %d" % len(rows))
        leaves += len(rows)
    return leaves


def check_fooling_set(matrix, body, at):
    leaves = 0
    for i, (value, entries) in enumerate(one_each(matrix, body["sets"], at + "/sets")):
        if not entries:
            raise Rejection("%s/sets/%d" % (at, i), "size", "no entry", "at least one")
        for j, (r, c) in enumerate(entries):
            here = "%s/sets/%d/%d" % (at, i, j)
            if (j and entries[j - 1] >= [r, c]) or r >= len(matrix) or c >= len(matrix[0]):
                raise Rejection(here, "coverage", [r, c], "entries of the matrix, increasing")
            if matrix[r][c] != value:
                raise Rejection(here, "not-constant", matrix[r][c], value)
            for p, q in entries[:j]:
                if matrix[p][c] == value and matrix[r][q] == value:
                    raise Rejection(here, "bound", "a rectangle with entry (%d, %d)" % (p, q), "a broken crossing")
        leaves += len(entries)
    return leaves


def check_exhausted(matrix, body, at):
    """Every listed rectangle is hard at its level, and the whole matrix at their number; the refuted depth."""
    levels, left = body["levels"], [MAX_PARTS]
    for level, rectangles in enumerate(levels):
        for i, (rows, columns) in enumerate(rectangles):
            here = "%s/levels/%d/%d" % (at, level, i)
            if not rows or not columns:
                raise Rejection(here, "size", "no entries", "a rectangle")
            increasing(rows, len(matrix), here + "/0")
            increasing(columns, len(matrix[0]), here + "/1")
            check_hard(matrix, levels, (rows, columns), level, left, here)
    whole = distinct(matrix), distinct(zip(*matrix))
    check_hard(matrix, levels, whole, len(levels), left, at + "/levels")
    return len(levels)


def check_hard(matrix, levels, rectangle, level, left, at):
    """More than 2^level leaves by rank, or every split of either side has a part that is hard at level - 1."""
    rows, columns = rectangle
    leaves = leaves_by_rank(matrix, rows, columns)
    if leaves > 2 ** level:
        return
    if level == 0 or leaves < 2:
        raise Rejection(at, "bound", "at most %d leaves by rank" % 2 ** level, "a rectangle that needs more bits")
    parts = 2 ** len(rows) + 2 ** len(columns)
    if max(len(rows), len(columns)) > MAX_SIDE or parts > left[0]:
        raise NotChecked("%d rows and %d columns: too many splits" % (len(rows), len(columns)))
    left[0] -= parts
    if MAX_PARTS - left[0] > MAX_PARTS_HERE:
        raise NotChecked("more than %d parts of splits" % MAX_PARTS_HERE)
    below = level - 1
    inside = [(set(r), set(c)) for r, c in levels[below] if set(r) <= set(rows) and set(c) <= set(columns)]
    for which, side in enumerate((rows, columns)):
        edges = [sum(1 << place for place, i in enumerate(side) if i in listed[which]) for listed in inside]
        everything = 2 ** len(side) - 1
        for mask in range(2, everything + 1, 2):
            halves = (mask, everything ^ mask)
            if any(edge & ~half == 0 for edge in edges for half in halves):
                continue
            lists = [[i for place, i in enumerate(side) if half >> place & 1] for half in halves]
            if not any(leaves_by_rank(matrix, *((part, columns) if which == 0 else (rows, part))) > 2 ** below
                       for part in lists):
                raise Rejection(at, "bound", "a split into parts that may be decided", "no such split")


def least_depth(matrix, rounds):
    """The least depth of trees of at most so many rounds, by exhaustion; None if there is none."""
    rows, columns = distinct(matrix), distinct(zip(*matrix))
    r, c = len(rows), len(columns)
    if (3 ** r * 2 ** c + 3 ** c * 2 ** r) * 2 * rounds > MAX_PARTS:
        raise NotChecked("%d rows and %d columns: too many splits" % (r, c))
    cells = [[matrix[i][j] for j in columns] for i in rows]
    known = {}

    def depth(a, b, speaker, changes):
        key = a, b, speaker, changes
        if key not in known:
            values = {cells[i][j] for i in range(r) if a >> i & 1 for j in range(c) if b >> j & 1}
            if len(values) == 1:
                known[key] = 0
                return 0
            best = None
            own = b if speaker else a
            part = (own - 1) & own
            while part:
                if part & (own & -own):
                    halves = ((part, b), (own ^ part, b)) if not speaker else ((a, part), (a, own ^ part))
                    found = [depth(x, y, speaker, changes) for x, y in halves]
                    if None not in found and (best is None or max(found) + 1 < best):
                        best = max(found) + 1
                part = (part - 1) & own
            if changes:
                other = depth(a, b, 1 - speaker, changes - 1)
                if other is not None and (best is None or other < best):
                    best = other
            known[key] = best
        return known[key]

    found = [depth(2 ** r - 1, 2 ** c - 1, speaker, rounds - 1) for speaker in (0, 1)]
    return min((d for d in found if d is not None), default=None)


def histogram(rows, columns):
    """How many 0/1 matrices have D = 0, 1, ..: all sizes from the smallest, the entry (i, j) at bit i * columns + j."""
    tables = {}
    for r in range(1, rows + 1):
        for c in range(1, columns + 1):
            tables[r, c] = table = bytearray(2 ** (r * c))
            row_splits = [(m, 2 ** r - 1 - m) for m in range(1, 2 ** (r - 1))]
            column_splits = [(m, 2 ** c - 1 - m) for m in range(1, 2 ** (c - 1))]
            columns_of = {m: [j for j in range(c) if m >> j & 1] for m in range(2 ** c)}
            pack = {m: [sum((line >> j & 1) << p for p, j in enumerate(columns_of[m])) for line in range(2 ** c)]
                    for m in range(2 ** c)}
            for word in range(1, 2 ** (r * c) - 1):
                lines = [word >> (i * c) & (2 ** c - 1) for i in range(r)]

                def of_rows(m):
                    kept = [line for i, line in enumerate(lines) if m >> i & 1]
                    return tables[len(kept), c][sum(line << (p * c) for p, line in enumerate(kept))]

                def of_columns(m):
                    width = len(columns_of[m])
                    return tables[r, width][sum(pack[m][line] << (i * width) for i, line in enumerate(lines))]

                table[word] = 1 + min(
                    min((max(of_rows(a), of_rows(b)) for a, b in row_splits), default=99),
                    min((max(of_columns(a), of_columns(b)) for a, b in column_splits), default=99))
    found = tables[rows, columns]
    return [found.count(depth) for depth in range(max(found) + 1)]


# Verdicts.

def check_matrix(claim):
    if "all" in claim.body:
        return check_histogram(claim)
    matrix = matrix_of(claim)
    number = next(decimal_value(claim.body[key]) for key in ("equals", "at_least", "at_most") if key in claim.body)
    lower = upper = None
    for i, (tag, body, at) in enumerate(claim.evidence):
        odd = (tag not in TAGS or tag == "depth_histogram" or (tag == "tree" and i > 0)
               or (tag != "tree" and lower is not None)
               or tag == ("exhausted" if "rounds" in claim.body else "round_exhausted"))
        if odd:
            raise Rejection("/evidence", "kind-mismatch", tag, "a tree, one lower bound, or both in this order")
        if tag == "tree":
            upper = check_tree(claim, matrix, body, at)
        elif tag == "round_exhausted":
            found = least_depth(matrix, decimal_value(claim.body["rounds"]))
            if body["depth"] != found:
                raise Rejection(at + "/depth", "arithmetic", body["depth"], found)
            lower = number + 1 if found is None else found
        elif tag == "exhausted":
            lower = check_exhausted(matrix, body, at) + 1
        else:
            check = check_minor if tag == "minor" else check_fooling_set
            lower = bits(check(matrix, body, at))
    needed = decided(claim, number, lower or 0, upper)
    if needed != (lower is not None, upper is not None):
        raise Rejection("/evidence", "kind-mismatch", [tag for tag, _, _ in claim.evidence], "what the verdict needs")
    return "D >= %s, D <= %s" % (lower, upper)


def decided(claim, number, lower, upper):
    """Which of the two bounds the verdict needs; code `bound` if they do not give it."""
    below, under = upper is not None and upper <= number, upper is not None and upper < number
    established = claim.verdict == "established"
    if "at_most" in claim.body:
        cases = [(below, True, (False, True)), (lower > number, False, (True, False))]
    elif "at_least" in claim.body:
        cases = [(lower >= number, True, (True, False)), (under, False, (False, True))]
    else:
        cases = [(below and lower >= number, True, (True, True)), (under, False, (False, True)),
                 (lower > number, False, (True, False))]
    for holds, verdict, needed in cases:
        if holds:
            if verdict == established:
                return needed
            break
    raise Rejection(claim.at, "bound", "D >= %s, D <= %s" % (lower, upper), claim.verdict)


def check_histogram(claim):
    if [tag for tag, _, _ in claim.evidence] != ["depth_histogram"]:
        raise Rejection("/evidence", "kind-mismatch", [tag for tag, _, _ in claim.evidence], "one depth_histogram")
    rows, columns = (decimal_value(side) for side in claim.body["all"])
    if not 0 < rows * columns <= MAX_ENTRIES:
        raise NotChecked("all %dx%d matrices" % (rows, columns))
    _, body, at = claim.evidence[0]
    right = [str(count) for count in histogram(rows, columns)]
    if body["counts"] != right:
        raise Rejection(at + "/counts", "arithmetic", body["counts"], right)
    if (claim.body["histogram"] == right) != (claim.verdict == "established"):
        raise Rejection(claim.at + "/histogram", "bound", claim.body["histogram"], right)
    return "all %d matrices" % 2 ** (rows * columns)


# Which objects a statement needs depends on the numbers.
STATEMENT_CHECKS["matrix"] = check_matrix
