"""Games (games 1, files 2)."""

import itertools
import math
import re
from bisect import bisect_left

from .limits import MAX_BITS, MAX_NESTING, MAX_SLOTS
from .outcome import NotChecked, SpecError, short
from .number import IntegerOps
from .expression import binomial, factorial, is_name, size_value, substitute
from .pattern import CHANNELS, LABEL, bounded_points, parse_slot_name, slot_name


class Field:
    """A field of an input domain: form number, table, permutation or subset, with its numbers (files 2.2)."""

    def __init__(self, name, form, *numbers):
        self.name, self.form, self.numbers = name, form, numbers
        first = numbers[0]
        self.width = {"number": 1, "table": first, "permutation": first, "subset": first}[form]
        if form == "number":
            self.size = first
        elif form == "table":
            self.size = IntegerOps.power(numbers[1], first)
        elif form == "permutation":
            self.size = factorial(first)
        else:
            self.size = IntegerOps.power(2, first) if len(numbers) == 1 else binomial(*numbers)
        if self.size < 1:
            raise SpecError("field %s has no value" % name)

    def contains(self, digits):
        if self.form == "permutation":
            return sorted(digits) == list(range(self.width))
        top = {"number": self.numbers[0], "table": self.numbers[-1], "subset": 2}[self.form]
        if any(not 0 <= d < top for d in digits):
            return False
        return self.form != "subset" or len(self.numbers) == 1 or sum(digits) == self.numbers[1]

    def elements(self):
        """All values as digit tuples, in lexicographic order."""
        if self.form == "permutation":
            return itertools.permutations(range(self.width))
        if self.form == "subset" and len(self.numbers) == 2:
            return self.fixed_subsets(*self.numbers)
        top = {"number": self.numbers[0], "table": self.numbers[-1], "subset": 2}[self.form]
        return itertools.product(range(top), repeat=self.width)

    def fixed_subsets(self, n, k):
        if n == 0:
            yield ()
            return
        if k < n:
            for rest in self.fixed_subsets(n - 1, k):
                yield (0,) + rest
        if k > 0:
            for rest in self.fixed_subsets(n - 1, k - 1):
                yield (1,) + rest

    def rank(self, digits):
        """The lexicographic index of a value."""
        index = 0
        if self.form == "permutation":
            for i, digit in enumerate(digits):
                index = index * (self.width - i) + sum(1 for d in digits[i + 1:] if d < digit)
            return index
        if self.form == "subset" and len(self.numbers) == 2:
            left = self.numbers[1]
            for i, digit in enumerate(digits):
                if digit:
                    index += math.comb(self.width - i - 1, left)
                    left -= 1
            return index
        top = {"number": self.numbers[0], "table": self.numbers[-1], "subset": 2}[self.form]
        for digit in digits:
            index = index * top + digit
        return index


class Player:
    def __init__(self, label, fields):
        self.label, self.fields = label, sorted(fields, key=lambda field: field.name)
        self.width = sum(field.width for field in self.fields)
        self.size = 1
        for field in self.fields:
            self.size = IntegerOps.mul(self.size, field.size)
        self.ranks = {}

    def parts(self, digits):
        at = 0
        for field in self.fields:
            yield field, digits[at:at + field.width]
            at += field.width

    def contains(self, digits):
        return len(digits) == self.width and all(field.contains(part) for field, part in self.parts(digits))

    def elements(self):
        if self.width > MAX_BITS:
            raise NotChecked("inputs of %s digits" % short(self.width))
        for parts in itertools.product(*[list_if_small(field) for field in self.fields]):
            yield tuple(itertools.chain.from_iterable(parts))

    def rank(self, digits):
        if digits not in self.ranks:
            index = 0
            for field, part in self.parts(digits):
                index = index * field.size + field.rank(part)
            self.ranks[digits] = index
        return self.ranks[digits]


def list_if_small(field):
    if field.size > 2 ** 26:
        raise NotChecked("a domain of more than 2^26 values")
    return list(field.elements())


class Slot:
    """One slot of the schedule.  rule: "chosen", "forward" or "read" (with `by` = index, `rank`)."""

    def __init__(self, game, sender, receiver, kind, numbers, alphabet=None, consults=(), rule="chosen", by=None,
                 rank=None):
        self.sender, self.receiver, self.consults = sender, receiver, tuple(consults)
        self.sender_label, self.receiver_label = game.players[sender].label, game.players[receiver].label
        self.channel, self.numbers = CHANNELS[kind], list(numbers)
        self.name = slot_name(kind, self.sender_label, self.receiver_label, numbers)
        self.alphabet, self.rule, self.by, self.rank = alphabet, rule, by, rank
        self.index = self.round = None
        chosen = rule == "chosen"
        self.sources = tuple(dict.fromkeys((sender,) + (self.consults if chosen else ())))  # whose views it sees


class Game:
    """Players, rounds of slots, output player (games 1)."""

    def __init__(self, players, output):
        self.players, self.labels = players, {player.label: i for i, player in enumerate(players)}
        if not players:
            raise SpecError("no players")
        if len(self.labels) < len(players):
            raise SpecError("two players with one label")
        self.output = self.player(output)
        self.rounds, self.slots, self.by_name, self.name_counts = [], [], {}, {}
        self.incoming = [[] for _ in players]       # slots stored by each player, in schedule order
        self.constants, self.family, self.parameters, self.let = {}, None, {}, {}
        self.shared, self.task = [], None

    def player(self, label):
        if not isinstance(label, str) or label not in self.labels:
            raise SpecError("unknown player `%s`" % short(label))
        return self.labels[label]

    def add_round(self, slots):
        """Append a round; derives the alphabets of Forward and Read slots and checks the errors of games 1."""
        number = len(self.rounds)
        if len(self.slots) + len(slots) > MAX_SLOTS or number >= MAX_SLOTS:
            raise SpecError("more than 2^20 slots")
        for slot in slots:
            slot.index, slot.round = len(self.slots), number
            if len({slot.sender, *slot.consults}) <= len(slot.consults):
                raise SpecError("%s consults a player twice" % slot.name)
            self.name_counts[slot.name] = count = self.name_counts.get(slot.name, 0) + 1
            if count > 1:       # equal names are told apart in schedule order
                slot.name = "%s#%d" % (slot.name, count)
            self.by_name[slot.name] = slot.index
            self.slots.append(slot)
        self.rounds.append(slots)
        for slot in slots:
            if slot.rule == "forward":
                slot.alphabet = self.view_size(slot.sender, number)
            elif slot.rule == "read":
                candidates = self.candidates(slot)
                slot.alphabet = max([self.players[p].size for p in candidates], default=1)
        for slot in slots:
            self.incoming[slot.receiver].append(slot)

    def finish(self):
        self.active = [slot for slot in self.slots if slot.alphabet > 1]
        self.reads = {}
        for slot in self.slots:
            if slot.rule == "read":
                self.reads.setdefault(slot.by, []).append(slot)
        for by, slots in self.reads.items():
            self.check_reads(by, slots)
        self.stored_rounds = [[s.round for s in row if s.alphabet > 1] for row in self.incoming]
        self.stored_slots = [[s.index for s in row if s.alphabet > 1] for row in self.incoming]
        self.end = len(self.rounds)

    def check_reads(self, by, slots):
        selection = self.slots[by] if by is not None and by < len(self.slots) else None
        for slot in slots:
            if selection is None or selection.rule != "chosen" or selection.round >= slot.round \
                    or selection.receiver != slot.receiver:
                raise SpecError("%s reads by a slot that is not an earlier Chosen slot to the same player" % slot.name)
            if slot.sender != slot.receiver:
                raise SpecError("%s: a Read slot goes from a player to itself" % slot.name)
        q, k = len(self.candidates(slots[0])), len(slots)
        if k > q or sorted(slot.rank for slot in slots) != list(range(k)):
            raise SpecError("the ranks of the Read slots by %s are not 0..k-1 with k <= q" % selection.name)
        if selection.alphabet != binomial(q, k):
            raise SpecError("%s has %s symbols, expected C(q,k)" % (selection.name, short(selection.alphabet)))

    def candidates(self, slot):
        return [p for p in range(len(self.players)) if p != slot.receiver]

    def view_size(self, player, number):
        """The number of views of a player at the start of a round."""
        size = self.players[player].size
        for slot in self.incoming[player]:
            if slot.round < number:
                size = IntegerOps.mul(size, slot.alphabet)
        return size

    def stored(self, player, number):
        """Indices of the slots of at least two symbols in a view at the start of a round, in schedule order."""
        return self.stored_slots[player][:bisect_left(self.stored_rounds[player], number)]

    def total(self):
        return math.prod(player.size for player in self.players)

    def key_radices(self, sources, number):
        """The digits of a key (format 4.1): own inputs, then stored symbols, player by player; as (kind, which,
        radix)."""
        digits = [("input", p, self.players[p].size) for p in sources]
        for p in sources:
            digits += [("symbol", s, self.slots[s].alphabet) for s in self.stored(p, number)]
        return digits

    def inputs(self):
        """All full inputs in lexicographic order."""
        return itertools.product(*[list(player.elements()) for player in self.players])


def key_index(game, digits, inputs, symbols):
    """Mixed radix, first digit most significant."""
    index = 0
    for kind, which, radix in digits:
        index = index * radix + (game.players[which].rank(inputs[which]) if kind == "input" else symbols[which])
    return index


def expect_keys(table, required, optional=(), what="table"):
    if not isinstance(table, dict):
        raise SpecError("found %s, expected a table (%s)" % (short(table), what))
    for key in table:
        if key not in required and key not in optional:
            raise SpecError("unknown key `%s` in %s" % (short(key), what))
    for key in required:
        if key not in table:
            raise SpecError("%s has no `%s`" % (what, key))


def one_tag(table, what):
    if not isinstance(table, dict) or len(table) != 1:
        raise SpecError("%s needs exactly one tag" % what)
    return next(iter(table.items()))


def expect_list(value, what):
    if not isinstance(value, list):
        raise SpecError("%s is not a list" % what)
    return value


def expect_bool(value, what):
    if not isinstance(value, bool):
        raise SpecError("%s is not a truth value" % what)
    return value


def build_field(name, form, constants):
    """A field from its form in a file: N, {table}, {permutation}, {subset} (files 2.2)."""
    if not is_name(name):
        raise SpecError("%s is not a field name" % short(name))
    if isinstance(form, str):
        return Field(name, "number", size_value(form, constants, "domain"))
    tag, body = one_tag(form, "the form of " + name)
    if tag == "table":
        if len(expect_list(body, "table")) != 2:
            raise SpecError("table needs [entries, values]")
        return Field(name, "table", size_value(body[0], constants), size_value(body[1], constants))
    if tag == "permutation":
        return Field(name, "permutation", size_value(body, constants))
    if tag != "subset":
        raise SpecError("found `%s`, expected one of table, permutation, subset" % short(tag))
    if isinstance(body, list):
        if len(body) != 2:
            raise SpecError("subset needs n or [n, k]")
        return Field(name, "subset", size_value(body[0], constants), size_value(body[1], constants, "subset", 0))
    return Field(name, "subset", size_value(body, constants))


def build_record(domain, constants):
    """The fields of a domain: a record, or a size N, short for { value = N }."""
    if isinstance(domain, str):
        return [build_field("value", domain, constants)]
    if not isinstance(domain, dict):
        raise SpecError("found %s, expected a domain" % short(domain))
    fields = [build_field(substitute(name, constants), form, constants) for name, form in domain.items()]
    if len({field.name for field in fields}) < len(fields):
        raise SpecError("two fields with one name")
    return fields


def check_label(label):
    if not re.fullmatch(LABEL, label):
        raise SpecError("`%s` is not a player label" % short(label))
    return label


# --- [game]: players and rounds by hand (files 2.2)

def build_own_game(table, constants):
    expect_keys(table, ("players", "rounds", "output"), (), "[game]")
    players = []
    for entry in expect_list(table["players"], "players"):
        expect_keys(entry, (), tuple(entry) if isinstance(entry, dict) else (), "a player")
        labels = [key for key in entry if key != "for"]
        if len(labels) != 1:
            raise SpecError("a player entry has one label")
        for point in bounded_points(entry.get("for"), constants):
            names = {**constants, **point}
            players.append(Player(check_label(substitute(labels[0], names)), build_record(entry[labels[0]], names)))
            if len(players) > MAX_SLOTS:
                raise SpecError("more than 2^20 players")
    game = Game(players, table["output"])
    add_items(game, expect_list(table["rounds"], "rounds"), constants, 0)
    return game


def add_items(game, items, constants, depth):
    if depth > MAX_NESTING:
        raise SpecError("blocks nested too deeply")
    for item in items:
        if isinstance(item, dict) and "do" in item:
            expect_keys(item, ("for", "do"), (), "a block")
            for point in bounded_points(item["for"], constants):
                add_items(game, expect_list(item["do"], "do"), {**constants, **point}, depth + 1)
        else:
            add_own_round(game, item if isinstance(item, list) else [item], constants)


def add_own_round(game, tables, constants):
    slots, number = [], len(game.rounds) + 1
    for table in tables:
        expect_keys(table, (), tuple(table) if isinstance(table, dict) else (), "a round")
        for point in bounded_points(table.get("for"), constants):
            names = {**constants, **point}
            for key, value in table.items():
                if key != "for":
                    slots.append(build_slot(game, substitute(key, names), value, names, number))
            if len(slots) > MAX_SLOTS:
                raise SpecError("more than 2^20 slots")
    slots.sort(key=lambda slot: (slot.sender, slot.receiver, slot.name))
    game.add_round(slots)


def build_slot(game, name, value, constants, number):
    kind, sender, receiver, index = parse_slot_name(name)
    sender, receiver = game.player(sender), game.player(receiver)
    consults = [receiver] if kind == "soft" and receiver != sender else []
    index = index or [number]
    if isinstance(value, str):
        return Slot(game, sender, receiver, kind, index, size_value(value, constants, "alphabet"), consults)
    expect_keys(value, (), ("symbols", "forward", "by", "rank", "consults"), name)
    if "consults" in value:
        consults = [game.player(substitute(label, constants) if isinstance(label, str) else label)
                    for label in expect_list(value["consults"], "consults")]
    given = sorted(set(value) - {"consults"})
    if given == ["symbols"]:
        return Slot(game, sender, receiver, kind, index, size_value(value["symbols"], constants, "alphabet"), consults)
    if given == ["forward"] and value["forward"] is True:
        return Slot(game, sender, receiver, kind, index, None, [], "forward")
    if given == ["by", "rank"] and isinstance(value["by"], str):
        by_kind, by_from, by_to, by_index = parse_slot_name(substitute(value["by"], constants))
        matches = [s for s in game.slots if (CHANNELS[by_kind], by_from, by_to) ==
                   (s.channel, s.sender_label, s.receiver_label) and by_index in (None, s.numbers)]
        if len(matches) != 1:
            raise SpecError("`by` of %s names no earlier slot, or several" % name)
        rank = size_value(value["rank"], constants, "rank", 0)
        return Slot(game, sender, receiver, kind, index, None, [], "read", matches[0].index, rank)
    raise SpecError("%s: expected symbols, forward, or by and rank" % name)
