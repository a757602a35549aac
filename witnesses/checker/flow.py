"""Flow, pruning, support (games 5 and 6.1)."""

from .strategy import carries


def reaches(game, source, target, pinned, after):
    """Can the input of `source` influence the view of `target` after `after` rounds, with some slots pinned?"""
    if game.players[source].size < 2:
        return False
    holders = {source}
    for slots in game.rounds[:after]:
        holders |= {slot.receiver for slot in slots if slot.alphabet > 1 and slot.index not in pinned
                    and carries(game, slot, holders, source)}
    return target in holders


def kept_slots(game):
    """Slots of at least two symbols that reach the output player's final view backwards."""
    needed, kept = {game.output}, set()
    for slots in reversed(game.rounds):
        now = [slot for slot in slots if slot.alphabet > 1 and slot.receiver in needed]
        for slot in now:
            kept.add(slot.index)
            needed.update(slot.sources)
    return kept


def supports(game, kept):
    """sup(slot) of every kept slot: the players on whose inputs its symbol can depend."""
    support = {}
    for slot in game.slots:
        if slot.index in kept:
            players = set(slot.sources)
            if slot.rule == "read":
                players.update(game.candidates(slot))
            for p in slot.sources:
                for k in game.stored(p, slot.round):
                    if k in kept:
                        players |= support[k]
            support[slot.index] = players
    return support
