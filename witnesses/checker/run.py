"""Runs (games 1)."""

import math

from .outcome import SpecError, short
from .game import key_index
from .task import describe


def combination_unrank(n, k, rank):
    chosen, value = [], 0
    while len(chosen) < k:
        block = math.comb(n - value - 1, k - len(chosen) - 1)
        if rank < block:
            chosen.append(value)
        else:
            rank -= block
        value += 1
    return chosen


class Runner:
    """Simulates a protocol: every symbol of every slot of at least two symbols, in schedule order.  Under a shared map
    (games 2.3) the summary of a block must be the same whoever holds it, over all runs of one runner."""

    def __init__(self, game, strategy):
        self.game, self.strategy, self.summaries = game, strategy, {}
        self.steps = [(slot.index, self.function(slot), slot) for slot in game.active]

    def function(self, slot):
        game = self.game
        if slot.rule == "forward":
            digits = game.key_radices([slot.sender], slot.round)
            return lambda inputs, symbols: key_index(game, digits, inputs, symbols)
        if slot.rule == "read":
            return self.read_function(slot)
        return self.strategy.functions.get(slot.index, lambda inputs, symbols: 0)

    def read_function(self, slot):
        game, candidates, k = self.game, self.game.candidates(slot), len(self.game.reads[slot.by])

        def read(inputs, symbols):
            player = candidates[combination_unrank(len(candidates), k, symbols[slot.by])[slot.rank]]
            return game.players[player].rank(inputs[player])
        return read

    def run(self, inputs):
        symbols = [0] * len(self.game.slots)
        try:
            for index, function, slot in self.steps:
                symbol = function(inputs, symbols)
                if not 0 <= symbol < slot.alphabet:
                    raise SpecError("%s says %s, expected 0..<%s" % (slot.name, short(symbol), short(slot.alphabet)))
                symbols[index] = symbol
            for index in self.game.shared:
                block = inputs[self.game.slots[index].sender]
                if self.summaries.setdefault(block, symbols[index]) != symbols[index]:
                    raise SpecError("two summaries of block %s under a shared map" % list(block))
        except SpecError as error:
            raise SpecError("%s, on input %s" % (error, describe(self.game, inputs))) from None
        return symbols

    def answer(self, inputs, symbols):
        """The answer, or None if the answer function is free."""
        if self.strategy.answer is None:
            return None
        try:
            answer = self.strategy.answer(inputs, symbols)
            if not 0 <= answer < self.game.task.answers:
                raise SpecError("answer %s, expected 0..<%s" % (short(answer), short(self.game.task.answers)))
        except SpecError as error:
            raise SpecError("%s, on input %s" % (error, describe(self.game, inputs))) from None
        return answer


def view_of(game, player, number, inputs, symbols):
    """The view of a player at the start of a round: own input and the symbols stored (slots of one symbol add
    nothing)."""
    return inputs[player], tuple([symbols[k] for k in game.stored(player, number)])


def final_view(game, inputs, symbols):
    return view_of(game, game.output, game.end, inputs, symbols)
