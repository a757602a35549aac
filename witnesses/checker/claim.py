"""Rebuilding a claim: spec, resolved object, digest (format 1, details 1 and 2)."""

from .outcome import NotChecked, Rejection, short
from .canonical import decimal_text, digest_of
from .shape import as_object
from .task import NAMED_TASKS
from .family import build_game, family_one_way
from .strategy import build_strategy
from .run import Runner
from .flow import reaches


ONE_PROTOCOL = ("correct", "wrong", "decomposition")
GAME_KINDS = ("independent", "cuts", "solvable", "unsolvable", *ONE_PROTOCOL)


class Claim:
    """One evidence file whose shape is right, with what its spec and statement stand for."""

    def __init__(self, doc, attached, max_inputs):
        self.doc, self.attached, self.max_inputs = doc, attached, max_inputs
        self.kind, self.body = next(iter(doc["statement"].items()))
        self.at = "/statement/" + self.kind
        self.verdict, self.trust = doc["verdict"], []
        self.strategy = self.runner = None
        self.evidence = [(*next(iter(item.items())), "/evidence/%d/%s" % (i, next(iter(item))))
                         for i, item in enumerate(doc["evidence"])]

    def rebuild(self):
        """Game, strategy or numeric statement; SpecError if something does not build."""
        spec = self.doc["spec"]
        self.game = None
        of_game = {"count": "task" not in self.body, "matrix": not {"rows", "all"} & set(self.body)}
        if self.kind in GAME_KINDS or of_game.get(self.kind, False):
            with_strategy = self.kind in ONE_PROTOCOL
            as_object(spec, "/spec", ("game", "strategy") if with_strategy else ("game",))
            as_object(spec["game"], "/spec/game", (), ("family", "game", "let", "task"))
            self.game = build_game(spec["game"])
            if with_strategy:
                as_object(spec["strategy"], "/spec/strategy", ("strategy",), ("let",))
                self.strategy = build_strategy(spec["strategy"], self.game)
                self.runner = Runner(self.game, self.strategy)
            return
        if self.kind == "model":
            as_object(spec, "/spec", ("config",))
            return
        as_object(spec, "/spec", ())
        if self.kind == "count":
            tag, fields = next(iter(self.body["task"].items()))
            task = NAMED_TASKS[tag](fields, {})
            self.game, _ = family_one_way({"symbols": "1"}, {}, task)
            self.game.family = "one_way"
            self.game.finish()
            task.bind(self.game)
            self.game.task = task

    def digest(self):
        if self.game is not None and self.doc["spec"]:
            return digest_of(resolved_object(self.game, self.strategy))
        return digest_of({"spec": self.doc["spec"], "statement": self.doc["statement"]})

    def meet_statement(self):
        """A flow statement against the game: labels, `after`, slot indices."""
        if self.kind not in ("independent", "cuts"):
            return
        for key in ("of", "view"):
            if self.body[key] not in self.game.labels:
                raise Rejection(self.at + "/" + key, "malformed", self.body[key], "a player of the game")
        self.source, self.target = (self.game.labels[self.body[key]] for key in ("of", "view"))
        self.after = self.body["after"]
        if self.after > self.game.end:
            raise Rejection(self.at + "/after", "malformed", self.after, "at most %d rounds" % self.game.end)
        for i, index in enumerate(self.body.get("pinned", ())):
            self.slot(index, "%s/pinned/%d" % (self.at, i))
        for i, cut in enumerate(self.body.get("equals", ())):
            for j, index in enumerate(cut):
                self.slot(index, "%s/equals/%d/%d" % (self.at, i, j))

    def slot(self, index, at):
        if index >= len(self.game.slots):
            raise Rejection(at, "coverage", index, "a slot index below %d" % len(self.game.slots))
        return self.game.slots[index]

    def expect_no_files(self):
        if self.attached:
            raise Rejection("/files", "file", sorted(self.attached), "no attached files")

    def leaks(self, pinned):
        """Does a path of the flow statement avoid these slots?"""
        return reaches(self.game, self.source, self.target, set(pinned), self.after)

    def limit(self, size, what):
        if size > self.max_inputs:
            raise NotChecked("%s %s, over --max-inputs %d" % (short(size), what, self.max_inputs))

    def element(self, player, digits, at):
        """The input of one player as a digit tuple; code `domain`."""
        digits = tuple(digits)
        if len(digits) != player.width:
            raise Rejection(at, "domain", "%d digits" % len(digits), "%s digits" % short(player.width))
        if not player.contains(digits):
            raise Rejection(at, "domain", list(digits), "an input of " + player.label)
        return digits

    def expect_labels(self, value, labels, at):
        if set(value) != set(labels):
            raise Rejection(at, "domain", " ".join(sorted(value)), "exactly the players " + " ".join(labels))

    def part(self, value, labels, at):
        """An input of exactly these players: player to digits."""
        self.expect_labels(value, labels, at)
        return {self.game.labels[label]: self.element(self.game.players[self.game.labels[label]], value[label],
                                                      at + "/" + label) for label in labels}

    def full_input(self, value, at):
        part = self.part(value, list(self.game.labels), at)
        return tuple(part[p] for p in range(len(self.game.players)))


def is_one_way(game):
    """Two players and one Chosen slot to the output player; the sender consults nobody."""
    if len(game.players) != 2 or len(game.slots) != 1:
        return False
    slot = game.slots[0]
    return (slot.rule == "chosen" and slot.sender != slot.receiver == game.output and not slot.consults)


def resolved_slot(game, slot):
    rule = slot.rule if slot.rule != "read" else {"read": {"by": slot.by, "rank": slot.rank}}
    return {"alphabet": decimal_text(slot.alphabet), "channel": slot.channel,
            "consults": [game.players[p].label for p in slot.consults], "from": slot.sender_label, "rule": rule,
            "to": slot.receiver_label}


def resolved_object(game, strategy):
    """What `digest` hashes for a claim about a game (format 1, details 1)."""
    return {"output": game.players[game.output].label,
            "players": [[player.label, decimal_text(player.size)] for player in game.players],
            "rounds": [[resolved_slot(game, slot) for slot in slots] for slots in game.rounds],
            "strategy": strategy.resolved() if strategy else None, "task": game.task.resolved()}
