"""Strategies (files 4, games 4.1 and 7.5).  functions: slot index to f(inputs, symbols); a slot without one says 0."""

import hashlib
import itertools
import math
import re
from bisect import bisect_right

from .outcome import SpecError, short
from .canonical import decimal_text
from .number import combination_rank
from .expression import (
    Env, Scope, bits_of, canonical_text, compile_text, constant_integer, merge_constants, need, resolve_constants,
    size_value)
from .pattern import CHANNELS, resolve_patterns, slot_name
from .game import expect_bool, expect_keys, expect_list, key_index, one_tag
from .task import CompositionTask, fields_in_sight, resolved_fields, resolved_let


class Strategy:
    def __init__(self, tag, functions, answer, resolved):
        self.tag, self.functions, self.answer, self.fields = tag, functions, answer, resolved
        self.forms = {}         # of affine and threshold strategies: slot index to its form

    def resolved(self):
        return {self.tag: self.fields}


class Sight:
    """What one Chosen symbol, or the answer, may look at: fields and slots, with those of Forward copies."""

    def __init__(self, game, sources, number):
        self.game, self.players, self.slots, self.views = game, set(), {}, {}
        for p in sources:
            self.views[game.players[p].label] = game.stored(p, number)
            self.add_view(p, number)

    def add_view(self, player, number):
        self.players.add(player)
        for slot in self.game.incoming[player]:
            if slot.round < number and slot.name not in self.slots:
                self.slots[slot.name] = slot.index
                if slot.rule == "forward":
                    self.add_view(slot.sender, slot.round)

    def scope(self, constants, sender):
        scope = Scope(constants, fields=fields_in_sight(self.game, sorted(self.players)), slots=self.slots,
                      views=self.views, sender=sender)
        scope.kept = {name for name, index in self.slots.items() if self.game.slots[index].alphabet > 1}
        return scope


def compiled_function(code):
    run = code.run
    return lambda inputs, symbols: run(Env(inputs, symbols))


def answer_function(body, game, constants):
    """The optional `answer` expression over the final view of the output player; None: the answer function is free."""
    if "answer" not in body:
        return None
    sight = Sight(game, [game.output], game.end)
    label = game.players[game.output].label
    return compiled_function(need(compile_text(body["answer"], sight.scope(constants, label)), "int"))


def with_answer(fields, body, game, let):
    """Add `answer`, and then `fields` and `let`, to the resolved fields of a strategy (details 1)."""
    if "answer" in body:
        fields = {**fields, "answer": canonical_text(body["answer"]), "fields": resolved_fields(game),
                  "let": resolved_let(let)}
    return fields


def build_strategy(spec, game):
    """The protocol from the tables `let` and `strategy` (files 4)."""
    let = resolve_constants(spec.get("let", {}))
    tag, body = one_tag(spec["strategy"], "[strategy]")
    builders = {"table": strategy_table, "lookup": strategy_lookup, "full": strategy_composed,
                "relay": strategy_relay, "pre_pass": strategy_composed, "affine": strategy_affine,
                "threshold": strategy_affine, "pseudo_random": strategy_pseudo_random,
                "expression": strategy_expression}
    if tag not in builders:
        raise SpecError("unknown strategy `%s`" % short(tag))
    if not isinstance(body, dict):
        raise SpecError("[strategy.%s] is not a table" % tag)
    return builders[tag](tag, body, game, let, {**game.let, **game.constants, **let})


def chosen_slots(game):
    return [slot for slot in game.active if slot.rule == "chosen"]


# --- table

def symbol_list(value, constants, what):
    """A list of symbols, or a digit string."""
    if isinstance(value, str):
        value = list(re.sub(r"\s", "", value))
    return [size_value(item, constants, what, 0) for item in expect_list(value, what)]


def table_function(game, digits, table):
    return lambda inputs, symbols: table[key_index(game, digits, inputs, symbols)]


def key_count(digits):
    return math.prod(radix for _, _, radix in digits)


def strategy_table(tag, body, game, let, constants):
    expect_keys(body, ("say",), ("answers",), "[strategy.table]")
    expect_keys(body["say"], (), tuple(body["say"]) if isinstance(body["say"], dict) else (), "say")
    tables = {}
    for index, (pattern, _) in resolve_patterns(list(body["say"]), game, constants).items():
        slot, table = game.slots[index], symbol_list(body["say"][pattern], constants, "symbol")
        digits = game.key_radices(slot.sources, slot.round)
        if slot.rule != "chosen" or len(table) != key_count(digits) or any(s >= slot.alphabet for s in table):
            raise SpecError("the table of %s does not fit" % slot.name)
        tables[index] = table
    if len({tuple(tables[i]) if i in tables and any(tables[i]) else None for i in game.shared}) > 1:
        raise SpecError("the summary slots of a shared map have different tables")
    functions = {index: table_function(game, game.key_radices(game.slots[index].sources, game.slots[index].round), t)
                 for index, t in tables.items()}
    answers = answer = None
    if "answers" in body:
        answers = symbol_list(body["answers"], constants, "answer")
        digits = game.key_radices([game.output], game.end)
        if len(answers) != key_count(digits) or any(a >= game.task.answers for a in answers):
            raise SpecError("`answers` does not fit")
        answer = table_function(game, digits, answers)
    fields = {"answers": None if answers is None else [decimal_text(a) for a in answers],
              "say": {str(index): [decimal_text(s) for s in table] for index, table in tables.items()}}
    return Strategy(tag, functions, answer, fields)


# --- the protocols of the hybrid game (games 4.1 and 7.5)

def hybrid_slot(game, kind, sender, receiver, *numbers):
    """Index of a slot of the hybrid game with at least two symbols, else None."""
    index = game.by_name.get(slot_name(kind, sender, receiver, numbers))
    return index if index is not None and game.slots[index].alphabet > 1 else None


def expect_hybrid(game, tag):
    if game.family != "hybrid":
        raise SpecError("[strategy.%s] is for hybrid games" % tag)


def strategy_lookup(tag, body, game, let, constants):
    expect_keys(body, (), ("answer",), "[strategy.lookup]")
    expect_hybrid(game, tag)
    functions = {slot.index: lookup_function(game, slot) for slot in chosen_slots(game)}
    return Strategy(tag, functions, answer_function(body, game, constants), with_answer({}, body, game, let))


def lookup_function(game, slot):
    """The look-up protocol (games 7.5)."""
    j, i, size = int(slot.sender_label), int(slot.receiver_label), slot.alphabet
    sender, stored = slot.sender, game.stored(slot.sender, slot.round)
    player = game.labels
    if slot.channel == "soft":
        if (j, i) == (1, 0):
            return lambda x, s: x[sender][x[player["0"]][0]] % size
        if (j, i) == (0, -1):
            heard = hybrid_slot(game, "soft", 1, 0, 1)
            return lookup_start(sender, heard if heard in stored else None, size)
        if (j, i) == (1, -1):
            return lambda x, s: x[sender][0] % size
        if i == -1:
            return lookup_query(game, slot, j, size)
        return lambda x, s: sum(x[sender]) % size
    if j == 0:
        heard = hybrid_slot(game, "soft", 1, 0, 1)
        return lookup_start(sender, heard if heard in stored else None, size)
    if not stored:
        return lambda x, s: sum((a + 1) * v for a, v in enumerate(x[sender])) % size
    return lambda x, s: (sum(s[k] for k in stored) + sum(x[sender])) % size


def lookup_start(sender, heard, size):
    if heard is None:
        return lambda x, s: x[sender][0] % size
    return lambda x, s: s[heard] % size


def lookup_query(game, slot, j, size):
    """soft j->-1, j >= 2: z_j[w_{j-1} m_{j-1} + g] with g from what -1 received."""
    received = game.stored(slot.receiver, slot.round)
    epoch = slot.numbers[0]
    names = [("lin", 0, -1, 1, 1), ("soft", 0, -1, epoch - 1)] if j == 2 else [("soft", j - 1, -1, epoch - 1)]
    known = [k for k in (hybrid_slot(game, *name) for name in names) if k in received]
    m = game.parameters["ranges"][j - 2]
    query = game.task.query_at[j - 2] if game.task.tag == "composition" else CompositionTask(game).query_at[j - 2]
    sender, receiver = slot.sender, slot.receiver
    if known:
        return lambda x, s: x[sender][x[receiver][query] * m + s[known[0]] % m] % size
    return lambda x, s: x[sender][x[receiver][query] * m] % size


def strategy_relay(tag, body, game, let, constants):
    if "from" in body or "path" in body:
        return strategy_flow_relay(tag, body, game, let, constants)
    return strategy_composed(tag, body, game, let, constants)


def strategy_composed(tag, body, game, let, constants):
    """full, relay, pre_pass (games 4.1), in the leftmost subsequence of the layout with large enough alphabets."""
    expect_keys(body, (), (), "[strategy.%s]" % tag)
    expect_hybrid(game, tag)
    steps, start, ranges = game.parameters["steps"], game.parameters["start"], game.parameters["ranges"]
    chain = CompositionTask(game)
    at, functions = -1, {}

    def take(kind, sender, receiver, alphabet, function):
        """Use the first slot of this edge in a later round that has enough symbols."""
        nonlocal at
        for slot in game.slots:
            if slot.round > at and slot.channel == CHANNELS[kind] and slot.sender_label == str(sender) \
                    and slot.receiver_label == str(receiver) and slot.alphabet >= alphabet:
                at = slot.round
                functions[slot.index] = function
                return slot.index
        raise SpecError("[strategy.%s]: no `%s %s->%s` with %s symbols is left" % (tag, kind, sender, receiver,
                                                                                    short(alphabet)))
    middle = game.labels["0"]
    z0 = lambda x, s: x[middle][0]
    first_value = 2
    if tag == "full":
        known = take("soft", 0, -1, start, z0)
        first_value = 1
    elif tag == "pre_pass":
        known = take("lin", 0, -1, start, z0)
        first_value = 1
    else:
        one = game.labels["1"]
        heard = take("soft", 1, 0, ranges[0], lambda x, s: x[one][x[middle][0]])
        known = take("lin", 0, -1, ranges[0], lambda x, s: s[heard])
    for l in range(first_value, steps + 1):
        known = take("soft", l, -1, ranges[l - 1], composed_step(game, chain, l, known))
    return Strategy(tag, functions, lambda x, s: s[known], {})


def composed_step(game, chain, l, known):
    """soft l->-1 answers the query (w_{l-1}, i_{l-1}) of player -1, for l = 1 the query z_0."""
    sender, receiver = game.labels[str(l)], game.labels["-1"]
    if l == 1:
        return lambda x, s: x[sender][s[known]]
    query, m = chain.query_at[l - 2], game.parameters["ranges"][l - 2]
    return lambda x, s: x[sender][x[receiver][query] * m + s[known]]


# --- the flow relay (games 5)

def strategy_flow_relay(tag, body, game, let, constants):
    expect_keys(body, ("from", "path"), (), "[strategy.relay]")
    source = game.player(body["from"])
    path = []
    for name in expect_list(body["path"], "path"):
        if not isinstance(name, str) or name not in game.by_name:
            raise SpecError("this game has no slot `%s`" % short(name))
        path.append(game.by_name[name])
    problem = path_problem(game, source, path, game.end)
    if problem:
        raise SpecError("[strategy.relay]: " + problem)
    fields = {"from": game.players[source].label, "path": path}
    return Strategy(tag, relay_functions(game, source, path), None, fields)


def carries(game, slot, holders, source):
    """Does the slot carry influence of `source`, given who had it at the start of its round (games 5)?"""
    if slot.rule == "read":
        candidates = game.candidates(slot)
        if source not in candidates:
            return False
        q, k, p = len(candidates), len(game.reads[slot.by]), candidates.index(source)
        return slot.rank <= p <= q - k + slot.rank
    return any(p in holders for p in slot.sources)


def path_problem(game, source, path, after):
    """Why a list of slots is not a path of games 5 from `source`; None if it is one."""
    if game.players[source].size < 2:
        return "%s has one input only" % game.players[source].label
    holder, last_round = source, -1
    for index in path:
        slot = game.slots[index]
        if slot.alphabet < 2:
            return "%s has one symbol" % slot.name
        if slot.round <= last_round or slot.round >= after:
            return "%s is not in a later round, or too late" % slot.name
        if not carries(game, slot, (holder,), source) or (slot.rule == "read" and holder != source):
            return "%s does not carry on" % slot.name
        holder, last_round = slot.receiver, slot.round
    return None


def relay_functions(game, source, path):
    """The relay protocol: every Chosen slot of the path says whether the input of `source` is not the first.  Each
    slot can, since the previous one put that bit into a view it sees.  All other slots say 0, but the selection of a
    Read step is the first tuple with `source` at place `rank`."""
    rank = game.players[source].rank

    def bit(inputs, symbols):
        return int(rank(inputs[source]) != 0)
    functions = {}
    for index in path:
        slot = game.slots[index]
        if slot.rule == "chosen":
            functions[index] = bit
        elif slot.rule == "read":
            candidates = game.candidates(slot)
            k, p = len(game.reads[slot.by]), candidates.index(source)
            chosen = list(range(slot.rank)) + list(range(p, p + k - slot.rank))
            symbol = combination_rank(len(candidates), chosen)
            functions[slot.by] = lambda inputs, symbols: symbol
    if any(index in game.shared for index in path):
        for index in game.shared:
            functions[index] = own_bit(game, game.slots[index].sender)
    return functions


def own_bit(game, player):
    """Whether the input of a player is not the first: the shared map of a relay through a summary."""
    rank = game.players[player].rank
    return lambda inputs, symbols: int(rank(inputs[player]) != 0)


# --- affine and threshold

def strategy_affine(tag, body, game, let, constants):
    expect_keys(body, ("say",), ("answer",), "[strategy.%s]" % tag)
    if not isinstance(body["say"], dict):
        raise SpecError("`say` is not a table")
    say = {}
    for pattern, rule in body["say"].items():
        extra = ("at",) if tag == "threshold" else ()
        expect_keys(rule, extra, ("constant", "inputs", "received"), pattern)
        say[pattern] = {"constant": constant_integer(rule.get("constant", "0"), constants)}
        for key in ("inputs", "received") + extra:
            say[pattern][key] = [constant_integer(item, constants) for item in expect_list(rule.get(key, []), key)]
        at = say[pattern].get("at", [])
        if any(a >= b for a, b in zip(at, at[1:])):
            raise SpecError("`at` is not increasing")
    functions, forms = {}, {}
    for index, (pattern, _) in resolve_patterns(list(say), game, constants).items():
        slot = game.slots[index]
        if slot.rule == "chosen":
            forms[index] = say[pattern]
            functions[index] = affine_function(game, slot, say[pattern], tag == "threshold")
    written = [[pattern, {key: decimal_text(value) if key == "constant" else [decimal_text(v) for v in value]
                          for key, value in say[pattern].items()}] for pattern in sorted(say)]
    strategy = Strategy(tag, functions, answer_function(body, game, constants),
                        with_answer({"say": written}, body, game, let))
    strategy.forms = forms
    return strategy


def affine_function(game, slot, rule, threshold):
    sources, stored = slot.sources, []
    for p in sources:
        stored += game.stored(p, slot.round)
    width = sum(game.players[p].width for p in sources)
    if len(rule["inputs"]) > width or len(rule["received"]) > len(stored):
        raise SpecError("%s has more coefficients than digits or symbols" % slot.name)
    if threshold and 1 < slot.alphabet < len(rule["at"]) + 1:
        raise SpecError("%s needs %d symbols" % (slot.name, len(rule["at"]) + 1))
    constant, inputs, received, size = rule["constant"], rule["inputs"], rule["received"], slot.alphabet

    def value(x, s):
        digits = itertools.chain.from_iterable(x[p] for p in sources)
        return (constant + sum(c * d for c, d in zip(inputs, digits))
                + sum(c * s[k] for c, k in zip(received, stored)))
    if threshold:
        return lambda x, s: bisect_right(rule["at"], value(x, s))
    return lambda x, s: value(x, s) % size


# --- pseudo_random

def strategy_pseudo_random(tag, body, game, let, constants):
    expect_keys(body, ("seed",), ("answer",), "[strategy.pseudo_random]")
    seed = decimal_text(size_value(body["seed"], constants, "seed", 0))
    functions = {slot.index: random_function(game, slot, seed) for slot in chosen_slots(game)}
    return Strategy(tag, functions, answer_function(body, game, constants),
                    with_answer({"seed": seed}, body, game, let))


def random_text(game, slot, seed, inputs, symbols):
    views = []
    for p in slot.sources:
        views.append(",".join(map(str, inputs[p])) + ":"
                     + ",".join(decimal_text(symbols[k]) for k in game.stored(p, slot.round)))
    return ";".join(["1", seed, slot.name] + views)


def random_function(game, slot, seed):
    blocks = -(-(bits_of(slot.alphabet) + 64) // 256)

    def symbol(inputs, symbols):
        text = random_text(game, slot, seed, inputs, symbols)
        data = b"".join(hashlib.sha256(("%s;%d" % (text, b)).encode("ascii")).digest() for b in range(blocks))
        return int.from_bytes(data, "big") % slot.alphabet
    return symbol


# --- expression

def strategy_expression(tag, body, game, let, constants):
    expect_keys(body, (), ("say", "default", "answer", "allow_unused"), "[strategy.expression]")
    say = body.get("say", {})
    if not isinstance(say, dict):
        raise SpecError("`say` is not a table")
    allow_unused = expect_bool(body.get("allow_unused", False), "allow_unused")
    chosen = resolve_patterns(list(say), game, constants, allow_unused)
    functions = {}
    for slot in chosen_slots(game):
        pattern, bindings = chosen.get(slot.index, (None, {}))
        if pattern is None and "default" not in body:
            raise SpecError("no pattern matches `%s` and there is no `default`" % slot.name)
        names = merge_constants(constants, bindings, {"size": slot.alphabet})
        scope = Sight(game, slot.sources, slot.round).scope(names, slot.sender_label)
        text = body["default"] if pattern is None else say[pattern]
        functions[slot.index] = compiled_function(need(compile_text(text, scope), "int"))
    fields = {"allow_unused": allow_unused, "fields": resolved_fields(game), "let": resolved_let(let),
              "say": [[pattern, canonical_text(say[pattern])] for pattern in sorted(say)]}
    for key in ("default", "answer"):
        if key in body:
            fields[key] = canonical_text(body[key])
    return Strategy(tag, functions, answer_function(body, game, constants), fields)
