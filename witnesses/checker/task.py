"""Tasks (games 3, files 3).  accepted(inputs) is the increasing tuple of accepted answers, or None for "every
answer"."""

import re

from .limits import MAX_SLOTS, MAX_STEPS, MAX_TABULATED
from .outcome import NotChecked, SpecError, short
from .canonical import decimal_text, decimal_value, is_decimal
from .number import IntegerOps
from .expression import Env, Scope, canonical_text, compile_text, constant_text, merge_constants, need, size_value
from .game import Field, expect_bool, expect_keys, expect_list


def fields_in_sight(game, players):
    """Bare field name to the list of (label, player, first digit, width or None for a number)."""
    fields = {}
    for p in players:
        at = 0
        for field in game.players[p].fields:
            width = None if field.form == "number" else field.width
            fields.setdefault(field.name, []).append((game.players[p].label, p, at, width))
            at += field.width
    return fields


def resolved_fields(game):
    """The `fields` of the resolved object (details 1)."""
    return {player.label: [[field.name, field.form] + [decimal_text(n) for n in field.numbers]
                           for field in player.fields] for player in game.players}


def resolved_let(let):
    return {name: constant_text(value) for name, value in let.items()}


def describe(game, inputs):
    return ", ".join("%s %s" % (player.label, list(digits)) for player, digits in zip(game.players, inputs))


class Task:
    tag = None

    def accepts(self, inputs, answer):
        accepted = self.accepted(inputs)
        return accepted is None or answer in accepted


class CompositionTask(Task):
    """i_1 = z_1[z_0]; i_{l+1} = z_{l+1}[w_l m_l + i_l]; the answer is i_L (games 3)."""
    tag = "composition"

    def __init__(self, game):
        self.parameters = game.parameters
        self.steps, self.ranges = game.parameters["steps"], game.parameters["ranges"]
        self.answers = self.ranges[-1]
        names = [field.name for field in game.players[-1].fields]
        self.query_at = [names.index("w%d" % l) for l in range(1, self.steps)]

    def accepted(self, inputs):
        steps, queries = self.steps, inputs[self.steps + 1]
        value = inputs[steps - 1][inputs[steps][0]]
        for l in range(1, steps):
            value = inputs[steps - 1 - l][queries[self.query_at[l - 1]] * self.ranges[l - 1] + value]
        return (value,)

    def resolved(self):
        p = self.parameters
        return {"composition": {"queries": [decimal_text(n) for n in p["queries"]],
                                "ranges": [decimal_text(n) for n in p["ranges"]],
                                "start": decimal_text(p["start"]), "steps": decimal_text(p["steps"])}}


class SparseMembership(Task):
    tag = "membership"
    answers = 2

    def __init__(self, game):
        self.parameters = game.parameters

    def accepted(self, inputs):
        value = inputs[-1][0]
        return (1,) if any(value in block for block in inputs[:-1]) else (0,)

    def resolved(self):
        return {"membership": {key: decimal_text(self.parameters[key]) for key in ("n", "block", "values")}}


class PointerTask(Task):
    """label(pi_{k-1}(.. pi_2(start))) (games 2.6)."""
    tag = "pointer"
    answers = 2

    def __init__(self, game):
        self.parameters = game.parameters

    def accepted(self, inputs):
        k = self.parameters["players"]
        point = inputs[k - 1][0]
        for j in range(k - 2, 0, -1):
            point = inputs[j][point]
        return (inputs[0][point],)

    def resolved(self):
        return {"pointer": {key: decimal_text(self.parameters[key]) for key in ("players", "points")}}


class NamedTask(Task):
    """A task named in a file; it gives the inputs of a one_way, cot or streaming game (files 3)."""
    required, optional, least = (), (), {}

    def __init__(self, body, constants):
        expect_keys(body, self.required, self.optional, "[task.%s]" % self.tag)
        self.streaming = False
        self.values = {}
        for key in self.required + self.optional:
            if key in ("last", "reflexive"):
                self.values[key] = expect_bool(body.get(key, False), key)
            elif key in body:
                self.values[key] = size_value(body[key], constants, key, self.least.get(key, 1))
        self.prepare()

    def prepare(self):
        pass

    def bind(self, game):
        if game.family not in ("one_way", "cot", "streaming"):
            raise SpecError("[task.%s] does not fit this game" % self.tag)
        self.streaming = game.family == "streaming"
        self.set_answers()

    def set_answers(self):
        pass

    def tokens(self, inputs):
        """The tokens of a streaming game in prompt order."""
        return [digits[0] for digits in inputs]

    def resolved(self):
        return {self.tag: {key: value if isinstance(value, bool) else decimal_text(value)
                           for key, value in self.values.items()}}


class MembershipTask(NamedTask):
    tag, required, answers = "membership", ("tokens", "values"), 2

    def two_party_fields(self):
        v = self.values
        return [Field("a", "table", v["tokens"], v["values"])], [Field("v", "number", v["values"])]

    def streaming_fields(self):
        count = self.values["tokens"] + 1
        return [[Field("v", "number", self.values["values"])] for _ in range(within(count))]

    def accepted(self, inputs):
        if self.streaming:
            tokens = self.tokens(inputs)
            return (int(tokens[-1] in tokens[:-1]),)
        return (int(inputs[1][0] in inputs[0]),)


class EvaTask(NamedTask):
    tag, required = "eva", ("n",)

    def prepare(self):
        self.answers = self.values["n"]

    def two_party_fields(self):
        n = self.values["n"]
        return [Field("f", "table", n, n)], [Field("x", "number", n)]

    def streaming_fields(self):
        n = self.values["n"]
        return [[Field("v", "number", n)] for _ in range(within(n))] + [[Field("x", "number", n)]]

    def accepted(self, inputs):
        if self.streaming:
            return (inputs[inputs[-1][0]][0],)
        return (inputs[0][inputs[1][0]],)


class PercomTask(NamedTask):
    tag, required, optional = "percom", ("n",), ("last",)

    def prepare(self):
        n = self.values["n"]
        self.answers = n if self.values["last"] else IntegerOps.power(n, n)

    def two_party_fields(self):
        n = self.values["n"]
        return [Field("sigma", "permutation", n)], [Field("tau", "permutation", n)]

    def streaming_fields(self):
        raise SpecError("percom has no streaming form")

    def accepted(self, inputs):
        sigma, tau, n = inputs[0], inputs[1], self.values["n"]
        if self.values["last"]:
            return (sigma[tau[n - 1]],)
        index = 0
        for i in range(n):
            index = index * n + sigma[tau[i]]
        return (index,)


class TwoSumTask(NamedTask):
    """Bit of position i: some j < i (reflexive: j <= i) with x_i + x_j = 0 mod M."""
    tag, required, optional, least = "two_sum", ("modulus", "n"), ("cut", "reflexive"), {"cut": 0}

    def prepare(self):
        self.values.setdefault("cut", self.values["n"] - 1)
        if self.values["cut"] >= self.values["n"]:
            raise SpecError("cut %s, expected less than n" % short(self.values["cut"]))
        self.answers = 2

    def set_answers(self):
        self.answers = 2 if self.streaming else IntegerOps.power(2, self.values["n"] - self.values["cut"])

    def two_party_fields(self):
        n, modulus, cut = self.values["n"], self.values["modulus"], self.values["cut"]
        return [Field("a", "table", cut, modulus)], [Field("b", "table", n - cut, modulus)]

    def streaming_fields(self):
        return [[Field("v", "number", self.values["modulus"])] for _ in range(within(self.values["n"]))]

    def bit(self, tokens, i):
        earlier = tokens[:i + 1] if self.values["reflexive"] else tokens[:i]
        return int(any((tokens[i] + other) % self.values["modulus"] == 0 for other in earlier))

    def accepted(self, inputs):
        if self.streaming:
            tokens = self.tokens(inputs)
            return (self.bit(tokens, len(tokens) - 1),)
        tokens, index = list(inputs[0]) + list(inputs[1]), 0
        for i in range(self.values["cut"], self.values["n"]):
            index = 2 * index + self.bit(tokens, i)
        return (index,)


class KHopTask(NamedTask):
    """hop_k at the last position; positions are 1-based, 0 means none."""
    tag, required, least = "k_hop", ("k", "prefix", "suffix", "symbols"), {"k": 0, "prefix": 0}

    def prepare(self):
        self.answers = self.values["symbols"] + 1

    def two_party_fields(self):
        v = self.values
        return [Field("a", "table", v["prefix"], v["symbols"])], [Field("b", "table", v["suffix"], v["symbols"])]

    def streaming_fields(self):
        count = self.values["prefix"] + self.values["suffix"]
        return [[Field("v", "number", self.values["symbols"])] for _ in range(within(count))]

    def accepted(self, inputs):
        tokens = [None] + (self.tokens(inputs) if self.streaming else list(inputs[0]) + list(inputs[1]))
        at = len(tokens) - 1
        for _ in range(self.values["k"]):
            at = next((j for j in range(at, 1, -1) if tokens[j - 1] == tokens[at]), 0) if at else 0
            if at == 0:
                return (self.values["symbols"],)
        return (tokens[at],)


def within(count):
    if count > MAX_SLOTS:
        raise SpecError("more than 2^20 players")
    return count


NAMED_TASKS = {task.tag: task for task in (MembershipTask, EvaTask, PercomTask, TwoSumTask, KHopTask)}


class TableTask(Task):
    """One entry per full input in lexicographic order: an answer, a list of answers, or `*`."""
    tag = "table"

    def __init__(self, body, game):
        expect_keys(body, ("answers", "values"), (), "[task.table]")
        self.game, self.answers = game, size_value(body["answers"], game.let, "answers")
        values = body["values"]
        if isinstance(values, str):
            values = ["*" if c == "*" else c for c in re.sub(r"\s", "", values)]
        expect_list(values, "values")
        if len(values) != game.total():
            raise SpecError("values has %d entries, expected %s" % (len(values), short(game.total())))
        everything = tuple(range(self.answers)) if self.answers <= MAX_STEPS else None
        self.entries = [self.entry(value, everything) for value in values]

    def entry(self, value, everything):
        if value == "*" and everything is not None:
            return everything
        items = value if isinstance(value, list) else [value]
        if not all(is_decimal(item) and 0 <= decimal_value(item) < self.answers for item in items):
            raise SpecError("found %s, expected answers below %s" % (short(value), short(self.answers)))
        return tuple(sorted({decimal_value(item) for item in items}))

    def accepted(self, inputs):
        index = 0
        for player, digits in zip(self.game.players, inputs):
            index = index * player.size + player.rank(digits)
        entry = self.entries[index]
        return None if len(entry) == self.answers else entry

    def resolved(self):
        return {"table": {"answers": decimal_text(self.answers),
                          "values": [[str(a) for a in entry] for entry in self.entries]}}


class ExpressionTask(Task):
    """`value` (the one accepted answer) or `accept` (a truth value), with an optional `promise` (files 3)."""
    tag = "expression"

    def __init__(self, body, game):
        expect_keys(body, ("answers",), ("value", "accept", "promise"), "[task.expression]")
        if ("value" in body) == ("accept" in body):
            raise SpecError("[task.expression] needs exactly one of `value`, `accept`")
        self.game = game
        constants = merge_constants(game.let, game.constants)
        fields = fields_in_sight(game, range(len(game.players)))
        self.shape = None
        if isinstance(body["answers"], list):
            self.shape = [size_value(item, constants, "answers") for item in body["answers"]]
            self.answers = 1
            for size in self.shape:
                self.answers = IntegerOps.mul(self.answers, size)
        else:
            self.answers = size_value(body["answers"], constants, "answers")
        self.value = self.accept = self.promise = None
        if "value" in body:
            kind = "int" if self.shape is None else ("table", len(self.shape))
            self.value = need(compile_text(body["value"], Scope(constants, fields=fields)), kind).run
        else:
            self.accept = need(compile_text(body["accept"], Scope(constants, fields=fields, answer=True)), "bool").run
        if "promise" in body:
            self.promise = need(compile_text(body["promise"], Scope(constants, fields=fields)), "bool").run
        self.body, self.tabulated = body, {}

    def tabulate(self):
        """A small task is evaluated everywhere when it is read; an error on any input makes the spec wrong."""
        if self.game.total() <= MAX_TABULATED:
            self.tabulated = {inputs: self.accepted(inputs) for inputs in self.game.inputs()}

    def fail(self, error, inputs):
        raise SpecError("%s, on input %s" % (error, describe(self.game, inputs))) from None

    def on_promise(self, inputs):
        try:
            return self.promise is None or self.promise(Env(inputs))
        except SpecError as error:
            self.fail(error, inputs)

    def one(self, inputs):
        try:
            value = self.value(Env(inputs))
        except SpecError as error:
            self.fail(error, inputs)
        if self.shape is None:
            digits, shape = (value,), (self.answers,)
        else:
            digits, shape = value, self.shape
        index = 0
        for digit, size in zip(digits, shape):
            if not 0 <= digit < size:
                self.fail("answer %s, expected 0..<%s" % (short(digit), short(size)), inputs)
            index = index * size + digit
        return index

    def accepted(self, inputs):
        if inputs in self.tabulated:
            return self.tabulated[inputs]
        if not self.on_promise(inputs):
            return None
        if self.value is not None:
            return (self.one(inputs),)
        if self.answers > MAX_STEPS:
            raise NotChecked("a relation with %s answers" % short(self.answers))
        try:
            found = tuple([a for a in range(self.answers) if self.accept(Env(inputs, (), a))])
        except SpecError as error:
            self.fail(error, inputs)
        return None if len(found) == self.answers else found

    def resolved(self):
        result = {"answers": decimal_text(self.answers) if self.shape is None
                  else [decimal_text(size) for size in self.shape],
                  "fields": resolved_fields(self.game), "let": resolved_let(self.game.let)}
        for key in ("accept", "promise", "value"):
            if key in self.body:
                result[key] = canonical_text(self.body[key])
        return {"expression": result}


def common_answers(task, inputs_list):
    """The answers accepted on all the inputs, None for "every answer"."""
    common = None
    for inputs in inputs_list:
        accepted = task.accepted(inputs)
        if accepted is not None:
            common = set(accepted) if common is None else common & set(accepted)
    return common


def no_common_answer(task, *inputs_list):
    common = common_answers(task, inputs_list)
    return common is not None and not common
