"""Evidence kinds about games (format 2, details 3 and 4)."""

import itertools
import math

from .limits import MAX_BITS, MAX_CHOICES
from .outcome import NotChecked, Rejection, short
from .canonical import decimal_text, decimal_value
from .expression import bits_of
from .task import describe, no_common_answer
from .strategy import Strategy, key_count, path_problem, relay_functions, table_function
from .run import Runner, final_view, view_of
from .flow import kept_slots, supports
from .claim import is_one_way
from .kinds import CHECKS


def check_cut(claim, body, at):
    """With `pinned`, the view is not reached."""
    if claim.leaks(claim.body["pinned"]):
        raise Rejection(at, "not-constant", "a path that carries the input", "none")
    return "cut: no path avoids %s" % slot_names(claim.game, claim.body["pinned"])


def slot_names(game, indices):
    """Names of slots as in a report."""
    if not indices:
        return "no slot"
    more = " and %d more" % (len(indices) - 8) if len(indices) > 8 else ""
    return ", ".join(game.slots[index].name for index in indices[:8]) + more


def check_relay(claim, body, at):
    """A path without pinned slots, and two inputs on which its relay protocol gives different views."""
    game, path, pinned = claim.game, body["path"], set(claim.body["pinned"])
    for i, index in enumerate(path):
        claim.slot(index, "%s/path/%d" % (at, i))
    for i, index in enumerate(path):
        if index in pinned:
            raise Rejection("%s/path/%d" % (at, i), "not-constant", "pinned slot %d" % index, "no pinned slot")
    if not path and claim.source != claim.target:
        raise Rejection(at + "/path", "coverage", "an empty path", "a path")
    problem = path_problem(game, claim.source, path, claim.after)
    if problem:
        raise Rejection(at + "/path", "coverage", problem, "a path of influence")
    if path and game.slots[path[-1]].receiver != claim.target:
        raise Rejection(at + "/path", "coverage", "a path to another player", claim.body["view"])
    left, right = (claim.full_input(body[key], at + "/" + key) for key in ("left", "right"))
    for p, player in enumerate(game.players):
        if (p == claim.source) == (left[p] == right[p]):
            raise Rejection("%s/right/%s" % (at, player.label), "domain", list(right[p]),
                            "a difference in the input of %s only" % claim.body["of"])
    runner = Runner(game, Strategy("relay", relay_functions(game, claim.source, path), None, {}))
    views = [view_of(game, claim.target, claim.after, x, runner.run(x)) for x in (left, right)]
    if views[0] == views[1]:
        raise Rejection(at, "view-differs", "equal views", "different views")
    return "relay: " + slot_names(game, path)


def check_cuts(claim, body, at):
    """The list is exactly the set of inclusion-minimal cuts (games 5), and the verdict says whether it is `equals`."""
    cuts = body["cuts"]
    at += "/cuts"
    for i, cut in enumerate(cuts):
        for j, index in enumerate(cut):
            if claim.slot(index, "%s/%d/%d" % (at, i, j)).rule != "chosen":
                raise Rejection("%s/%d/%d" % (at, i, j), "coverage", index, "a Chosen slot")
        if not cut:
            raise Rejection("%s/%d" % (at, i), "coverage", "no slot", "at least one")
    for i, cut in enumerate(cuts):
        if claim.leaks(cut):
            raise Rejection("%s/%d" % (at, i), "not-constant", cut, "a cut")
    for i, cut in enumerate(cuts):
        if not all(claim.leaks(set(cut) - {member}) for member in cut):
            raise Rejection("%s/%d" % (at, i), "bound", cut, "a minimal cut")
    if any(a >= b for cut in cuts for a, b in zip(cut, cut[1:])):
        raise Rejection(at, "coverage", cuts, "increasing lists")
    keys = [(len(cut), cut) for cut in cuts]
    if any(a >= b for a, b in zip(keys, keys[1:])):
        raise Rejection(at, "coverage", "cuts out of order or twice", "shorter first, then lexicographic")
    check_cuts_complete(claim, cuts, at)
    if (cuts == claim.body["equals"]) != (claim.verdict == "established"):
        raise Rejection(at, "bound", cuts, claim.verdict)
    if not cuts:
        return "cuts: none, by the choice test"
    sizes = ", ".join(str(len(cut)) for cut in cuts)
    return "cuts: %d minimal cuts of sizes %s, complete by the choice test" % (len(cuts), sizes)


def check_cuts_complete(claim, cuts, at):
    """For each choice of one slot from each cut, pinning all other Chosen slots leaves a path.  The list of a view
    that nothing reaches is empty."""
    if not claim.leaks(()):
        return
    chosen = {slot.index for slot in claim.game.active if slot.rule == "chosen" and slot.round < claim.after}
    choices = math.prod(len(cut) for cut in cuts)
    if choices > MAX_CHOICES:
        raise NotChecked("%d choices of one slot from each cut" % choices)
    for choice in itertools.product(*cuts):
        if not claim.leaks(chosen - set(choice)):
            raise Rejection(at, "coverage", "a minimal cut that contains none of the listed ones", "all minimal cuts")


def check_counterexample(claim, body, at):
    game, inputs = claim.game, claim.full_input(body["input"], at + "/input")
    answer = decimal_value(body["answer"])
    said = claim.runner.answer(inputs, claim.runner.run(inputs))
    if said != answer:
        raise Rejection(at + "/answer", "replay", body["answer"], "a free answer" if said is None else str(said))
    if game.task.accepts(inputs, answer):
        raise Rejection(at + "/answer", "accepted", "an answer that the task accepts", "a wrong answer")
    return "counterexample: answer %d is not accepted" % answer


def check_pair(claim, body, at):
    left, right = (claim.full_input(body[key], at + "/" + key) for key in ("left", "right"))
    views = [final_view(claim.game, x, claim.runner.run(x)) for x in (left, right)]
    if views[0] != views[1]:
        raise Rejection(at, "view-differs", views[1], views[0])
    if not no_common_answer(claim.game.task, left, right):
        raise Rejection(at, "common-answer", "an answer accepted on both", "none")
    return "indistinguishable pair: one view, no common answer"


def check_conflict(claim, body, at):
    """At least three inputs in input order with one view, no common answer, minimal."""
    at += "/inputs"
    inputs = [claim.full_input(value, "%s/%d" % (at, i)) for i, value in enumerate(body["inputs"])]
    if len(inputs) < 3:
        raise Rejection(at, "bound", "%d inputs" % len(inputs), "at least three")
    for i in range(1, len(inputs)):
        if inputs[i - 1] >= inputs[i]:
            raise Rejection("%s/%d" % (at, i), "coverage", "inputs out of order", "input order")
    views = [final_view(claim.game, x, claim.runner.run(x)) for x in inputs]
    for i in range(1, len(inputs)):
        if views[i] != views[0]:
            raise Rejection("%s/%d" % (at, i), "view-differs", views[i], views[0])
    if not no_common_answer(claim.game.task, *inputs):
        raise Rejection(at, "common-answer", "an answer accepted on all", "none")
    for i in range(len(inputs)):
        if no_common_answer(claim.game.task, *inputs[:i], *inputs[i + 1:]):
            raise Rejection("%s/%d" % (at, i), "bound", "an input that is not needed", "a minimal set")
    return "conflict: one view on %d inputs, no common answer" % len(inputs)


def check_sizes(game, body, alphabet, at):
    """Lengths of the tables and of the answers (details 3); returns the Chosen slots, and the key digits of each."""
    chosen = [slot for slot in game.slots if slot.rule == "chosen"]
    if len(body["tables"]) != len(chosen):
        raise Rejection(at + "/tables", "size", "%d tables" % len(body["tables"]), "%d tables" % len(chosen))
    keys = {slot.index: game.key_radices(slot.sources, slot.round) for slot in chosen}
    for i, (slot, table) in enumerate(zip(chosen, body["tables"])):
        expected = key_count(keys[slot.index]) if alphabet(slot) > 1 else None
        if table is not None and len(table) != expected:
            raise Rejection("%s/tables/%d" % (at, i), "size", "%d symbols" % len(table), short(str(expected)))
    return chosen, keys


def check_symbols(list_of_texts, size, at):
    """The numbers of a list of decimal strings, all below `size`."""
    numbers = [decimal_value(text) for text in list_of_texts]
    for j, number in enumerate(numbers):
        if number >= size:
            raise Rejection("%s/%d" % (at, j), "alphabet", number, "below %s" % short(size))
    return numbers


def check_answer_size(game, answers, count, at):
    if len(answers) != count:
        raise Rejection(at + "/answers", "size", len(answers), short(count))


def protocol_functions(game, body, alphabet, answer_count, at):
    """(functions, answers) of a protocol: every length, then every symbol and answer, then shared maps."""
    chosen, keys = check_sizes(game, body, alphabet, at)
    check_answer_size(game, body["answers"], answer_count, at)
    functions, tables = {}, {}
    for i, (slot, table) in enumerate(zip(chosen, body["tables"])):
        tables[slot.index] = table
        if table is not None:
            numbers = check_symbols(table, alphabet(slot), "%s/tables/%d" % (at, i))
            functions[slot.index] = table_function(game, keys[slot.index], numbers)
    answers = check_symbols(body["answers"], game.task.answers, at + "/answers")
    if any(tables[index] != tables[game.shared[0]] for index in game.shared):
        raise Rejection(at + "/tables", "replay", "different tables of a shared map", "equal tables")
    return functions, answers


def check_protocol(claim, body, at):
    """The tables and answers are accepted on all full inputs."""
    game = claim.game
    digits = game.key_radices([game.output], game.end)
    functions, answers = protocol_functions(game, body, lambda slot: slot.alphabet, key_count(digits), at)
    answer = table_function(game, digits, answers)
    claim.limit(game.total(), "inputs")
    runner = Runner(game, Strategy("table", functions, answer, {}))
    for inputs in game.inputs():
        said = answer(inputs, runner.run(inputs))
        if not game.task.accepts(inputs, said):
            raise Rejection(at, "accepted", "answer %d on %s" % (said, describe(game, inputs)), "an accepted answer")
    return "protocol, replayed on all %d inputs" % game.total()


# --- counting: family, classes, colouring (format 5)

def check_separated(claim, body, members, tests, join, at):
    """All members pairwise separated by the tests: by the `separators`, one test per pair in lexicographic order, or,
    without them, by different answers, which needs exactly one accepted answer everywhere."""
    task = claim.game.task
    claim.limit(len(members) * len(tests), "look-ups of members on tests")
    rows = [[task.accepted(join(x, y)) for y in tests] for x in members]
    if "separators" in body:
        check_separators(body["separators"], rows, len(tests), at + "/separators")
        return
    if not all(functional_entry(task, entry) for row in rows for entry in row):
        raise Rejection(at, "not-separated", "no separators", "separators: some test has not exactly one answer")
    seen = {}
    for j, row in enumerate(rows):
        if tuple(row) in seen:
            raise Rejection("%s/members/%d" % (at, j), "not-separated", "the row of member %d" % seen[tuple(row)],
                            "a row of its own")
        seen[tuple(row)] = j


def check_separators(listed, rows, tests, at):
    pairs = list(itertools.combinations(range(len(rows)), 2))
    for n, (i, j) in enumerate(pairs):
        if n >= len(listed) or listed[n][:2] != [i, j]:
            raise Rejection(at, "coverage", "a pair out of order or missing", "the pair %d, %d" % (i, j))
        y = listed[n][2]
        if y >= tests:
            raise Rejection("%s/%d" % (at, n), "coverage", y, "the index of a test")
        if rows[i][y] is None or rows[j][y] is None or set(rows[i][y]) & set(rows[j][y]):
            raise Rejection("%s/%d" % (at, n), "not-separated", y, "a test without common answer")
    if len(listed) > len(pairs):
        raise Rejection(at, "coverage", "%d separators" % len(listed), "%d" % len(pairs))


def functional_entry(task, entry):
    """Exactly one accepted answer (with a single answer in all, "every answer" is one)."""
    return task.answers == 1 if entry is None else len(entry) == 1


def check_family(claim, body, at):
    """More separated members than `bound` message patterns (format 5.1)."""
    game, side = claim.game, body["side"]
    for i, label in enumerate(side):
        if label not in game.labels:
            raise Rejection("%s/side/%d" % (at, i), "domain", label, "a player of the game")
    outside = [player.label for player in game.players if player.label not in side]
    for key, labels in (("members", side), ("tests", outside)):
        for i, value in enumerate(body[key]):
            claim.expect_labels(value, labels, "%s/%s/%d" % (at, key, i))
    order = [game.labels[label] for label in side]
    if any(a >= b for a, b in zip(order, order[1:])) or game.output in order:
        raise Rejection(at + "/side", "coverage", side, "labels in player order, without the output player")
    members = [claim.part(value, side, "%s/members/%d" % (at, i)) for i, value in enumerate(body["members"])]
    tests = [claim.part(value, outside, "%s/tests/%d" % (at, i)) for i, value in enumerate(body["tests"])]

    def join(x, y):
        return tuple(x[p] if p in x else y[p] for p in range(len(game.players)))
    check_separated(claim, body, members, tests, join, at)
    bound = family_bound(game, set(order), tests)
    if decimal_text(bound) != body["bound"]:
        raise Rejection(at + "/bound", "bound", body["bound"], str(bound))
    if len(members) <= bound:
        raise Rejection(at + "/members", "bound", "%d members" % len(members), "more than %d" % bound)
    return "family: %d members > bound %d" % (len(members), bound)


def family_bound(game, side, tests):
    """Product of S^r over the crossing slots."""
    kept = kept_slots(game)
    support, bound, bits = supports(game, kept), 1, 0
    for slot in game.active:
        if slot.index not in kept or slot.receiver in side:
            continue
        candidates = game.candidates(slot) if slot.rule == "read" else slot.sources
        if not side.intersection(candidates):
            continue
        visible = sorted(support[slot.index] - side)
        restrictions = len({tuple(test[p] for p in visible) for test in tests}) if visible else 1
        bits += slot.alphabet.bit_length() * restrictions
        if bits > MAX_BITS:
            raise NotChecked("a bound of up to %d bits" % bits)
        bound *= slot.alphabet ** restrictions
    return bound


def check_count(claim):
    """`classes` and `protocol`: as many separated members as the protocol has symbols, so the number is exact."""
    (_, classes, at), (_, protocol, protocol_at) = claim.evidence
    game = claim.game
    if not is_one_way(game) or game.output != 1:
        raise Rejection(at, "kind-mismatch", "another game", "a one-way game from the first player to the second")
    alice, bob = game.players
    members = [claim.element(alice, digits, "%s/members/%d" % (at, i)) for i, digits in enumerate(classes["members"])]
    tests = [claim.element(bob, digits, "%s/tests/%d" % (at, i)) for i, digits in enumerate(classes["tests"])]
    check_separated(claim, classes, members, tests, lambda x, y: (x, y), at)
    check_count_protocol(claim, len(members), protocol, protocol_at)
    bits = bits_of(len(members))
    number = len(members) if claim.body["of"] == "states" else bits
    relation, stated = next((key, decimal_value(claim.body[key])) for key in ("equals", "at_least", "at_most")
                            if key in claim.body)
    holds = {"equals": number == stated, "at_least": number >= stated, "at_most": number <= stated}[relation]
    if holds != (claim.verdict == "established"):
        raise Rejection(at + "/members", "bound", "%d %s" % (number, claim.body["of"]), claim.verdict)
    return "classes and protocol: exactly %d states, %d bits" % (len(members), bits)


def check_count_protocol(claim, count, body, at):
    """A protocol of the same two players with `count` symbols."""
    game = claim.game
    bob = game.players[1]
    symbols, rest = divmod(len(body["answers"]), bob.size)
    if rest or symbols == 0:
        raise Rejection(at + "/answers", "size", len(body["answers"]), "a multiple of %s" % short(bob.size))
    if symbols != count:
        raise Rejection(at + "/answers", "bound", "%d symbols" % symbols, "%d, one per member" % count)
    functions, answers = protocol_functions(game, body, lambda slot: symbols, symbols * bob.size, at)
    say = functions.get(0, lambda inputs, said: 0)
    claim.limit(game.total(), "inputs")
    for inputs in game.inputs():
        answer = answers[bob.rank(inputs[1]) * symbols + say(inputs, ())]
        if not game.task.accepts(inputs, answer):
            raise Rejection(at, "accepted", "answer %d on %s" % (answer, describe(game, inputs)), "an accepted answer")


def check_colouring(claim, body, at):
    """A clique of pairwise conflicts with more members than symbols (format 5.3, details 3)."""
    game = claim.game
    sparse = game.family == "sparse" and bool(game.shared)
    if not is_one_way(game) and not sparse:
        raise Rejection(at, "kind-mismatch", "another game", "a one-way game, or a sparse game with a shared map")
    slot, listener = game.slots[0], game.players[game.output]
    clique = [claim.element(game.players[slot.sender], digits, "%s/clique/%d" % (at, i))
              for i, digits in enumerate(body["clique"])]
    blocks = len(game.players) - 1
    pairs = len(clique) * (len(clique) - 1) // 2
    claim.limit(pairs * listener.size * (2 * blocks + 2 if sparse else 2), "task look-ups")
    queries = list(listener.elements())
    reads = sum(1 for s in game.slots if s.rule == "read")
    rows = {}
    if not sparse:
        order = (lambda x, y: (x, y)) if game.output == 1 else (lambda x, y: (y, x))
        rows = {a: [game.task.accepted(order(a, y)) for y in queries] for a in set(clique)}
    for j, b in enumerate(clique):
        for i, a in enumerate(clique[:j]):
            conflict = (sparse_conflict(game, a, b, queries, reads) if sparse else a != b and
                        any(p is not None and q is not None and not set(p) & set(q) for p, q in zip(rows[a], rows[b])))
            if not conflict:
                raise Rejection("%s/clique/%d" % (at, j), "not-separated", list(b), "a conflict with member %d" % i)
    if body["symbols"] != decimal_text(slot.alphabet) or len(clique) <= slot.alphabet:
        raise Rejection(at + "/symbols", "bound", "%d members, %s symbols" % (len(clique), body["symbols"]),
                        "more members than the %s symbols" % short(slot.alphabet))
    return "colouring: %d inputs in pairwise conflict > %s symbols" % (len(clique), body["symbols"])


def sparse_conflict(game, a, b, queries, reads):
    """For some query and one order of a, b, whatever `reads` blocks are read, a changed block outside them matters:
    that is, changing one block matters for more than `reads` blocks."""
    blocks = len(game.players) - 1
    for query in queries:
        for x, y in ((a, b), (b, a)):
            base = [x] * blocks
            changed = sum(1 for p in range(blocks)
                          if no_common_answer(game.task, (*base, query), (*base[:p], y, *base[p + 1:], query)))
            if changed > reads:
                return True
    return False


CHECKS.update({
    "cut": check_cut, "relay": check_relay, "cuts": check_cuts, "counterexample": check_counterexample,
    "pair": check_pair, "conflict": check_conflict, "protocol": check_protocol, "family": check_family,
    "colouring": check_colouring})
