"""table-v2 and symbol-order-v2: formulas for games with copied views, read inputs and shared functions (page on
refuted formulas, section 6)."""

import itertools
import math

from .outcome import NotChecked, Rejection
from .flow import kept_slots, supports
from .formula import ENCODINGS, MAX_LITERALS, Formula, literal
from .run import combination_unrank


class CopyEncoder:
    """table-v2 for a list of inputs."""

    def __init__(self, game, inputs, accepted):
        self.game, self.inputs, self.formula = game, inputs, Formula()
        self.kept = kept_slots(game)
        self.support = {k: sorted(players) for k, players in supports(game, self.kept).items()}
        self.chosen = [k for k in sorted(self.kept) if game.slots[k].rule == "chosen"]
        self.seen = {k: self.sight(game.slots[k].sources, game.slots[k].round) for k in self.chosen}
        self.group_of = {k: [k] for k in self.chosen}
        together = [k for k in self.chosen if k in game.shared]
        self.group_of.update({k: together for k in together})
        self.said, self.functions = {}, {}
        for k in self.chosen:
            self.slot(k)
        self.answers(accepted)
        self.plain = len(self.formula.clauses)

    # --- What is known

    def sight(self, sources, number):
        """Known inputs, symbols of chosen slots, read slots: what the views say, each once, in the order met."""
        known = ([], [], [])
        pending = [(p, number) for p in reversed(sources)]
        while pending:
            item = pending.pop()
            if item[1] is None:
                slot = self.game.slots[item[0]]
                if slot.rule == "forward":
                    pending.append((slot.sender, slot.round))
                    continue
                kind, what = (1 if slot.rule == "chosen" else 2), slot.index
            else:
                player, before = item
                kind, what = 0, player
                pending += [(k, None) for k in reversed(self.game.stored(player, before)) if k in self.kept]
            if what not in known[kind]:
                known[kind].append(what)
        return known

    def read_player(self, k, symbols):
        """Whose input a read slot says when the chosen slots say `symbols` (slot to symbol)."""
        slot = self.game.slots[k]
        candidates = self.game.candidates(slot)
        chosen = combination_unrank(len(candidates), len(self.game.reads[slot.by]), symbols.get(slot.by, 0))
        return candidates[chosen[slot.rank]]

    def key(self, seen, x, combination):
        players, stored, reads = seen
        symbols = dict(zip(stored, combination))
        return (tuple(x[p] for p in players), combination,
                tuple(x[self.read_player(k, symbols)] for k in reads))

    def combinations(self, stored, repeats):
        sizes = [self.game.slots[k].alphabet for k in stored]
        if math.prod(sizes) * max(repeats, 1) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        return list(itertools.product(*[range(size) for size in sizes]))

    def restrictions(self, players):
        return [dict(zip(players, row)) for row in sorted({tuple(x[p] for p in players) for x in self.inputs})]

    def keys(self, seen, rows):
        """All keys, sorted: every combination for every known input that occurs; with read inputs those that occur."""
        combinations = self.combinations(seen[1], len(rows))
        return {self.key(seen, x, combination) for x in rows for combination in combinations}

    def pre(self, stored, x, combination):
        groups = [self.said[k][tuple(x[p] for p in self.support[k])] for k in stored]
        return [-literal(group, v) for group, v in zip(groups, combination)]

    # --- Clauses

    def slot(self, k):
        group, size, support = self.group_of[k], self.game.slots[k].alphabet, self.support[k]
        rows, first = self.restrictions(support), group[0]
        if size * len(rows) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        direct = not self.seen[k][1] and not self.seen[k][2]

        def function():
            if k == first:
                keys = set()
                for member in group:
                    keys |= self.keys(self.seen[member], self.restrictions(self.support[member]))
                self.functions[k] = self.formula.groups(sorted(keys), size)
            return self.functions[first]

        if direct and len(group) > 1:
            entries = function()
            self.said[k] = {tuple(x.values()): entries[self.key(self.seen[k], x, ())] for x in rows}
            return
        said = self.said[k] = self.formula.groups([tuple(x.values()) for x in rows], size)
        if direct:
            self.functions[k] = dict(sorted((self.key(self.seen[k], x, ()), said[tuple(x.values())]) for x in rows))
            return
        entries = function()
        stored = self.seen[k][1]
        for x in rows:
            m = said[tuple(x.values())]
            for combination in self.combinations(stored, size * len(rows)):
                pre, f = self.pre(stored, x, combination), entries[self.key(self.seen[k], x, combination)]
                for v in (1, 0) if size == 2 else range(size):
                    self.formula.add(pre + [-literal(m, v), literal(f, v)])

    def answers(self, accepted):
        game = self.game
        seen = self.sight((game.output,), game.end)
        if game.task.answers > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        rows = [dict(enumerate(x)) for x in self.inputs]
        combinations = self.combinations(seen[1], len(rows))
        keys = sorted(self.keys(seen, rows))
        if game.task.answers * len(keys) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        function = self.formula.groups(keys, game.task.answers)
        for x, right in zip(rows, accepted):
            if right is not None:
                for combination in combinations:
                    group = function[self.key(seen, x, combination)]
                    self.formula.add(self.pre(seen[1], x, combination) + [literal(group, a) for a in right])

    # --- symbol-order-v2

    def order_symbols(self):
        game = self.game
        shared = [k for k in self.chosen if k in game.shared]
        heard = {other for k in shared for other in self.seen[k][1]}
        named = {slot.by for slot in game.slots if slot.rule == "read"}

        def alone(k):
            slot, seen = game.slots[k], self.seen[k]
            return slot.sender == slot.receiver or k in named or k in heard \
                or (k in shared and (seen[1] or seen[2] or len(slot.sources) > 1))

        for k, entries in self.functions.items():
            if any(alone(member) for member in self.group_of[k]):
                continue
            slot = game.slots[k]
            context_of = self.sight((slot.receiver,), slot.round) if slot.receiver in slot.sources else ([], [], [])
            places = [[i for i, what in enumerate(row) if what in inside]
                      for row, inside in zip(self.seen[k], context_of)]
            contexts = {}
            for key in sorted(entries):
                context = tuple(tuple(part[i] for i in where) for part, where in zip(key, places))
                contexts.setdefault(context, []).append(entries[key])
            for groups in contexts.values():
                for number, group in enumerate(groups[:slot.alphabet - 1]):
                    for v in range(number + 1, slot.alphabet):
                        self.formula.add((-literal(group, v),))


def check_covered(game, at):
    """A shared function hears no copies."""
    kept = kept_slots(game)
    for k in sorted(kept & set(game.shared)):
        slot = game.slots[k]
        heard = [other for p in slot.sources for other in game.stored(p, slot.round)]
        if any(game.slots[other].rule != "chosen" for other in heard if other in kept):
            raise Rejection(at + "/encoding", "encoding", slot.name, "a shared function that hears no copies")


ENCODINGS["table-v2"] = (CopyEncoder, "symbol-order-v2", check_covered)
