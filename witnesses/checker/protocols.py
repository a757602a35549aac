"""Denials without a formula: an input on which nothing is accepted, and all protocols one by one (page on refuted
formulas, sections 7 and 8)."""

import math

from .outcome import NotChecked, Rejection
from .enumeration import check_correct, check_enumeration
from .flow import kept_slots
from .formula import accepted_on
from .game import key_index
from .kinds import CHECKS
from .run import Runner, final_view
from .strategy import Strategy

MAX_BITS = 2 ** 16


def check_no_answer(claim, body, at):
    inputs = claim.full_input(body["input"], at + "/input")
    right = accepted_or_reject(claim.game.task, inputs, at + "/input")
    if right is None or right:
        raise Rejection(at + "/input", "accepted", "an accepted answer", "no accepted answer")
    return "no answer is accepted on one input"


def accepted_or_reject(task, inputs, at):
    """As `accepted_on`, but an empty set is no mistake here."""
    try:
        return accepted_on(task, inputs, at)
    except Rejection as rejection:
        if rejection.code == "encoding":
            return []
        raise


class AllProtocols:
    """One symbol per function and key; functions of the kept chosen slots, one for slots that share it."""

    def __init__(self, game):
        self.game, self.functions, self.of_slot = game, [], {}
        shared = None
        for k in sorted(kept_slots(game)):
            slot = game.slots[k]
            if slot.rule != "chosen":
                continue
            digits = game.key_radices(slot.sources, slot.round)
            if k not in game.shared or shared is None:
                self.functions.append((slot.alphabet, math.prod(radix for _, _, radix in digits)))
                shared = len(self.functions) - 1 if k in game.shared else shared
            number = shared if k in game.shared else len(self.functions) - 1
            self.of_slot[k] = (number, digits)

    def domain(self):
        if sum(keys * symbols.bit_length() for symbols, keys in self.functions) > MAX_BITS:
            raise NotChecked("more protocols than are counted")
        return [symbols ** keys for symbols, keys in self.functions]

    def runner(self, number):
        said = []
        for symbols, keys in reversed(self.functions):
            row = []
            for _ in range(keys):
                number, symbol = divmod(number, symbols)
                row.append(symbol)
            said.append(row[::-1])
        said.reverse()
        functions = {k: self.function(said[place], digits) for k, (place, digits) in self.of_slot.items()}
        return Runner(self.game, Strategy("numbered", functions, None, {}))

    def function(self, row, digits):
        return lambda inputs, symbols: row[key_index(self.game, digits, inputs, symbols)]

    def first_wrong(self, number, inputs, accepted):
        """The first input with which some final view has no common answer; None if there is none."""
        runner, common = self.runner(number), {}
        for place, x in enumerate(inputs):
            view = final_view(self.game, x, runner.run(x))
            right = accepted[place]
            left = common.get(view)
            if right is not None:
                left = right if left is None else left & right
                if not left:
                    return place
            common[view] = left
        return None


def check_all_protocols(claim, body, at):
    game = claim.game
    every = AllProtocols(game)
    domain = every.domain()
    claim.limit(math.prod(domain) * game.total(), "runs")
    inputs = list(game.inputs())
    accepted = [accepted_or_reject(game.task, x, at) for x in inputs]
    accepted = [None if right is None else set(right) for right in accepted]
    right = 0

    def rerun():
        nonlocal right
        for number in range(math.prod(domain)):
            wrong = every.first_wrong(number, inputs, accepted)
            right += wrong is None
            yield b"null" if wrong is None else b'"%d"' % wrong
        return {"right": str(right)}
    check_enumeration(claim, body, at, "protocols-v1", domain, rerun)
    if right:
        raise Rejection(at, "accepted", "%d protocols that are right" % right, "none")
    return "enumeration: none of %d protocols is right" % math.prod(domain)


def check_either(claim, body, at):
    """What is enumerated depends on the statement."""
    check = check_correct if claim.kind in ("correct", "wrong") else check_all_protocols
    return check(claim, body, at)


CHECKS.update({"no_answer": check_no_answer, "enumeration": check_either})
