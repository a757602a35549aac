"""Running models (docs/design/004-models.md): everything but the runs, which this program never repeats."""

import re

from .outcome import NotChecked, Rejection
from .canonical import digest_of
from .shape import as_count, as_list, as_object, as_tagged, as_text, shape_digits, shape_fields


SIZES = {"eva": ("n",), "percom": ("n",), "index": ("n",), "two-sum": ("modulus", "n"), "copy": ("alphabet", "n"),
         "mqar": ("pairs", "vocabulary"), "membership": ("tokens", "values"), "khop": ("alphabet", "k", "n")}
LONGEST, WIDEST = 1 << 16, 1 << 20
TABLES = ("values", "keys", "queries", "answers")


class Task:
    """A task with its sizes; symbols count from 0."""

    def __init__(self, value, at):
        tag, fields, where = as_tagged(value, at, SIZES)
        shape_fields(fields, where, {key: as_count for key in SIZES[tag]})
        self.name, self.size = tag, {key: int(fields[key]) for key in fields}
        size = self.size
        self.n = size.get("n", size.get("tokens", size.get("pairs")))
        self.width = {"eva": self.n, "percom": self.n, "index": 2, "two-sum": size.get("modulus"),
                      "copy": size.get("alphabet"), "mqar": size.get("vocabulary", 0) // 2,
                      "membership": size.get("values"), "khop": size.get("alphabet")}[tag]
        least = 2 if tag in ("two-sum", "khop") else 1
        most = min(LONGEST, self.width) if tag == "mqar" else LONGEST
        if not (least <= self.n <= most and 1 <= self.width <= WIDEST and 1 <= size.get("k", 1) <= LONGEST
                and size.get("vocabulary", 2) % 2 == 0 and size.get("vocabulary", 2) <= WIDEST):
            raise Rejection(at, "malformed", value, "sizes with a meaning")
        self.length = self.n - 1 if tag in ("two-sum", "khop") else self.n
        self.distinct = tag in ("percom", "mqar")

    def tables(self):
        """Lengths of the tables of tokens."""
        keys = self.width if self.name == "mqar" else 0
        queries = {"eva": self.n, "index": self.n, "copy": 1, "membership": self.width}.get(self.name, 0)
        bits = self.name in ("index", "two-sum", "membership")
        answers = 2 if bits else self.width + 1 if self.name == "khop" else self.width
        return dict(zip(TABLES, (self.width, keys, queries, answers)))

    def is_prefix(self, symbols):
        return (len(symbols) == self.length and all(symbol < self.width for symbol in symbols)
                and (not self.distinct or len(set(symbols)) == len(symbols)))

    def is_suffix(self, symbols):
        if self.name == "percom":
            return self.is_prefix(symbols)
        count = {"eva": self.n, "index": self.n, "mqar": self.n, "copy": 1}.get(self.name, self.width)
        return len(symbols) == 1 and symbols[0] < count

    def required(self, prefix, suffix):
        asked = suffix[0]
        if self.name in ("eva", "index", "mqar"):
            return [prefix[asked]]
        if self.name == "percom":
            return [suffix[value] for value in prefix]
        if self.name == "two-sum":
            return [int(any((value + asked) % self.width == 0 for value in prefix))]
        if self.name == "copy":
            return list(prefix)
        if self.name == "membership":
            return [int(asked in prefix)]
        return [self.hop(prefix + [asked])]

    def hop(self, word):
        at = len(word) - 1
        for _ in range(self.size["k"]):
            earlier = [i for i in range(at) if word[i] == word[at]]
            if not earlier:
                return self.width
            at = earlier[-1] + 1
        return word[at]

    def tokens(self, encoding, prefix, suffix):
        values, keys, queries = (encoding[name] for name in TABLES[:3])
        out = []
        for place, symbol in enumerate(prefix):
            if self.name == "mqar":
                out.append(keys[place])
            out.append(values[symbol])
        table = keys if self.name == "mqar" else queries if queries else values
        return out + [table[symbol] for symbol in suffix]


def shape_state(value, at):
    if value is not None:
        as_text(value, at)


def shape_external_side(value, at):
    digits = {key: shape_digits for key in ("out", "prefix", "required", "tokens")}
    shape_fields(value, at, {**digits, "state": shape_state})


def shape_depends(value, at):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object from file to digest")
    for name in sorted(value):
        as_text(value[name], at + "/" + name)


def shape_hello(value, at):
    as_object(value, at, ("deterministic", "max_tokens", "name", "state", "v", "vocab"))


def check_top_of_external(external, at):
    """The task and its tables of tokens."""
    task = Task(external["task"], at + "/task")
    encoding, at = external["encoding"], at + "/encoding"
    shape_fields(encoding, at, {name: shape_digits for name in TABLES})
    for name, length in task.tables().items():
        if len(encoding[name]) != length or len(set(encoding[name])) != length:
            raise Rejection(at, "malformed", name, "%d different tokens" % length)
    return task, encoding


def check_external(doc):
    """Everything that needs no run; then it is not checked, or rejected."""
    spec = as_object(doc["spec"], "/spec", ("external",))
    external = as_object(spec["external"], "/spec/external", ("encoding", "task"))
    task, encoding = check_top_of_external(external, "/spec/external")
    tag, body, where = as_tagged(doc["statement"], "/statement", ("wrong",))
    as_object(body, where, ())
    if len(doc["evidence"]) != 1:
        raise Rejection("/evidence/1", "kind-mismatch", len(doc["evidence"]), "one external_pair")
    _, body, where = as_tagged(doc["evidence"][0], "/evidence/0", ("external_pair",))
    shape_fields(body, where, {
        "command": lambda value, at: as_list(value, at, as_text), "depends": shape_depends, "executable": as_text,
        "hello": shape_hello, "sides": lambda value, at: as_list(value, at, shape_external_side),
        "suffix": shape_digits})
    if not task.is_suffix(body["suffix"]):
        raise Rejection(where + "/suffix", "domain", body["suffix"], "a suffix of the task")
    for i, side in enumerate(body["sides"]):
        check_side(task, encoding, side, body["suffix"], "%s/sides/%d" % (where, i))
    check_outputs(body["sides"], where + "/sides")
    return body


def check_side(task, encoding, side, suffix, at):
    if not task.is_prefix(side["prefix"]):
        raise Rejection(at + "/prefix", "domain", side["prefix"], "a prefix of the task")
    tokens = task.tokens(encoding, side["prefix"], suffix)
    if side["tokens"] != tokens:
        raise Rejection(at + "/tokens", "alphabet", side["tokens"], tokens)
    required = [encoding["answers"][answer] for answer in task.required(side["prefix"], suffix)]
    if side["required"] != required:
        raise Rejection(at + "/required", "arithmetic", side["required"], required)


def check_outputs(sides, at):
    if len(sides) not in (1, 2):
        raise Rejection(at, "malformed", len(sides), "one or two")
    if len(sides) == 1:
        if sides[0]["out"] == sides[0]["required"]:
            raise Rejection(at + "/0/out", "accepted", sides[0]["out"], "an output that is not the required one")
        return
    left, right = sides
    if left["out"] != right["out"]:
        raise Rejection(at + "/1/out", "view-differs", right["out"], left["out"])
    if left["required"] == right["required"]:
        raise Rejection(at + "/1/required", "common-answer", right["required"], "another requirement")


def check_frame(doc, trust, attached):
    """What stands around the evidence, in the order of the page."""
    if attached:
        raise Rejection("/files", "file", sorted(attached), "no attached files")
    digest = digest_of({"spec": doc["spec"], "statement": doc["statement"]})
    if doc["digest"] != digest:
        raise Rejection("/digest", "digest", doc["digest"], digest)
    if doc["scope"] != "this-protocol":
        raise Rejection("/scope", "scope-mismatch", doc["scope"], "this-protocol")
    if doc["verdict"] != "established":
        raise Rejection("/evidence", "kind-mismatch", "refuted", "established")
    if doc["trust"] != trust:
        raise Rejection("/trust", "trust", doc["trust"], trust)
    seal = digest_of({key: value for key, value in doc.items() if key != "seal"})
    if doc["seal"] != seal:
        raise Rejection("/seal", "seal", doc["seal"], seal)


def finish_external(doc, body, attached):
    check_frame(doc, ["process:" + re.sub("^sha256:", "", body["executable"])], attached)
    raise NotChecked("an external model: its command is not repeated here")
