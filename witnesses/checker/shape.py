"""Shape: keys and types (format 1.3, details 4).  Missing keys are reported before unexpected ones."""

from .outcome import Rejection
from .canonical import decimal_value, is_decimal


def as_object(value, at, required, optional=()):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object")
    for key in required:
        if key not in value:
            raise Rejection(at, "malformed", "no key " + key, key)
    for key in sorted(value):
        if key not in required and key not in optional:
            raise Rejection(at + "/" + key, "unknown-key", key, "one of " + " ".join(sorted([*required, *optional])))
    return value


def as_tagged(value, at, tags):
    """An externally tagged object: exactly one key, a known one."""
    if not isinstance(value, dict) or len(value) != 1:
        raise Rejection(at, "malformed", value, "an object with one key")
    tag = next(iter(value))
    if tag not in tags:
        raise Rejection(at + "/" + tag, "unknown-kind", tag, "one of " + " ".join(sorted(tags)))
    return tag, value[tag], at + "/" + tag


def as_text(value, at):
    if not isinstance(value, str):
        raise Rejection(at, "malformed", value, "a string")
    return value


def as_bool(value, at):
    if not isinstance(value, bool):
        raise Rejection(at, "malformed", value, "true or false")
    return value


def as_number(value, at):
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Rejection(at, "malformed", value, "a number >= 0")
    return value


def as_decimal(value, at):
    if not is_decimal(value):
        raise Rejection(at, "malformed", value, "a decimal string")
    return decimal_value(value)


def as_count(value, at):
    number = as_decimal(value, at)
    if number < 0:
        raise Rejection(at, "malformed", value, "a decimal string >= 0")
    return number


def as_symbol(value, at):
    """A symbol, an answer or a size of a file: a decimal string below 2^64."""
    if as_count(value, at) >= 2 ** 64:
        raise Rejection(at, "malformed", value, "a decimal string below 2^64")


def as_list(value, at, item=None):
    if not isinstance(value, list):
        raise Rejection(at, "malformed", value, "a list")
    if item is not None:
        for i, entry in enumerate(value):
            item(entry, "%s/%d" % (at, i))
    return value


def shape_digits(value, at):
    return as_list(value, at, as_number)


def shape_increasing(value, at):
    as_list(value, at, as_number)
    for i in range(1, len(value)):
        if value[i - 1] >= value[i]:
            raise Rejection(at, "malformed", value, "an increasing list of slot indices")


def shape_input(value, at):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object from player label to digits")
    for label in sorted(value):
        shape_digits(value[label], at + "/" + label)


def shape_inputs(value, at):
    as_list(value, at, shape_input)


def shape_digit_lists(value, at):
    as_list(value, at, shape_digits)


def shape_counts(value, at):
    as_list(value, at, as_count)


def shape_symbols(value, at):
    as_list(value, at, as_symbol)


def shape_table_or_null(value, at):
    if value is not None:
        shape_symbols(value, at)


def shape_separator(value, at):
    as_list(value, at, as_number)
    if len(value) != 3:
        raise Rejection(at, "malformed", value, "[i, j, test]")


def shape_pair_list(value, at):
    def entry(pair, where):
        as_list(pair, where, as_text)
        if len(pair) != 2:
            raise Rejection(where, "malformed", pair, "[base, exponent]")
    as_list(value, at, entry)


def shape_side(value, at):
    """A side of a comparison: plain text, a power product, a tower or a sum (details 3)."""
    if isinstance(value, str):
        return
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ("pow", "tower", "sum"):
        raise Rejection(at, "malformed", value, "a number, a power product, a tower or a sum")
    if "pow" in value:
        shape_pair_list(value["pow"], at + "/pow")
    elif "sum" in value:
        as_list(value["sum"], at + "/sum", shape_side)
    else:
        shape_fields(value["tower"], at + "/tower", {"base": shape_side, "exponent": shape_side})


def shape_relation(value, at):
    if value not in ("<", "=", ">"):
        raise Rejection(at, "malformed", value, "one of < = >")


def shape_any_object(value, at):
    if not isinstance(value, dict):
        raise Rejection(at, "malformed", value, "an object")


def shape_cut_list(value, at):
    as_list(value, at, lambda cut, where: as_list(cut, where, as_number))


# evidence kind: (required keys with their shapes, optional keys with their shapes); details 3
EVIDENCE_SHAPES = {
    "counterexample": ({"answer": as_count, "input": shape_input}, {}),
    "pair": ({"left": shape_input, "right": shape_input}, {}),
    "conflict": ({"inputs": shape_inputs}, {}),
    "protocol": ({"answers": shape_symbols, "tables": lambda v, at: as_list(v, at, shape_table_or_null)}, {}),
    "relay": ({"left": shape_input, "path": shape_digits, "right": shape_input}, {}),
    "cut": ({}, {}),
    "cuts": ({"cuts": shape_cut_list}, {}),
    "family": ({"bound": as_count, "members": shape_inputs, "side": lambda v, at: as_list(v, at, as_text),
                "tests": shape_inputs}, {"separators": lambda v, at: as_list(v, at, shape_separator)}),
    "classes": ({"members": shape_digit_lists, "tests": shape_digit_lists},
                {"separators": lambda v, at: as_list(v, at, shape_separator)}),
    "colouring": ({"clique": shape_digit_lists, "symbols": as_count}, {}),
    "enumeration": ({"digest": as_text, "domain": shape_counts, "range": as_count, "search": as_text,
                     "summary": shape_any_object, "total": as_count}, {}),
    "no_answer": ({"input": shape_input}, {}),
    "no_protocol": ({"clauses": as_count, "encoding": as_text, "inputs": shape_inputs,
                     "symmetry": lambda v, at: as_list(v, at, as_text), "vars": as_count}, {}),
    "comparison": ({"left": shape_side, "relation": shape_relation, "right": shape_side},
                   {"cancelled": shape_pair_list, "k": as_number}),
}

# the named tasks of a `count` statement with the fields of the resolved object (details 1)
COUNT_TASKS = {
    "membership": {"tokens": as_count, "values": as_count},
    "eva": {"n": as_count},
    "percom": {"last": as_bool, "n": as_count},
    "two_sum": {"cut": as_count, "modulus": as_count, "n": as_count, "reflexive": as_bool},
    "k_hop": {"k": as_count, "prefix": as_count, "suffix": as_count, "symbols": as_count},
}


def shape_fields(value, at, shapes, optional=()):
    as_object(value, at, shapes, optional)
    for key in sorted(value):
        if key in shapes:
            shapes[key](value[key], at + "/" + key)
        else:
            optional[key](value[key], at + "/" + key)


def shape_count(body, at):
    as_object(body, at, ("of",), ("equals", "at_least", "at_most", "task"))
    given = [key for key in ("equals", "at_least", "at_most") if key in body]
    if len(given) != 1:
        raise Rejection(at, "malformed", given, "exactly one of equals, at_least, at_most")
    as_count(body[given[0]], at + "/" + given[0])
    if as_text(body["of"], at + "/of") not in ("states", "bits"):
        raise Rejection(at + "/of", "malformed", body["of"], "states or bits")
    if "task" in body:
        shape_named_task(body["task"], at + "/task")


def shape_named_task(value, at):
    """A named task with exactly the fields of the resolved object; whatever is wrong with it is `malformed`."""
    try:
        tag, fields, where = as_tagged(value, at, COUNT_TASKS)
        shape_fields(fields, where, COUNT_TASKS[tag])
    except Rejection as error:
        raise Rejection(error.at, "malformed", error.found, error.expected) from None


def shape_equals(value, at):
    as_list(value, at, shape_increasing)
    if any((len(a), a) >= (len(b), b) for a, b in zip(value, value[1:])):
        raise Rejection(at, "malformed", value, "cuts sorted: shorter first, then lexicographic")


def shape_holds(value, at):
    as_list(value, at, as_text)
    if not value:
        raise Rejection(at, "malformed", value, "a non-empty list of comparisons")


def shape_parameters(body, at):
    texts = {key: as_text for key in ("a1", "c", "d", "paper", "steps", "for")}
    shape_fields(body, at, texts, {"holds": shape_holds, "check": as_text})
    if ("holds" in body) == ("check" in body):
        raise Rejection(at, "malformed", sorted(body), "exactly one of holds, check")


FLOW_SHAPE = {"after": as_number, "of": as_text, "view": as_text}
STATEMENT_SHAPES = {   # details 2
    "independent": lambda body, at: shape_fields(body, at, {**FLOW_SHAPE, "pinned": shape_increasing}),
    "cuts": lambda body, at: shape_fields(body, at, {**FLOW_SHAPE, "equals": shape_equals}),
    "solvable": lambda body, at: shape_fields(body, at, {}),
    "unsolvable": lambda body, at: shape_fields(body, at, {}),
    "correct": lambda body, at: shape_fields(body, at, {}),
    "wrong": lambda body, at: shape_fields(body, at, {}),
    "count": shape_count,
    "inequality": lambda body, at: shape_fields(body, at, {"for": as_text, "holds": shape_holds,
                                                           "let": shape_any_object}),
    "parameters": shape_parameters,
}


def shape_scope(value, at):
    if isinstance(value, str):
        if value not in ("this-protocol", "every-protocol-of-this-game", "this-parameter-point"):
            raise Rejection(at, "unknown-kind", value, "a scope")
        return
    _, body, at = as_tagged(value, at, ("this-range",))
    shape_fields(body, at, {"for": as_text})


def shape_file_entry(value, at):
    as_object(value, at, ("bytes", "content", "sha256"))
    as_symbol(value["bytes"], at + "/bytes")
    for key in ("content", "sha256"):
        as_text(value[key], at + "/" + key)


TOP_KEYS = ("claim", "digest", "evidence", "files", "format", "scope", "seal", "spec", "statement", "tool", "trust",
            "verdict")


def check_top(doc):
    """Keys and types around statement and evidence."""
    as_object(doc, "", TOP_KEYS)
    as_text(doc["claim"], "/claim")
    as_text(doc["digest"], "/digest")
    as_list(doc["evidence"], "/evidence")
    if not doc["evidence"]:
        raise Rejection("/evidence", "malformed", "an empty list", "evidence")


def check_external_shape(doc):
    """The same for a file about a running model, whose statement and evidence have their own module."""
    check_top(doc)
    check_rest(doc)


def check_shape(doc):
    """Keys and types of the whole file (format 1 and 1.3).  What is inside `spec` is judged when it is rebuilt."""
    check_top(doc)
    for i, item in enumerate(doc["evidence"]):
        tag, body, at = as_tagged(item, "/evidence/%d" % i, EVIDENCE_SHAPES)
        shape_fields(body, at, *EVIDENCE_SHAPES[tag])
    check_rest(doc)
    tag, body, at = as_tagged(doc["statement"], "/statement", STATEMENT_SHAPES)
    STATEMENT_SHAPES[tag](body, at)


def check_rest(doc):
    shape_any_object(doc["files"], "/files")
    for name in sorted(doc["files"]):
        shape_file_entry(doc["files"][name], "/files/" + name)
    shape_scope(doc["scope"], "/scope")
    as_text(doc["seal"], "/seal")
    shape_any_object(doc["spec"], "/spec")
    as_text(doc["tool"], "/tool")
    as_list(doc["trust"], "/trust", as_text)
    if as_text(doc["verdict"], "/verdict") not in ("established", "refuted"):
        raise Rejection("/verdict", "unknown-kind", doc["verdict"], "established or refuted")
