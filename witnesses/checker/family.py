"""Families (files 2.1)."""

import re

from .limits import MAX_SLOTS
from .outcome import SpecError, short
from .canonical import decimal_value
from .number import IntegerOps
from .expression import binomial, merge_constants, resolve_constants, size_value
from .game import (
    Field, Game, Player, Slot, build_own_game, build_record, expect_bool, expect_keys, expect_list, one_tag)
from .task import CompositionTask, ExpressionTask, NAMED_TASKS, PointerTask, SparseMembership, TableTask


def sizes_list(value, constants, count, what):
    if len(expect_list(value, what)) != count:
        raise SpecError("%s needs %d entries" % (what, count))
    return [size_value(item, constants, what) for item in value]


def family_hybrid(body, constants):
    expect_keys(body, ("steps", "start", "ranges", "queries"),
                ("layout", "soft", "linear", "soft_per_token", "epoch"), "[family.hybrid]")
    if ("layout" in body) == ("epoch" in body):
        raise SpecError("[family.hybrid] needs either `layout` or `epoch`")
    steps = size_value(body["steps"], constants, "steps")
    if steps > 2 ** 10:
        raise SpecError("more than 2^10 steps: more than 2^20 slots")
    start = size_value(body["start"], constants, "start")
    ranges = sizes_list(body["ranges"], constants, steps, "ranges")
    queries = sizes_list(body["queries"], constants, steps - 1, "queries")
    entries = [start] + [queries[i] * ranges[i] for i in range(steps - 1)]     # table lengths of z_1 .. z_L
    players = [Player(str(j), [Field("z%d" % j, "table", entries[j - 1], ranges[j - 1])])
               for j in range(steps, 0, -1)]
    players.append(Player("0", [Field("z0", "number", start)]))
    players.append(Player("-1", [Field("w%d" % (i + 1), "number", n) for i, n in enumerate(queries)]))
    game = Game(players, "-1")
    game.constants = {"L": steps, "D0": start, **{"m%d" % (i + 1): m for i, m in enumerate(ranges)},
                      **{"n%d" % (i + 1): n for i, n in enumerate(queries)}}
    game.parameters = {"steps": steps, "start": start, "ranges": ranges, "queries": queries}
    tokens = {j: entries[j - 1] for j in range(1, steps + 1)}
    if "layout" in body:
        add_layout(game, body, constants, steps, tokens)
    else:
        for key in ("soft", "linear", "soft_per_token"):
            if key in body:
                raise SpecError("`%s` stands beside `layout` only" % key)
        add_epochs(game, expect_list(body["epoch"], "epoch"), constants, steps)
    return game, CompositionTask(game)


def layout_letters(word):
    """[(letter, count)] of a layout word; a letter may carry a count, blanks are ignored."""
    if not isinstance(word, str) or not re.fullmatch(r"(?:[FR](?:\^[0-9]+)?)*", re.sub(r"\s", "", word)):
        raise SpecError("layout %s is not a word over F and R" % short(word))
    letters = re.findall(r"([FR])(?:\^([0-9]+))?", re.sub(r"\s", "", word))
    return [(letter, decimal_value(count.lstrip("0") or "0") if count else 1) for letter, count in letters]


def edges_of(value, constants, what):
    """A size for every edge, or a table from edge to size (an absent edge is closed): a function of the edge."""
    if isinstance(value, str):
        size = size_value(value, constants, what)
        return lambda j, i: size
    if not isinstance(value, dict):
        raise SpecError("%s is neither a size nor an edge table" % what)
    table = {}
    for edge, text in value.items():
        match = re.fullmatch(r"(-?[0-9]+)>(-?[0-9]+)", edge)
        if not match:
            raise SpecError("`%s` is not an edge" % short(edge))
        key = (match.group(1), match.group(2))
        table[key] = size_value(text, constants, "alphabet")
    known = set(table)

    def size_of(j, i):
        known.discard((str(j), str(i)))
        return table.get((str(j), str(i)), 1)
    size_of.unknown = known
    return size_of


def check_edges(size_of, edges, what):
    for j, i in edges:
        size_of(j, i)
    if getattr(size_of, "unknown", None):
        raise SpecError("%s has no edge %s" % (what, short(">".join(sorted(size_of.unknown)[0]))))


def soft_edges(steps):
    return [(j, i) for j in range(steps, -1, -1) for i in range(j - 1, -2, -1)]


def linear_edges(steps):
    return [(j, j - 1) for j in range(steps, -1, -1)]


def add_soft_round(game, size_of, steps, epoch):
    slots = []
    for j, i in soft_edges(steps):
        sender, receiver = game.labels[str(j)], game.labels[str(i)]
        slots.append(Slot(game, sender, receiver, "soft", [epoch], size_of(j, i), [receiver]))
    game.add_round(slots)


def add_pass(game, size_of, steps, epoch, number):
    for j, i in linear_edges(steps):
        game.add_round([Slot(game, game.labels[str(j)], game.labels[str(i)], "lin", [epoch, number], size_of(j, i))])


def add_layout(game, body, constants, steps, tokens):
    letters = layout_letters(body["layout"])
    if sum(count * (len(soft_edges(steps)) if letter == "F" else steps + 1) for letter, count in letters) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    soft = linear = None
    if "soft" in body:
        soft = edges_of(body["soft"], constants, "soft")
        check_edges(soft, soft_edges(steps), "soft")
    if "linear" in body:
        linear = edges_of(body["linear"], constants, "linear")
        check_edges(linear, linear_edges(steps), "linear")
    if expect_bool(body.get("soft_per_token", False), "soft_per_token") and "soft" in body:
        if not isinstance(body["soft"], str):
            raise SpecError("soft_per_token raises a size, not an edge table")
        uniform = soft
        powers = {i: IntegerOps.power(uniform(0, 0), tokens[i]) for i in tokens if i < steps}
        soft = lambda j, i: powers[i] if i >= 1 else uniform(j, i)
    epoch, number = 0, 0
    for letter, count in letters:
        if (soft if letter == "F" else linear) is None:
            raise SpecError("[family.hybrid] has no `%s`" % ("soft" if letter == "F" else "linear"))
        for _ in range(count):
            if letter == "F":
                epoch, number = epoch + 1, 0
                add_soft_round(game, soft, steps, epoch)
            else:
                number += 1
                add_pass(game, linear, steps, epoch, number)


def add_epochs(game, epochs, constants, steps):
    epoch = 0
    for position, entry in enumerate(epochs):
        expect_keys(entry, ("soft",), ("linear",), "an epoch")
        if not isinstance(entry["soft"], dict):
            raise SpecError("`soft` of an epoch is not an edge table")
        if position > 0 or entry["soft"]:
            epoch += 1
            soft = edges_of(entry["soft"], constants, "soft")
            check_edges(soft, soft_edges(steps), "soft")
            add_soft_round(game, soft, steps, epoch)
        for number, table in enumerate(expect_list(entry.get("linear", []), "linear")):
            if not isinstance(table, dict):
                raise SpecError("`linear` of an epoch is not a list of edge tables")
            linear = edges_of(table, constants, "linear")
            check_edges(linear, linear_edges(steps), "linear")
            add_pass(game, linear, steps, epoch, number + 1)


def two_records(body, constants, task):
    """The fields of Alice and Bob: from the task, if it gives them, else from the file."""
    if task is not None:
        if "alice" in body or "bob" in body:
            raise SpecError("the task gives the inputs of Alice and Bob")
        return task.two_party_fields()
    for key in ("alice", "bob"):
        if key not in body:
            raise SpecError("no `%s`" % key)
    return build_record(body["alice"], constants), build_record(body["bob"], constants)


def family_one_way(body, constants, task):
    expect_keys(body, ("symbols",), ("alice", "bob"), "[family.one_way]")
    alice, bob = two_records(body, constants, task)
    game = Game([Player("Alice", alice), Player("Bob", bob)], "Bob")
    game.add_round([Slot(game, 0, 1, "lin", [1], size_value(body["symbols"], constants, "alphabet"))])
    return game, None


def family_cot(body, constants, task):
    expect_keys(body, ("symbols",), ("alice", "bob", "steps"), "[family.cot]")
    alice, bob = two_records(body, constants, task)
    steps = size_value(body.get("steps", "1"), constants, "steps")
    if steps > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    fresh = [Player("Charles" + (str(i) if i > 1 else ""), []) for i in range(1, steps + 1)]
    game = Game([Player("Alice", alice), Player("Bob", bob)] + fresh, fresh[-1].label)
    game.add_round([Slot(game, 0, 1, "lin", [1], size_value(body["symbols"], constants, "alphabet"))])
    for i in range(steps):
        game.add_round([Slot(game, 1 + i, 2 + i, "free", [2 + i], None, (), "forward")])
    return game, None


def family_streaming(body, constants, task):
    expect_keys(body, ("symbols",), ("layers", "inputs"), "[family.streaming]")
    if task is not None:
        if "inputs" in body:
            raise SpecError("the task gives the inputs")
        records = task.streaming_fields()
    else:
        if "inputs" not in body:
            raise SpecError("[family.streaming] has no `inputs`")
        records = [build_record(record, constants) for record in expect_list(body["inputs"], "inputs")]
    if not records:
        raise SpecError("no players")
    players = [Player("P%d" % (i + 1), fields) for i, fields in enumerate(records)]
    game = Game(players, players[-1].label)
    symbols = size_value(body["symbols"], constants, "alphabet")
    layers = size_value(body.get("layers", "1"), constants, "layers")
    if layers * (len(players) - 1) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    for layer in range(1, (layers if len(players) > 1 else 0) + 1):
        for i in range(len(players) - 1):
            game.add_round([Slot(game, i, i + 1, "lin", [layer], symbols)])
    return game, None


def family_sparse(body, constants):
    expect_keys(body, ("n", "block", "read", "symbols"), ("values", "heads", "shared_map"), "[family.sparse]")
    n, block = size_value(body["n"], constants, "n"), size_value(body["block"], constants, "block")
    read = size_value(body["read"], constants, "read", 0)
    symbols = size_value(body["symbols"], constants, "alphabet")
    values = size_value(body["values"], constants, "values") if "values" in body else n
    heads = size_value(body.get("heads", "1"), constants, "heads")
    shared = expect_bool(body.get("shared_map", True), "shared_map")
    if n % block:
        raise SpecError("block does not divide n")
    q = n // block
    if read > q:
        raise SpecError("read is more than the number of blocks")
    if q + heads * (read + 1) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    players = [Player("B%d" % i, [Field("block", "table", block, values)]) for i in range(q)]
    players.append(Player("Query", [Field("query", "number", values)]))
    game = Game(players, "Query")
    game.add_round([Slot(game, i, q, "summary", [1], symbols) for i in range(q)])
    game.shared = list(range(q)) if shared else []
    game.add_round([Slot(game, q, q, "selection", [2, h], binomial(q, read)) for h in range(1, heads + 1)])
    game.add_round([Slot(game, q, q, "read", [3, h, r], None, (), "read", q + h - 1, r)
                    for h in range(1, heads + 1) for r in range(read)])
    game.constants = {"n": n, "B": block, "k": read, "M": values, "q": q}
    game.parameters = {"n": n, "block": block, "values": values, "read": read, "heads": heads, "shared": shared}
    return game, SparseMembership(game)


def family_pointer(body, constants):
    expect_keys(body, ("players", "points", "rounds", "bits"), (), "[family.pointer_chasing]")
    k, q, rounds = (size_value(body[key], constants, key) for key in ("players", "points", "rounds"))
    bits = size_value(body["bits"], constants, "bits", 0)
    if k < 2 or q % 2:
        raise SpecError("pointer_chasing needs at least two players and an even number of points")
    if k * rounds > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    players = [Player("P%d" % k, [Field("label", "subset", q, q // 2)])]
    players += [Player("P%d" % j, [Field("pi", "permutation", q)]) for j in range(k - 1, 1, -1)]
    players += [Player("P1", [Field("start", "number", q)]), Player("Board", [])]
    game = Game(players, "Board")
    for number in range(1, rounds + 1):
        for j in range(k):
            last = number == rounds and j == k - 1
            game.add_round([Slot(game, j, k, "free" if last else "soft", [number],
                                 2 if last else IntegerOps.power(2, bits), [k])])
    game.constants = {"k": k, "q": q, "R": rounds, "s": bits}
    game.parameters = {"players": k, "points": q}
    return game, PointerTask(game)


def build_game(spec):
    """The game with its task from the tables `let`, `family` or `game`, `task` (files 2 and 3)."""
    let = resolve_constants(spec.get("let", {}))
    if ("family" in spec) == ("game" in spec):
        raise SpecError("either [family] or [game]")
    tag, body = (None, None)
    if "task" in spec:
        tag, body = one_tag(spec["task"], "[task]")
        if not isinstance(body, dict):
            raise SpecError("[task.%s] is not a table" % short(tag))
    named = NAMED_TASKS[tag](body, let) if tag in NAMED_TASKS else None
    if "game" in spec:
        game, own_task = build_own_game(spec["game"], let), None
    else:
        family, fields = one_tag(spec["family"], "[family]")
        if family in ("hybrid", "sparse", "pointer_chasing"):
            builder = {"hybrid": family_hybrid, "sparse": family_sparse, "pointer_chasing": family_pointer}[family]
            game, own_task = builder(fields, let)
        elif family in ("one_way", "cot", "streaming"):
            builder = {"one_way": family_one_way, "cot": family_cot, "streaming": family_streaming}[family]
            game, own_task = builder(fields, let, named)
        else:
            raise SpecError("unknown family `%s`" % short(family))
        game.family = family
    game.let = let
    merge_constants(let, game.constants)
    game.finish()
    game.task = choose_task(game, own_task, named, tag, body)
    return game


def choose_task(game, own_task, named, tag, body):
    if tag is None:
        if own_task is None:
            raise SpecError("the game has no task")
        return own_task
    if tag in ("composition", "pointer"):
        if own_task is None or own_task.tag != tag or body:
            raise SpecError("[task.%s] does not fit this game" % tag)
        return own_task
    if named is not None:
        named.bind(game)
        return named
    if tag == "table":
        return TableTask(body, game)
    if tag == "expression":
        task = ExpressionTask(body, game)
        task.tabulate()
        return task
    raise SpecError("unknown task `%s`" % short(tag))
