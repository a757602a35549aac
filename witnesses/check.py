#!/usr/bin/env python3
"""Second, independent checker of foolproof evidence files (format 1).

Usage:  python3 check.py [--max-inputs N] [--format text|json] PATH..
        python3 check.py [--max-inputs N] --batch FILE

It needs Python 3.11 and nothing else, searches for nothing, and shares no code with the tool that wrote the
files.  Every file is answered by `accepted`, `rejected` or `not-checked`; exit code 0: all accepted, 1: something
rejected, 2: bad usage or an unreadable path, 3: nothing rejected but something not checked.  FILE (`-`: standard
input) has one JSON object per line, {"name": file name, "data": hex, "files": {name: hex}}, and is answered line by
line by the outcome, a space and the code (or the reason).

"format N" in a comment is section N of the page on evidence formats, "files N" of the page on game, task, strategy
and claim files, "games N" of the page on games, "counting N" of the page on exact numbers, and "details N" of the
page that settles what the format leaves open.

Sections of this file: outcomes; canonical JSON and digests; shape; exact numbers; expressions; names and patterns;
games; tasks; strategies; runs; flow; rebuilding a claim; evidence kinds; refuted formulas; enumerations; numeric
claims; one file; the command.
"""

import decimal
import hashlib
import itertools
import json
import math
import os
import re
import sys
import zlib
from bisect import bisect_left, bisect_right
from fractions import Fraction

FORMAT = 1
MAX_NESTING = 64                # format 1.1
MAX_JSON_NUMBER = 2 ** 53       # format 1.1
MAX_BITS = 2 ** 24              # files 3.1: results of more bits are errors, decided before they are computed
MAX_STEPS = 10 ** 6             # files 3.1: node evaluations of one expression on one input
MAX_TABULATED = 2 ** 20         # details 1: a task given by expressions is evaluated on so many inputs when it is read
MAX_CHOICES = 2 ** 20           # choices of one slot from each cut that the completeness test tries
MAX_SLOTS = 2 ** 20             # format 1: a game of more slots has no digest
MAX_EXPRESSION_DEPTH = 100      # a bound of this program, not of the format
RANGE = 65536                   # details 3: items per range of an enumeration
MAX_POINTS = 2 ** 20            # details 3: points of a numeric claim
MAX_STEPS_OF_PAPER = 2 ** 10    # details 2
MAX_POINTS_LISTED = 1000        # details 3: beyond that a numeric claim carries an enumeration
DEFAULT_MAX_INPUTS = 2 ** 22

sys.set_int_max_str_digits(0)   # long decimals are handled by decimal_text and decimal_value below
sys.setrecursionlimit(20000)


# ---------------------------------------------------------------------------------------------------------------------
# Outcomes (format 1.3)

class Rejection(Exception):
    """The file is wrong: where (JSON pointer or file:line), which code, what was found, what was expected."""

    def __init__(self, at, code, found="", expected=""):
        super().__init__(code)
        self.at, self.code, self.found, self.expected = at, code, found, expected

    def reason(self):
        parts = []
        if self.found != "":
            parts.append("found " + short(self.found))
        if self.expected != "":
            parts.append("expected " + short(self.expected))
        return ", ".join(parts) or self.code


class NotChecked(Exception):
    """The file may be right, but this checker did not decide it (newer format, over a limit)."""


class SpecError(Exception):
    """A spec, statement or expression that does not build or fails on an input; becomes `malformed`."""


def short(value, limit=160):
    """One printable line of at most `limit` characters."""
    if isinstance(value, int) and value.bit_length() > 1000:
        return "an integer of %d bits" % value.bit_length()
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else "\\x%02x" % ord(c) for c in text)
    return text if len(text) <= limit else text[:limit] + "..."


# ---------------------------------------------------------------------------------------------------------------------
# Canonical JSON and digests (format 1.1)

def parse_json(data):
    """The value of `data` (bytes), or Rejection `malformed`.  No floats, no number above 2^53, nesting at most 64."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Rejection("", "malformed", "bytes that are not UTF-8", "UTF-8") from None
    check_nesting(text)
    try:
        return json.loads(text, parse_float=refuse_float, parse_constant=refuse_float, parse_int=small_int)
    except Rejection:
        raise
    except (ValueError, RecursionError) as error:
        raise Rejection("", "malformed", str(error), "JSON") from None


def check_nesting(text):
    depth, in_string, skip = 0, False, False
    for c in text:
        if in_string:
            if skip:
                skip = False
            elif c == "\\":
                skip = True
            elif c == '"':
                in_string = False
        elif c == '"':
            in_string = True
        elif c in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise Rejection("", "malformed", "nesting deeper than 64", "nesting at most 64")
        elif c in "]}":
            depth -= 1


def refuse_float(text):
    raise Rejection("", "malformed", text, "an integer")


def small_int(text):
    value = int(text) if len(text) <= 17 else MAX_JSON_NUMBER + 1
    if abs(value) > MAX_JSON_NUMBER:
        raise Rejection("", "malformed", text, "an integer of absolute value at most 2^53")
    return value


def canonical(value):
    """Canonical JSON of a value as bytes, without the final newline.  Keys sorted by code point, no spaces, the
    only escapes those of format 1.1 (which are the ones the standard encoder uses without ensure_ascii)."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Rejection("", "malformed", "a lone surrogate", "Unicode text") from None


def parse_canonical(data):
    """Parse and insist that re-serialising gives the same bytes (`not-canonical` otherwise)."""
    value = parse_json(data)
    if canonical(value) + b"\n" != data:
        raise Rejection("", "not-canonical", "bytes that differ from their re-serialisation", "canonical JSON")
    return value


def digest_of(value):
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def is_decimal(text):
    return isinstance(text, str) and re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None


def decimal_value(text):
    """int(text) in less than quadratic time for long texts."""
    if len(text) < 20000:
        return int(text)
    if text[0] == "-":
        return -decimal_value(text[1:])
    half = len(text) // 2
    return decimal_value(text[:-half]) * 10 ** half + decimal_value(text[-half:].lstrip("0") or "0")


def decimal_text(n):
    """str(n) in less than quadratic time for large n."""
    if n.bit_length() < 60000:
        return str(n)
    if n < 0:
        return "-" + decimal_text(-n)
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = decimal.MAX_PREC, decimal.MAX_EMAX, decimal.MIN_EMIN
        context.traps[decimal.Inexact] = True

        def convert(value, width):
            if width <= 128:
                return decimal.Decimal(value)
            low = width // 2
            high = value >> low
            return convert(value - (high << low), low) + convert(high, width - low) * decimal.Decimal(2) ** low

        return str(convert(n, n.bit_length()).to_integral_value()).split("E")[0]


# ---------------------------------------------------------------------------------------------------------------------
# Shape: keys and types (format 1.3, details 4).  Missing keys are reported before unexpected ones.

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


def check_shape(doc):
    """Keys and types of the whole file (format 1 and 1.3).  What is inside `spec` is judged when it is rebuilt."""
    as_object(doc, "", TOP_KEYS)
    as_text(doc["claim"], "/claim")
    as_text(doc["digest"], "/digest")
    as_list(doc["evidence"], "/evidence")
    if not doc["evidence"]:
        raise Rejection("/evidence", "malformed", "an empty list", "evidence")
    for i, item in enumerate(doc["evidence"]):
        tag, body, at = as_tagged(item, "/evidence/%d" % i, EVIDENCE_SHAPES)
        shape_fields(body, at, *EVIDENCE_SHAPES[tag])
    shape_any_object(doc["files"], "/files")
    for name in sorted(doc["files"]):
        shape_file_entry(doc["files"][name], "/files/" + name)
    shape_scope(doc["scope"], "/scope")
    as_text(doc["seal"], "/seal")
    shape_any_object(doc["spec"], "/spec")
    tag, body, at = as_tagged(doc["statement"], "/statement", STATEMENT_SHAPES)
    STATEMENT_SHAPES[tag](body, at)
    as_text(doc["tool"], "/tool")
    as_list(doc["trust"], "/trust", as_text)
    if as_text(doc["verdict"], "/verdict") not in ("established", "refuted"):
        raise Rejection("/verdict", "unknown-kind", doc["verdict"], "established or refuted")


# ---------------------------------------------------------------------------------------------------------------------
# Exact numbers (files 3.1, counting 1, details 3 "which number is written how")

def too_long(bits):
    raise SpecError("a result needs about %s bits; the limit is 2^24" % short(bits))


class IntegerOps:
    """Arithmetic of tasks, strategies and sizes: integers of at most 2^24 bits."""
    rational = False

    @staticmethod
    def add(a, b):
        return a + b

    @staticmethod
    def sub(a, b):
        return a - b

    @staticmethod
    def mul(a, b):
        if a.bit_length() + b.bit_length() > MAX_BITS + 1:
            too_long(a.bit_length() + b.bit_length())
        return a * b

    @staticmethod
    def power(a, n):
        if n < 0:
            raise SpecError("exponent %s, expected at least 0" % short(n))
        if abs(a) > 1 and (a.bit_length() - 1) * n > MAX_BITS:
            too_long((a.bit_length() - 1) * n)
        return a ** n if abs(a) > 1 else (1 if n == 0 else a if n % 2 else a * a)

    @staticmethod
    def neg(a):
        return -a

    @staticmethod
    def plain(a):
        return a

    @staticmethod
    def integer(a):
        return a

    @staticmethod
    def compare(a, b):
        return (a > b) - (a < b)


class Factored:
    """A positive number kept as {atom: exponent}: atoms are integers > 1, exponents non-zero rationals."""

    def __init__(self, atoms):
        self.atoms = {a: e for a, e in atoms.items() if e != 0 and a != 1}


class Logarithm:
    """constant + sum of exponent * log2(atom)."""

    def __init__(self, constant, atoms):
        self.constant, self.atoms = constant, {a: e for a, e in atoms.items() if e != 0 and a != 1}


def simplify(value):
    """A rational as int when it is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def combine(left, right, sign):
    """The atoms of left * right^sign."""
    atoms = dict(left)
    for atom, exponent in right.items():
        atoms[atom] = atoms.get(atom, 0) + sign * exponent
    return {a: e for a, e in atoms.items() if e != 0}


def plain_atoms(value):
    """A positive plain number as atoms: its numerator, and its denominator with exponent -1."""
    return {a: e for a, e in ((value.numerator, 1), (value.denominator, -1)) if a != 1}


def coprime_base(atoms):
    """The natural coprime base of some integers: gcd refinement until pairwise coprime."""
    base, todo = [], sorted(set(atoms))
    while todo:
        a = todo.pop()
        if a == 1:
            continue
        for i, b in enumerate(base):
            g = math.gcd(a, b)
            if g > 1:
                del base[i]
                todo += [a // g, g, b // g]
                break
        else:
            base.append(a)
    return sorted(base)


def valuation(a, b):
    """(e, rest) with a = b^e * rest and b not dividing rest, by b, b^2, b^4, .. and back."""
    if b == 2:
        e = (a & -a).bit_length() - 1
        return e, a >> e
    e, powers = 0, [b]
    while a % powers[-1] == 0:
        a, e = a // powers[-1], e + (1 << (len(powers) - 1))
        powers.append(powers[-1] * powers[-1])
    for i in range(len(powers) - 2, -1, -1):
        if a % powers[i] == 0:
            a, e = a // powers[i], e + (1 << i)
    return e, a


def over_base(atoms, base):
    """Exponents of prod atom^e over a coprime base that covers the atoms; zero exponents dropped."""
    total = {}
    for atom, exponent in atoms.items():
        for b in base:
            e, atom = valuation(atom, b)
            if e:
                total[b] = total.get(b, 0) + e * exponent
    return {b: e for b, e in total.items() if e != 0}


def primes_below(limit):
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for p in range(2, math.isqrt(limit) + 1):
        if sieve[p]:
            sieve[p * p::p] = bytes(len(range(p * p, limit, p)))
    return [p for p in range(limit) if sieve[p]]


SMALL_PRIMES = primes_below(2 ** 16)
PRIMORIAL = []


def split_small(atoms):
    """Split all primes below 2^16 off every atom."""
    if not PRIMORIAL:
        PRIMORIAL.append(math.prod(SMALL_PRIMES))
    result = {}
    for atom, exponent in atoms.items():
        shared = math.gcd(atom % PRIMORIAL[0] or PRIMORIAL[0], PRIMORIAL[0])
        for p in SMALL_PRIMES:
            if shared == 1:
                break
            if shared % p == 0:
                shared //= p
                e, atom = valuation(atom, p)
                result[p] = result.get(p, 0) + e * exponent
        if atom > 1:
            result[atom] = result.get(atom, 0) + exponent
    return {a: e for a, e in result.items() if e != 0}


def power_product(atoms):
    """The written form: increasing coprime bases, primes below 2^16 split off, zero exponents dropped."""
    split = split_small(atoms)
    return sorted(over_base(split, coprime_base(split)).items())


def settle(atoms):
    """A product: plain if numerator and denominator have at most 64 bits each, else factored (details 3)."""
    exponents = over_base(atoms, coprime_base(atoms))
    parts = []
    for sign in (1, -1):
        part = {b: e * sign for b, e in exponents.items() if e * sign > 0}
        if sum((b.bit_length() - 1) * e for b, e in part.items()) > 64:
            return Factored(atoms)
        parts.append(math.prod(b ** e for b, e in part.items()))
    if max(part.bit_length() for part in parts) > 64:
        return Factored(atoms)
    return simplify(Fraction(parts[0], parts[1]))


class ExactOps:
    """Arithmetic of inequality and parameter claims: plain rationals, factored numbers, logarithms."""
    rational = True

    @staticmethod
    def plain(a):
        """A plain number; a factored one is expanded if that takes at most 2^24 bits."""
        if isinstance(a, Logarithm):
            raise SpecError("a logarithm stands where a number is needed")
        if not isinstance(a, Factored):
            return a
        numerator = denominator = 1
        bits = sum((b.bit_length()) * abs(e) for b, e in a.atoms.items())
        if bits - sum(abs(e) for e in a.atoms.values()) > MAX_BITS:
            too_long(bits)
        for b, e in a.atoms.items():
            if e > 0:
                numerator *= b ** e
            else:
                denominator *= b ** -e
        return simplify(Fraction(numerator, denominator)) if denominator > 1 else numerator

    @classmethod
    def integer(cls, a):
        a = cls.plain(a)
        if not isinstance(a, int):
            raise SpecError("found %s, expected an integer" % short(str(a)))
        return a

    @staticmethod
    def limit(a):
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        return a if bits <= MAX_BITS else too_long(bits)

    @classmethod
    def add(cls, a, b):
        if isinstance(a, Logarithm) or isinstance(b, Logarithm):
            a, b = cls.as_logarithm(a), cls.as_logarithm(b)
            return Logarithm(a.constant + b.constant, combine(a.atoms, b.atoms, 1))
        return cls.limit(simplify(cls.plain(a) + cls.plain(b)))

    @classmethod
    def as_logarithm(cls, a):
        return a if isinstance(a, Logarithm) else Logarithm(cls.plain(a), {})

    @classmethod
    def neg(cls, a):
        if isinstance(a, Logarithm):
            return Logarithm(-a.constant, {x: -e for x, e in a.atoms.items()})
        return -cls.plain(a)

    @classmethod
    def sub(cls, a, b):
        return cls.add(a, cls.neg(b))

    @classmethod
    def scale(cls, log, factor):
        factor = cls.plain(factor)
        return Logarithm(simplify(log.constant * factor), {x: simplify(e * factor) for x, e in log.atoms.items()})

    @classmethod
    def mul(cls, a, b):
        if isinstance(a, Logarithm) or isinstance(b, Logarithm):
            return cls.scale(a, b) if isinstance(a, Logarithm) else cls.scale(b, a)
        if any(not isinstance(x, Factored) and x <= 0 for x in (a, b)):
            if any(not isinstance(x, Factored) and x == 0 for x in (a, b)):
                return 0
            a, b = cls.plain(a), cls.plain(b)
            cls.limit_product(a, b)
            return simplify(a * b)
        if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() <= 64:
            return a * b
        return settle(combine(cls.atoms(a), cls.atoms(b), 1))

    @staticmethod
    def limit_product(a, b):
        bits = max(a.numerator.bit_length() + b.numerator.bit_length(),
                   a.denominator.bit_length() + b.denominator.bit_length())
        if bits > MAX_BITS + 1:
            too_long(bits)

    @staticmethod
    def atoms(a):
        """The atoms of a positive number."""
        return a.atoms if isinstance(a, Factored) else plain_atoms(a)

    @classmethod
    def divide(cls, a, b):
        if isinstance(b, Logarithm):
            raise SpecError("division by a logarithm")
        if isinstance(b, Factored):
            return cls.mul(a, Factored({x: -e for x, e in b.atoms.items()}))
        if b == 0:
            raise SpecError("division by 0")
        return cls.mul(a, simplify(1 / Fraction(b)))

    @classmethod
    def power(cls, a, n):
        if isinstance(n, Factored) and sum(b.bit_length() * e for b, e in n.atoms.items()) > MAX_BITS:
            raise NotChecked("a tower: an exponent of more than 2^24 bits")
        n = cls.integer(n)
        if n < 0:
            raise SpecError("exponent %s, expected at least 0" % short(n))
        if isinstance(a, Logarithm):
            raise SpecError("a logarithm cannot be raised to a power")
        if n == 0:
            return 1
        if isinstance(a, Factored) or a > 0:
            return settle({x: e * n for x, e in cls.atoms(a).items()})
        bits = (max(a.numerator.bit_length(), a.denominator.bit_length()) - 1) * n
        if bits > MAX_BITS:
            too_long(bits)
        return IntegerOps.power(a, n) if isinstance(a, int) else simplify(a ** n)

    @classmethod
    def log2(cls, a):
        if isinstance(a, Logarithm) or (not isinstance(a, Factored) and (not isinstance(a, int) or a < 1)):
            raise SpecError("log2 needs an integer >= 1")
        if isinstance(a, Factored) and any(e < 0 for e in over_base(a.atoms, coprime_base(a.atoms)).values()):
            raise SpecError("log2 needs an integer >= 1")
        return Logarithm(0, dict(cls.atoms(a)))

    @classmethod
    def compare(cls, a, b):
        if not isinstance(a, (Factored, Logarithm)) and not isinstance(b, (Factored, Logarithm)):
            return (a > b) - (a < b)
        return {"<": -1, "=": 0, ">": 1}[compare_exact(a, b)["relation"]]


def number_text(value):
    """A plain rational as it is written (format 1.1)."""
    if isinstance(value, int):
        return decimal_text(value)
    return decimal_text(value.numerator) + "/" + decimal_text(value.denominator)


def side_text(atoms):
    pairs = power_product(atoms)
    return {"pow": [[decimal_text(b), number_text(simplify(e))] for b, e in pairs]} if pairs else "1"


def two_to(value):
    """The atoms of 2^value for a side of a comparison with logarithms."""
    if isinstance(value, Logarithm):
        return combine(value.atoms, {2: value.constant} if value.constant else {}, 1)
    value = ExactOps.plain(value)
    return {2: value} if value else {}


def compare_exact(a, b):
    """The `comparison` object of two exact numbers (format 2.1, details 3)."""
    if isinstance(a, Logarithm) or isinstance(b, Logarithm):
        left, right = two_to(a), two_to(b)
        relation, cancelled, k = decide(combine(left, right, -1))
        return {"left": side_text(left), "relation": relation, "right": side_text(right), "cancelled": cancelled,
                "k": k}
    if not isinstance(a, Factored) and not isinstance(b, Factored):
        return {"left": number_text(a), "relation": "<" if a < b else ">" if a > b else "=", "right": number_text(b)}
    sides = [side_text(x.atoms) if isinstance(x, Factored) else number_text(x) for x in (a, b)]
    if any(not isinstance(x, Factored) and x <= 0 for x in (a, b)):
        relation, cancelled, k = ("<" if not isinstance(a, Factored) else ">"), [], 0
    else:
        relation, cancelled, k = decide(combine(ExactOps.atoms(a), ExactOps.atoms(b), -1))
    return {"left": sides[0], "relation": relation, "right": sides[1], "cancelled": cancelled, "k": k}


def decide(atoms):
    """(relation to 1, cancelled, least deciding k) of prod atom^exponent (format 2.1)."""
    pairs = power_product(atoms)
    if not pairs:
        return "=", [], 0
    scale = math.lcm(*(Fraction(e).denominator for _, e in pairs))
    exponents = [int(e * scale) for _, e in pairs]
    common = math.gcd(*exponents)
    pairs = [(b, e // common) for (b, _), e in zip(pairs, exponents)]
    cancelled = [[decimal_text(b), decimal_text(e)] for b, e in pairs]
    for k in range(1 << 14):
        lower = upper = 0
        for b, e in pairs:
            f = floor_log2(b, k)
            above = f if b == 2 else f + 1
            lower += e * (f if e > 0 else above)
            upper += e * (above if e > 0 else f)
        if lower >= 0:
            return ">", cancelled, k
        if upper <= 0:
            return "<", cancelled, k
    raise NotChecked("a comparison needs more than 2^14 bits of precision")


def floor_log2(b, k):
    """floor(2^k * log2 b), by k squarings of an interval of integers with outward rounding (counting 1.3)."""
    if b & (b - 1) == 0:
        return (b.bit_length() - 1) << k
    width = 64 + 2 * k
    while True:
        low = high = b
        low_shift = high_shift = 0
        for step in range(k + 1):
            if step:
                low, high, low_shift, high_shift = low * low, high * high, 2 * low_shift, 2 * high_shift
            cut = max(0, low.bit_length() - width)
            low, low_shift = low >> cut, low_shift + cut
            cut = max(0, high.bit_length() - width)
            high, high_shift = -(-high >> cut), high_shift + cut
        bottom, top = low.bit_length() - 1 + low_shift, high.bit_length() - 1 + high_shift
        if bottom == top:
            return bottom
        width *= 2


# ---------------------------------------------------------------------------------------------------------------------
# Expressions (files 3.1): tokens, parser, types, evaluation

KEYWORDS = {"if", "then", "else", "let", "in", "or", "and", "not", "div", "mod", "true", "false"}
FOLDS = {"sum", "min", "max", "any", "all", "count", "table"}
FUNCTIONS = {"bits", "binomial", "factorial", "abs", "min", "max", "sum", "len", "get", "has", "received", "log2"}
RESERVED = KEYWORDS | FOLDS | FUNCTIONS
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
OPERATORS = r"\.\.=|\.\.<|\.\.|!=|<=|>=|==|[=<>+\-*/^()\[\],:.]"
TOKEN = re.compile(r"[ \t\r\n]+|(?P<slot>'[^'\n]*')|(?P<number>[0-9]+)|(?P<name>%s)|(?P<op>%s)" % (NAME, OPERATORS))
SOURCE_TOKEN = re.compile(r"[ \t\r\n]+|(?P<token>'[^'\n]*'|(?:[A-Za-z0-9_]|\{[^{}]*\})+|%s)" % OPERATORS)


def is_name(text):
    return re.fullmatch(NAME, text) is not None and text not in RESERVED


def tokenize(text):
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SpecError("unexpected character %s in %s" % (short(text[at]), short(text)))
        if match.lastgroup:
            tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    tokens.append(("end", "end of expression"))
    return tokens


def canonical_text(text):
    """Tokens of the source joined by one space; a slot reference, and a word with braces, is one token (details 1)."""
    if not isinstance(text, str):
        raise SpecError("found %s, expected an expression in quotes" % short(text))
    tokens, at = [], 0
    while at < len(text):
        match = SOURCE_TOKEN.match(text, at)
        if not match:
            raise SpecError("unexpected character %s in %s" % (short(text[at]), short(text)))
        if match.group("token"):
            tokens.append(match.group("token"))
        at = match.end()
    return " ".join(tokens)


class Parser:
    """Recursive descent over the grammar of files 3.1.  Nodes are tuples (kind, ..)."""

    def __init__(self, text):
        self.text, self.tokens, self.at, self.depth = text, tokenize(text), 0, 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def is_op(self, *texts):
        return self.peek()[0] == "op" and self.peek()[1] in texts

    def is_word(self, word):
        return self.peek() == ("name", word)

    def expect(self, text):
        token = self.next()
        if token[0] == "slot" or token[1] != text:
            raise SpecError("found %s, expected `%s` in %s" % (short(token[1]), text, short(self.text)))

    def name(self):
        kind, text = self.next()
        if kind != "name" or text in RESERVED:
            raise SpecError("found %s, expected a name in %s" % (short(text), short(self.text)))
        return text

    def whole(self):
        node = self.expr()
        if self.peek()[0] != "end":
            raise SpecError("found %s, expected the end in %s" % (short(self.peek()[1]), short(self.text)))
        return node

    def nested(self, rule):
        self.depth += 1
        if self.depth > MAX_EXPRESSION_DEPTH:
            raise SpecError("an expression nested deeper than %d" % MAX_EXPRESSION_DEPTH)
        node = rule()
        self.depth -= 1
        return node

    def expr(self):
        return self.nested(self.expr_body)

    def expr_body(self):
        if self.is_word("if"):
            self.next()
            condition = self.expr()
            self.expect("then")
            yes = self.expr()
            self.expect("else")
            return ("if", condition, yes, self.expr())
        if self.is_word("let"):
            self.next()
            name = self.name()
            self.expect("=")
            value = self.expr()
            self.expect("in")
            return ("let", name, value, self.expr())
        return self.joined("or", lambda: self.joined("and", self.negation))

    def joined(self, word, rule):
        parts = [rule()]
        while self.is_word(word):
            self.next()
            parts.append(rule())
        return parts[0] if len(parts) == 1 else (word, parts)

    def negation(self):
        if self.is_word("not"):
            self.next()
            return ("not", self.nested(self.negation))
        return self.comparison()

    def comparison(self):
        left = self.sum()
        if self.is_op("=", "!=", "<", "<=", ">", ">="):
            return ("cmp", self.next()[1], left, self.sum())
        return left

    def chain(self, rule, accepts):
        first, rest = rule(), []
        while accepts():
            operator = self.next()[1]
            rest.append((operator, rule()))
        return ("chain", first, rest) if rest else first

    def sum(self):
        return self.chain(self.product, lambda: self.is_op("+", "-"))

    def product(self):
        return self.chain(self.unary, lambda: self.is_op("*", "/") or self.is_word("div") or self.is_word("mod"))

    def unary(self):
        if self.is_op("-"):
            self.next()
            return ("neg", self.nested(self.unary))
        return self.power()

    def power(self):
        base = self.post()
        if self.is_op("^"):
            self.next()
            return ("chain", base, [("^", self.nested(self.unary))])
        return base

    def post(self):
        node, count = self.atom(), 0
        while self.is_op("["):
            self.next()
            node = ("index", node, self.expr())
            self.expect("]")
            count += 1
            if count > MAX_EXPRESSION_DEPTH:
                raise SpecError("too many indices")
        return node

    def atom(self):
        kind, text = self.next()
        if kind == "number":
            return ("int", decimal_value(text.lstrip("0") or "0"))
        if kind == "slot":
            return ("slot", text[1:-1])
        if kind == "name":
            return self.word(text)
        if (kind, text) == ("op", "("):
            node = self.expr()
            self.expect(")")
            return node
        if (kind, text) == ("op", "["):
            return ("list", self.items("]"))
        raise SpecError("found %s, expected an expression in %s" % (short(text), short(self.text)))

    def word(self, text):
        if text in ("true", "false"):
            return ("bool", text == "true")
        if self.is_op("(") and text in FOLDS and self.peek(1)[0] == "name" and self.peek(2) == ("name", "in"):
            return self.fold(text)
        if self.is_op("("):
            if text not in FUNCTIONS:
                raise SpecError("unknown function %s" % short(text))
            self.next()
            if text == "received":
                return ("call", text, self.label_argument())
            return ("call", text, [] if self.close(")") else self.items(")"))
        if text in RESERVED:
            raise SpecError("found %s, expected an expression in %s" % (short(text), short(self.text)))
        if self.is_op(".") and self.peek(1)[0] == "name":
            self.next()
            return ("field", text, self.name())
        return ("name", text)

    def label_argument(self):
        """The label in `received(P)`, None for the sender."""
        if self.close(")"):
            return None
        sign = "-" if self.is_op("-") and self.next() else ""
        kind, text = self.next()
        if kind not in ("name", "number") or (sign and kind != "number"):
            raise SpecError("received() takes a player label")
        self.expect(")")
        return sign + text

    def close(self, text):
        if self.is_op(text):
            self.next()
            return True
        return False

    def items(self, end):
        items = [self.expr()]
        while self.close(","):
            items.append(self.expr())
        self.expect(end)
        return items

    def fold(self, kind):
        self.next()
        binds = self.binds()
        condition = None
        if self.is_word("if"):
            self.next()
            condition = self.expr()
        self.expect(":")
        body = self.expr()
        self.expect(")")
        return ("fold", kind, binds, condition, body)

    def binds(self):
        binds = [self.bind()]
        while self.close(","):
            binds.append(self.bind())
        return binds

    def bind(self):
        name = self.name()
        self.expect("in")
        low = self.sum()
        if not self.is_op("..", "..<"):
            raise SpecError("found %s, expected `..` or `..<` in %s" % (short(self.peek()[1]), short(self.text)))
        exclusive = self.next()[1] == "..<"
        return name, low, self.sum(), exclusive


class Env:
    """What one evaluation sees: the digits of all players, the symbols said so far, the answer in question."""
    __slots__ = ("inputs", "symbols", "answer", "bound", "steps")

    def __init__(self, inputs=(), symbols=(), answer=0):
        self.inputs, self.symbols, self.answer, self.bound, self.steps = inputs, symbols, answer, {}, 0

    def spend(self, cost):
        self.steps += cost
        if self.steps > MAX_STEPS:
            raise SpecError("more than %d steps in one evaluation" % MAX_STEPS)


class Scope:
    """What the names of one expression mean.  `fields`: bare name to [(label, player, first digit, width or None)];
    `slots`: name to index of the slots in sight, None outside strategies; `views`: label to the slots stored there."""

    def __init__(self, constants, ops=IntegerOps, fields=None, slots=None, views=None, sender=None, answer=False):
        self.constants, self.ops, self.fields = dict(constants), ops, fields or {}
        self.slots, self.views, self.sender, self.answer = slots, views or {}, sender, answer
        self.bound = {}
        self.kept = set()       # slots that exist with at least two symbols, for has() and get()

    def meanings(self, name):
        return ((name in self.constants) + (name in self.bound) + (name in self.fields)
                + (self.answer and name == "answer"))

    def refuse_known(self, name):
        if self.meanings(name):
            raise SpecError("`%s` already has a meaning here" % name)


CLOSED, INPUT = frozenset(), frozenset("*")


def all_open(parts):
    return CLOSED.union(*[part.open for part in parts])


class Code:
    """A compiled expression: type "int", "bool" or ("table", length); open = the bound variables it contains, and "*"
    if it contains an input or symbol; cost = number of nodes; run(env) = value."""
    __slots__ = ("type", "open", "cost", "run")

    def __init__(self, kind, is_open, cost, run):
        self.type, self.open, self.cost, self.run = kind, is_open, cost, run


def type_name(kind):
    return {"int": "an integer", "bool": "a truth value"}.get(kind) or "a table of %d" % kind[1]


def need(code, kind):
    if code.type != kind:
        raise SpecError("found %s, expected %s" % (type_name(code.type), type_name(kind)))
    return code


def is_table(code):
    return isinstance(code.type, tuple)


def constant_code(value):
    kind = "bool" if isinstance(value, bool) else ("table", len(value)) if isinstance(value, tuple) else "int"
    return Code(kind, CLOSED, 1, lambda env: value)


def compile_node(node, scope):
    return COMPILERS[node[0]](node, scope)


def compile_literal(node, scope):
    return constant_code(node[1])


def compile_name(node, scope):
    name = node[1]
    count = scope.meanings(name)
    if count == 0:
        raise SpecError("unknown name `%s`" % name)
    if count > 1:
        raise SpecError("`%s` has two meanings here" % name)
    if name in scope.constants:
        return constant_code(scope.constants[name])
    if name in scope.bound:
        kind, is_open = scope.bound[name]
        return Code(kind, is_open, 1, lambda env: env.bound[name])
    if name in scope.fields:
        if len(scope.fields[name]) > 1:
            raise SpecError("`%s` is a field of several players" % name)
        return field_code(scope.fields[name][0])
    return Code("int", INPUT, 1, lambda env: env.answer)


def field_code(entry):
    _, player, first, width = entry
    if width is None:
        return Code("int", INPUT, 1, lambda env: env.inputs[player][first])
    return Code(("table", width), INPUT, 1, lambda env: env.inputs[player][first:first + width])


def compile_field(node, scope):
    for entry in scope.fields.get(node[2], ()):
        if entry[0] == node[1]:
            return field_code(entry)
    raise SpecError("no field %s.%s in sight" % (node[1], node[2]))


def compile_slot(node, scope):
    if scope.slots is None or node[1] not in scope.slots:
        raise SpecError("`%s` is not in sight" % short(node[1]))
    index = scope.slots[node[1]]
    return Code("int", INPUT, 1, lambda env: env.symbols[index])


def compile_list(node, scope):
    parts = [need(compile_node(item, scope), "int") for item in node[1]]
    runs = [part.run for part in parts]
    plain = scope.ops.plain
    return Code(("table", len(parts)), all_open(parts), 1 + sum(p.cost for p in parts),
                lambda env: tuple([plain(run(env)) for run in runs]))


def compile_index(node, scope):
    table, index = compile_node(node[1], scope), need(compile_node(node[2], scope), "int")
    if not is_table(table):
        raise SpecError("found %s, expected a table" % type_name(table.type))
    length, get_table, get_index, integer = table.type[1], table.run, index.run, scope.ops.integer

    def run(env):
        i = integer(get_index(env))
        if not 0 <= i < length:
            raise SpecError("index %s, expected 0..<%d" % (short(i), length))
        return get_table(env)[i]
    return Code("int", table.open | index.open, 1 + table.cost + index.cost, run)


def compile_neg(node, scope):
    inner, neg = need(compile_node(node[1], scope), "int"), scope.ops.neg
    return Code("int", inner.open, 1 + inner.cost, lambda env: neg(inner.run(env)))


def compile_not(node, scope):
    inner = need(compile_node(node[1], scope), "bool")
    return Code("bool", inner.open, 1 + inner.cost, lambda env: not inner.run(env))


def divisor_of(ops, b):
    b = ops.integer(b)
    if b < 1:
        raise SpecError("divisor %s, expected at least 1" % short(b))
    return b


def compile_chain(node, scope):
    ops = scope.ops
    operations = {"+": ops.add, "-": ops.sub, "*": ops.mul, "^": ops.power,
                  "div": lambda a, b: ops.integer(a) // divisor_of(ops, b),
                  "mod": lambda a, b: ops.integer(a) % divisor_of(ops, b)}
    if ops.rational:
        operations["/"] = ops.divide
    first, rest = need(compile_node(node[1], scope), "int"), []
    is_open, cost = first.open, first.cost
    for operator, operand in node[2]:
        if operator not in operations:
            raise SpecError("`/` is allowed in inequality claims only; use div")
        part = need(compile_node(operand, scope), "int")
        rest.append((operations[operator], part.run))
        is_open, cost = is_open | part.open, cost + 1 + part.cost
    start = first.run
    if len(rest) == 1:
        operation, other = rest[0]
        return Code("int", is_open, cost, lambda env: operation(start(env), other(env)))

    def run(env):
        value = start(env)
        for operation, other in rest:
            value = operation(value, other(env))
        return value
    return Code("int", is_open, cost, run)


def compile_junction(node, scope):
    parts = [need(compile_node(item, scope), "bool") for item in node[1]]
    runs = [part.run for part in parts]
    if node[0] == "and":
        run = lambda env: all(part(env) for part in runs)       # lazy, left to right
    else:
        run = lambda env: any(part(env) for part in runs)
    return Code("bool", all_open(parts), sum(p.cost for p in parts) + 1, run)


def compile_cmp(node, scope):
    operator, left, right = node[1], compile_node(node[2], scope), compile_node(node[3], scope)
    comparable = left.type == right.type or (is_table(left) and is_table(right))
    if not comparable or (operator not in ("=", "!=") and left.type != "int"):
        raise SpecError("`%s` cannot compare %s and %s" % (operator, type_name(left.type), type_name(right.type)))
    a, b, compare = left.run, right.run, scope.ops.compare
    if left.type == "int":
        test = {"=": lambda s: s == 0, "!=": lambda s: s != 0, "<": lambda s: s < 0, "<=": lambda s: s <= 0,
                ">": lambda s: s > 0, ">=": lambda s: s >= 0}[operator]
        run = lambda env: test(compare(a(env), b(env)))
    else:
        run = lambda env: (a(env) == b(env)) == (operator == "=")
    return Code("bool", left.open | right.open, 1 + left.cost + right.cost, run)


def compile_if(node, scope):
    """An `if` whose condition is constant is decided at load time; the other branch is not looked at."""
    condition = need(compile_node(node[1], scope), "bool")
    if not condition.open:
        return compile_node(node[2] if condition.run(Env()) else node[3], scope)
    yes, no = compile_node(node[2], scope), compile_node(node[3], scope)
    need(no, yes.type)
    test, then, other = condition.run, yes.run, no.run
    return Code(yes.type, all_open([condition, yes, no]), 1 + condition.cost + yes.cost + no.cost,
                lambda env: then(env) if test(env) else other(env))


def compile_let(node, scope):
    name, value = node[1], compile_node(node[2], scope)
    scope.refuse_known(name)
    if not value.open:
        scope.constants[name] = value.run(Env())
        body = compile_node(node[3], scope)
        del scope.constants[name]
        return body
    scope.bound[name] = (value.type, value.open)
    body = compile_node(node[3], scope)
    del scope.bound[name]

    def run(env):
        env.bound[name] = value.run(env)
        return body.run(env)
    return Code(body.type, value.open | body.open, 1 + value.cost + body.cost, run)


def compile_fold(node, scope):
    _, kind, binds, condition, body = node
    ranges, names, is_open = [], [], CLOSED
    for name, low, high, exclusive in binds:
        low, high = need(compile_node(low, scope), "int"), need(compile_node(high, scope), "int")
        if kind == "table" and (low.open or high.open):
            raise SpecError("table() needs a constant range")
        is_open |= low.open | high.open
        scope.refuse_known(name)
        scope.bound[name] = ("int", frozenset([name]))
        names.append(name)
        ranges.append((name, low.run, high.run, 0 if exclusive else 1, low.cost + high.cost))
    if kind == "table" and condition is not None:
        raise SpecError("table() takes no `if`")
    test = need(compile_node(condition, scope), "bool") if condition is not None else None
    value = need(compile_node(body, scope), "bool" if kind in ("any", "all", "count") else "int")
    for name in names:
        del scope.bound[name]
    is_open = (is_open | value.open | (test.open if test else CLOSED)) - frozenset(names)
    step = 1 + value.cost + (test.cost if test else 0)
    integer = scope.ops.integer

    def values(env, depth=0):
        if depth == len(ranges):
            env.spend(step)
            if test is None or test.run(env):
                yield value.run(env)
            return
        name, low, high, extra, cost = ranges[depth]
        env.spend(cost)
        for i in range(integer(low(env)), integer(high(env)) + extra):
            env.bound[name] = i
            env.spend(1)
            yield from values(env, depth + 1)

    run = fold_runner(kind, values, scope.ops)
    if kind == "table":
        sizes = [max(0, high(Env()) + extra - low(Env())) for _, low, high, extra, _ in ranges]
        if math.prod(sizes) > MAX_STEPS:
            raise SpecError("a table of %s entries" % short(math.prod(sizes)))
        return Code(("table", math.prod(sizes)), is_open, 1 + step, run)
    return Code("int" if kind in ("sum", "min", "max", "count") else "bool", is_open, 1 + step, run)


def fold_runner(kind, values, ops):
    def total(env):
        result = 0
        for v in values(env):
            result = ops.add(result, v)
        return result

    def best(env):
        found = None
        for v in values(env):
            v = ops.plain(v)
            if found is None or (v < found if kind == "min" else v > found):
                found = v
        if found is None:
            raise SpecError("%s of an empty range" % kind)
        return found

    return {"sum": total, "min": best, "max": best, "any": lambda env: any(values(env)),
            "all": lambda env: all(values(env)), "count": lambda env: sum(1 for v in values(env) if v),
            "table": lambda env: tuple([ops.plain(v) for v in values(env)])}[kind]


def binomial(n, k):
    if n < 0:
        raise SpecError("binomial of %s" % short(n))
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    about = min(n, k * max(1, n.bit_length() - max(1, k).bit_length() + 2))     # C(n,k) < 2^n, (e n / k)^k
    if about > 2 * MAX_BITS:
        too_long(about)
    if about > MAX_BITS // 8:
        raise NotChecked("a binomial coefficient of about %d bits" % about)
    return math.comb(n, k)


def factorial(n):
    if n < 0:
        raise SpecError("factorial of %s" % short(n))
    if n * max(1, n.bit_length() - 3) > MAX_BITS:
        too_long(n * n.bit_length())
    return math.factorial(n)


def bits_of(s):
    """counting 1.1: ceil(log2 s)."""
    if s < 1:
        raise SpecError("bits of %s, expected at least 1" % short(s))
    return (s - 1).bit_length()


def compile_call(node, scope):
    _, function, arguments = node
    if function in ("get", "has", "received"):
        return compile_sight_call(function, arguments, scope)
    parts = [compile_node(argument, scope) for argument in arguments]
    ops, runs = scope.ops, [part.run for part in parts]
    is_open, cost = all_open(parts), 1 + sum(p.cost for p in parts)
    if len(parts) == 1 and is_table(parts[0]) and function in ("sum", "min", "max", "len"):
        return table_call(function, parts[0], cost, ops)
    for part in parts:
        need(part, "int")
    count = {"bits": 1, "factorial": 1, "abs": 1, "binomial": 2, "log2": 1}.get(function)
    if function in ("sum", "len") or (count is not None and len(parts) != count) or not parts:
        raise SpecError("wrong arguments of %s()" % function)
    integer, plain = ops.integer, ops.plain
    if function == "log2":
        if not ops.rational:
            raise SpecError("log2 is allowed in inequality claims only")
        return Code("int", is_open, cost, lambda env: ops.log2(runs[0](env)))
    run = {"bits": lambda env: bits_of(integer(runs[0](env))),
           "factorial": lambda env: factorial(integer(runs[0](env))),
           "binomial": lambda env: binomial(integer(runs[0](env)), integer(runs[1](env))),
           "abs": lambda env: abs(plain(runs[0](env))),
           "min": lambda env: min([plain(r(env)) for r in runs]),
           "max": lambda env: max([plain(r(env)) for r in runs])}[function]
    return Code("int", is_open, cost, run)


def table_call(function, part, cost, ops):
    length, get = part.type[1], part.run
    if function == "len":
        return Code("int", part.open, cost, lambda env: length)
    if function == "sum":
        def total(env):
            env.spend(length)
            return sum(get(env))
        return Code("int", part.open, cost, total)
    if length == 0:
        raise SpecError("%s of an empty table" % function)
    best = min if function == "min" else max

    def extreme(env):
        env.spend(length)
        return best(get(env))
    return Code("int", part.open, cost, extreme)


def compile_sight_call(function, arguments, scope):
    """has, get, received: strategies only (files 4)."""
    if scope.slots is None:
        raise SpecError("%s() is allowed in strategies only" % function)
    if function == "received":
        label = scope.sender if arguments is None else arguments
        if label not in scope.views:
            raise SpecError("the view of %s is not in sight" % short(label))
        stored = scope.views[label]
        return Code(("table", len(stored)), INPUT, 1 + len(stored),
                    lambda env: tuple([env.symbols[i] for i in stored]))
    if len(arguments) != (1 if function == "has" else 2) or arguments[0][0] != "slot":
        raise SpecError("wrong arguments of %s()" % function)
    name = arguments[0][1]
    present = name in scope.slots and name in scope.kept
    if function == "has":
        return constant_code(present)
    default = need(compile_node(arguments[1], scope), "int")
    return compile_slot(arguments[0], scope) if present else default


COMPILERS = {"int": compile_literal, "bool": compile_literal, "name": compile_name, "field": compile_field,
             "slot": compile_slot, "list": compile_list, "index": compile_index, "neg": compile_neg,
             "not": compile_not, "chain": compile_chain, "and": compile_junction, "or": compile_junction,
             "cmp": compile_cmp, "if": compile_if, "let": compile_let, "fold": compile_fold, "call": compile_call}


def substitute(text, constants):
    """Replace every {expression} by its decimal digits (files 1, "Braces")."""
    def digits(match):
        return str(constant_integer(match.group(1), constants))
    if "{" not in text and "}" not in text:
        return text
    result = re.sub(r"\{([^{}]*)\}", digits, text)
    if "{" in result or "}" in result:
        raise SpecError("unmatched brace in %s" % short(text))
    return result


def compile_text(text, scope):
    if not isinstance(text, str):
        raise SpecError("found %s, expected an expression in quotes" % short(text))
    return compile_node(Parser(substitute(text, scope.constants)).whole(), scope)


def constant_value(text, constants):
    """The value of a constant expression."""
    if is_decimal(text):
        return decimal_value(text)
    code = compile_text(text, Scope(constants))
    return code.run(Env())


def constant_integer(text, constants):
    value = constant_value(text, constants)
    if isinstance(value, bool) or not isinstance(value, int):
        raise SpecError("found %s, expected an integer in %s" % (short(value), short(text)))
    return value


def size_value(text, constants, what="size", least=1):
    value = constant_integer(text, constants)
    if value < least:
        raise SpecError("%s %s, expected at least %d" % (what, short(value), least))
    if value.bit_length() > MAX_BITS:
        too_long(value.bit_length())
    return value


def resolve_constants(raw):
    """The values of a `[let]` table: integers, or tuples of integers; used in any order, no cycle (files 1)."""
    if not isinstance(raw, dict):
        raise SpecError("`let` is not a table")
    values, active = {}, set()

    def evaluate(name):
        if name in values:
            return
        if name in active:
            raise SpecError("a cycle in `let` through %s" % short(name))
        active.add(name)
        entry = raw[name]
        if isinstance(entry, list):
            value = tuple([one(item) for item in entry])
            if any(isinstance(item, tuple) for item in value):
                raise SpecError("constant %s is a list of lists" % short(name))
        else:
            value = one(entry)
        values[name] = value

    def one(text):
        if not isinstance(text, str):
            raise SpecError("found %s, expected an integer or an expression" % short(text))
        for used in re.findall(NAME, text):
            if used in raw:
                evaluate(used)
        value = constant_value(text, values)
        if isinstance(value, bool):
            raise SpecError("found a truth value, expected an integer in %s" % short(text))
        return value

    for name in raw:
        if not is_name(name):
            raise SpecError("%s is not a name" % short(name))
        evaluate(name)
    return values


def constant_text(value):
    """A resolved constant in the resolved object (details 1)."""
    return [decimal_text(v) for v in value] if isinstance(value, tuple) else decimal_text(value)


def merge_constants(*groups):
    """Constants of several origins; no name may have two meanings (files 1)."""
    result = {}
    for group in groups:
        for name, value in group.items():
            if name in result:
                raise SpecError("`%s` has two meanings" % name)
            result[name] = value
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Names of slots, patterns, loops (files 1)

LABEL = r"-?[0-9]+|[A-Za-z][A-Za-z0-9_]*"
CHANNELS = {"soft": "soft", "lin": "linear", "summary": "summary", "selection": "selection", "read": "read",
            "free": "free"}
SLOT_NAME = re.compile(r"(%s) (%s)->(%s)(?: @([0-9]+(?:\.[0-9]+)*))?" % ("|".join(CHANNELS), LABEL, LABEL))


def parse_slot_name(text):
    """(kind, from, to, index list or None) of a slot name."""
    match = SLOT_NAME.fullmatch(text)
    if not match:
        raise SpecError("found `%s`, expected a slot like `soft A->B` or `lin A->B @1`" % short(text))
    index = [int(part) for part in match.group(4).split(".")] if match.group(4) else None
    return match.group(1), match.group(2), match.group(3), index


def slot_name(kind, sender, receiver, index):
    return "%s %s->%s @%s" % (kind, sender, receiver, ".".join(map(str, index)))


def match_pattern(pattern, slot, constants):
    """(number of wildcards, bindings) if the pattern matches the slot, else None."""
    kind, edge, index = split_pattern(pattern)
    bindings, wildcards = {}, 0
    if kind == "*":
        wildcards += 1
    elif CHANNELS[kind] != slot.channel:
        return None
    parts = []
    if edge == "*":
        wildcards += 2
    else:
        sender, receiver = edge.split("->")
        parts += [(sender, slot.sender_label), (receiver, slot.receiver_label)]
    if index == "*":
        wildcards += 1
    else:
        pieces = split_index(index)
        if len(pieces) != len(slot.numbers):
            return None
        parts += [(piece, str(number)) for piece, number in zip(pieces, slot.numbers)]
    for piece, text in parts:
        cost = match_part(piece, text, bindings, constants)
        if cost is None:
            return None
        wildcards += cost
    return wildcards, bindings


def split_pattern(pattern):
    """(kind, edge, index) of a pattern; no `@` means `@*`."""
    word = r"(?:[A-Za-z0-9_\-]*\{[^{}]*\}|\*|%s)" % LABEL
    piece = r"(?:\{[^{}]*\}|\*|[0-9]+)"
    match = re.fullmatch(r"(\*|%s) (\*|%s->%s)(?: @(%s(?:\.%s)*))?"
                         % ("|".join(CHANNELS), word, word, piece, piece), pattern)
    if not match:
        raise SpecError("`%s` is not a slot pattern" % short(pattern))
    return match.group(1), match.group(2), match.group(3) or "*"


def split_index(index):
    return re.findall(r"\{[^{}]*\}|\*|[0-9]+", index)


def match_part(piece, text, bindings, constants):
    """Wildcards used (0 or 1) if one part of a pattern matches, else None; may add a binding."""
    if piece == "*":
        return 1
    if "{" not in piece:
        return 0 if (piece == text or (piece.isdigit() and text.isdigit() and int(piece) == int(text))) else None
    prefix, inner = piece[:piece.index("{")], piece[piece.index("{") + 1:-1].strip()
    if not text.startswith(prefix) or not is_decimal(text[len(prefix):]):
        return None
    number = int(text[len(prefix):])
    if is_name(inner) and inner not in bindings and inner not in constants:
        bindings[inner] = number
        return 1
    return 0 if constant_integer(inner, {**constants, **bindings}) == number else None


def resolve_patterns(patterns, game, constants, allow_unused=False):
    """{slot index: (pattern, bindings)}: the pattern with the fewest wildcards wins, a tie is an error, and so is a
    pattern that matches no slot."""
    best, ties, used = {}, {}, set()
    if len(patterns) * len(game.slots) > 4 * MAX_SLOTS:
        raise NotChecked("too many patterns and slots")
    for pattern in sorted(patterns):
        for slot in game.slots:
            found = match_pattern(pattern, slot, constants)
            if found is None:
                continue
            used.add(pattern)
            if slot.index not in best or found[0] < best[slot.index][0]:
                best[slot.index] = (found[0], pattern, found[1])
                ties.pop(slot.index, None)
            elif found[0] == best[slot.index][0]:
                ties[slot.index] = pattern
    for index, pattern in ties.items():
        raise SpecError("`%s` and `%s` both match %s" % (best[index][1], pattern, game.slots[index].name))
    for pattern in patterns:
        split_pattern(pattern)
        if pattern not in used and not allow_unused:
            raise SpecError("pattern `%s` matches no slot of this game" % short(pattern))
    return {index: (pattern, bindings) for index, (_, pattern, bindings) in best.items()}


def loop_points(text, constants, limit=MAX_BITS):
    """The points of `for = "j in 0..L, i in -1..<j"` as dictionaries, in lexicographic order."""
    parser = Parser(substitute(text, constants))
    binds = parser.binds()
    if parser.peek()[0] != "end":
        raise SpecError("found %s, expected the end in %s" % (short(parser.peek()[1]), short(text)))
    for name, _, _, _ in binds:
        if name in constants:
            raise SpecError("`%s` already has a meaning here" % name)
    if len({bind[0] for bind in binds}) < len(binds):
        raise SpecError("a variable twice in %s" % short(text))

    steps = itertools.count()

    def points(depth, point):
        if depth == len(binds):
            yield dict(point)
            return
        name, low, high, exclusive = binds[depth]
        scope = Scope({**constants, **point})
        ends = [need(compile_node(node, scope), "int").run(Env()) for node in (low, high)]
        for value in range(ends[0], ends[1] + (0 if exclusive else 1)):
            if next(steps) > limit:
                raise NotChecked("a loop of more than %d steps" % limit)
            yield from points(depth + 1, {**point, name: value})
    return points(0, {})


def bounded_points(loop, constants):
    """The points of a loop in a game file, at most 2^20 of them; without a loop one empty point."""
    if loop is None:
        return [{}]
    if not isinstance(loop, str):
        raise SpecError("`for` is not a text")
    points = list(itertools.islice(loop_points(loop, constants, 2 * MAX_SLOTS), MAX_SLOTS + 1))
    if len(points) > MAX_SLOTS:
        raise SpecError("a loop of more than 2^20 points")
    return points


# ---------------------------------------------------------------------------------------------------------------------
# Games (games 1, files 2)

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


# --- Families (files 2.1)

def sizes_list(value, constants, count, what):
    if len(expect_list(value, what)) != count:
        raise SpecError("%s needs %d entries" % (what, count))
    return [size_value(item, constants, what) for item in value]


def family_hybrid(body, constants):
    expect_keys(body, ("steps", "start", "ranges", "queries"),
                ("layout", "soft", "linear", "soft_per_token", "epoch"), "[family.hybrid]")
    if ("layout" in body) == ("epoch" in body):
        raise SpecError("[family.hybrid] needs either `layout` or `epoch`")
    steps = size_value(body["steps"], constants, "steps")
    if steps > 2 ** 10:
        raise SpecError("more than 2^10 steps: more than 2^20 slots")
    start = size_value(body["start"], constants, "start")
    ranges = sizes_list(body["ranges"], constants, steps, "ranges")
    queries = sizes_list(body["queries"], constants, steps - 1, "queries")
    entries = [start] + [queries[i] * ranges[i] for i in range(steps - 1)]     # table lengths of z_1 .. z_L
    players = [Player(str(j), [Field("z%d" % j, "table", entries[j - 1], ranges[j - 1])])
               for j in range(steps, 0, -1)]
    players.append(Player("0", [Field("z0", "number", start)]))
    players.append(Player("-1", [Field("w%d" % (i + 1), "number", n) for i, n in enumerate(queries)]))
    game = Game(players, "-1")
    game.constants = {"L": steps, "D0": start, **{"m%d" % (i + 1): m for i, m in enumerate(ranges)},
                      **{"n%d" % (i + 1): n for i, n in enumerate(queries)}}
    game.parameters = {"steps": steps, "start": start, "ranges": ranges, "queries": queries}
    tokens = {j: entries[j - 1] for j in range(1, steps + 1)}
    if "layout" in body:
        add_layout(game, body, constants, steps, tokens)
    else:
        for key in ("soft", "linear", "soft_per_token"):
            if key in body:
                raise SpecError("`%s` stands beside `layout` only" % key)
        add_epochs(game, expect_list(body["epoch"], "epoch"), constants, steps)
    return game, CompositionTask(game)


def layout_letters(word):
    """[(letter, count)] of a layout word; a letter may carry a count, blanks are ignored."""
    if not isinstance(word, str) or not re.fullmatch(r"(?:[FR](?:\^[0-9]+)?)*", re.sub(r"\s", "", word)):
        raise SpecError("layout %s is not a word over F and R" % short(word))
    letters = re.findall(r"([FR])(?:\^([0-9]+))?", re.sub(r"\s", "", word))
    return [(letter, decimal_value(count.lstrip("0") or "0") if count else 1) for letter, count in letters]


def edges_of(value, constants, what):
    """A size for every edge, or a table from edge to size (an absent edge is closed): a function of the edge."""
    if isinstance(value, str):
        size = size_value(value, constants, what)
        return lambda j, i: size
    if not isinstance(value, dict):
        raise SpecError("%s is neither a size nor an edge table" % what)
    table = {}
    for edge, text in value.items():
        match = re.fullmatch(r"(-?[0-9]+)>(-?[0-9]+)", edge)
        if not match:
            raise SpecError("`%s` is not an edge" % short(edge))
        key = (match.group(1), match.group(2))
        table[key] = size_value(text, constants, "alphabet")
    known = set(table)

    def size_of(j, i):
        known.discard((str(j), str(i)))
        return table.get((str(j), str(i)), 1)
    size_of.unknown = known
    return size_of


def check_edges(size_of, edges, what):
    for j, i in edges:
        size_of(j, i)
    if getattr(size_of, "unknown", None):
        raise SpecError("%s has no edge %s" % (what, short(">".join(sorted(size_of.unknown)[0]))))


def soft_edges(steps):
    return [(j, i) for j in range(steps, -1, -1) for i in range(j - 1, -2, -1)]


def linear_edges(steps):
    return [(j, j - 1) for j in range(steps, -1, -1)]


def add_soft_round(game, size_of, steps, epoch):
    slots = []
    for j, i in soft_edges(steps):
        sender, receiver = game.labels[str(j)], game.labels[str(i)]
        slots.append(Slot(game, sender, receiver, "soft", [epoch], size_of(j, i), [receiver]))
    game.add_round(slots)


def add_pass(game, size_of, steps, epoch, number):
    for j, i in linear_edges(steps):
        game.add_round([Slot(game, game.labels[str(j)], game.labels[str(i)], "lin", [epoch, number], size_of(j, i))])


def add_layout(game, body, constants, steps, tokens):
    letters = layout_letters(body["layout"])
    if sum(count * (len(soft_edges(steps)) if letter == "F" else steps + 1) for letter, count in letters) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    soft = linear = None
    if "soft" in body:
        soft = edges_of(body["soft"], constants, "soft")
        check_edges(soft, soft_edges(steps), "soft")
    if "linear" in body:
        linear = edges_of(body["linear"], constants, "linear")
        check_edges(linear, linear_edges(steps), "linear")
    if expect_bool(body.get("soft_per_token", False), "soft_per_token") and "soft" in body:
        if not isinstance(body["soft"], str):
            raise SpecError("soft_per_token raises a size, not an edge table")
        uniform = soft
        powers = {i: IntegerOps.power(uniform(0, 0), tokens[i]) for i in tokens if i < steps}
        soft = lambda j, i: powers[i] if i >= 1 else uniform(j, i)
    epoch, number = 0, 0
    for letter, count in letters:
        if (soft if letter == "F" else linear) is None:
            raise SpecError("[family.hybrid] has no `%s`" % ("soft" if letter == "F" else "linear"))
        for _ in range(count):
            if letter == "F":
                epoch, number = epoch + 1, 0
                add_soft_round(game, soft, steps, epoch)
            else:
                number += 1
                add_pass(game, linear, steps, epoch, number)


def add_epochs(game, epochs, constants, steps):
    epoch = 0
    for position, entry in enumerate(epochs):
        expect_keys(entry, ("soft",), ("linear",), "an epoch")
        if not isinstance(entry["soft"], dict):
            raise SpecError("`soft` of an epoch is not an edge table")
        if position > 0 or entry["soft"]:
            epoch += 1
            soft = edges_of(entry["soft"], constants, "soft")
            check_edges(soft, soft_edges(steps), "soft")
            add_soft_round(game, soft, steps, epoch)
        for number, table in enumerate(expect_list(entry.get("linear", []), "linear")):
            if not isinstance(table, dict):
                raise SpecError("`linear` of an epoch is not a list of edge tables")
            linear = edges_of(table, constants, "linear")
            check_edges(linear, linear_edges(steps), "linear")
            add_pass(game, linear, steps, epoch, number + 1)


def two_records(body, constants, task):
    """The fields of Alice and Bob: from the task, if it gives them, else from the file."""
    if task is not None:
        if "alice" in body or "bob" in body:
            raise SpecError("the task gives the inputs of Alice and Bob")
        return task.two_party_fields()
    for key in ("alice", "bob"):
        if key not in body:
            raise SpecError("no `%s`" % key)
    return build_record(body["alice"], constants), build_record(body["bob"], constants)


def family_one_way(body, constants, task):
    expect_keys(body, ("symbols",), ("alice", "bob"), "[family.one_way]")
    alice, bob = two_records(body, constants, task)
    game = Game([Player("Alice", alice), Player("Bob", bob)], "Bob")
    game.add_round([Slot(game, 0, 1, "lin", [1], size_value(body["symbols"], constants, "alphabet"))])
    return game, None


def family_cot(body, constants, task):
    expect_keys(body, ("symbols",), ("alice", "bob", "steps"), "[family.cot]")
    alice, bob = two_records(body, constants, task)
    steps = size_value(body.get("steps", "1"), constants, "steps")
    if steps > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    fresh = [Player("Charles" + (str(i) if i > 1 else ""), []) for i in range(1, steps + 1)]
    game = Game([Player("Alice", alice), Player("Bob", bob)] + fresh, fresh[-1].label)
    game.add_round([Slot(game, 0, 1, "lin", [1], size_value(body["symbols"], constants, "alphabet"))])
    for i in range(steps):
        game.add_round([Slot(game, 1 + i, 2 + i, "free", [2 + i], None, (), "forward")])
    return game, None


def family_streaming(body, constants, task):
    expect_keys(body, ("symbols",), ("layers", "inputs"), "[family.streaming]")
    if task is not None:
        if "inputs" in body:
            raise SpecError("the task gives the inputs")
        records = task.streaming_fields()
    else:
        if "inputs" not in body:
            raise SpecError("[family.streaming] has no `inputs`")
        records = [build_record(record, constants) for record in expect_list(body["inputs"], "inputs")]
    if not records:
        raise SpecError("no players")
    players = [Player("P%d" % (i + 1), fields) for i, fields in enumerate(records)]
    game = Game(players, players[-1].label)
    symbols = size_value(body["symbols"], constants, "alphabet")
    layers = size_value(body.get("layers", "1"), constants, "layers")
    if layers * (len(players) - 1) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    for layer in range(1, (layers if len(players) > 1 else 0) + 1):
        for i in range(len(players) - 1):
            game.add_round([Slot(game, i, i + 1, "lin", [layer], symbols)])
    return game, None


def family_sparse(body, constants):
    expect_keys(body, ("n", "block", "read", "symbols"), ("values", "heads", "shared_map"), "[family.sparse]")
    n, block = size_value(body["n"], constants, "n"), size_value(body["block"], constants, "block")
    read = size_value(body["read"], constants, "read", 0)
    symbols = size_value(body["symbols"], constants, "alphabet")
    values = size_value(body["values"], constants, "values") if "values" in body else n
    heads = size_value(body.get("heads", "1"), constants, "heads")
    shared = expect_bool(body.get("shared_map", True), "shared_map")
    if n % block:
        raise SpecError("block does not divide n")
    q = n // block
    if read > q:
        raise SpecError("read is more than the number of blocks")
    if q + heads * (read + 1) > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    players = [Player("B%d" % i, [Field("block", "table", block, values)]) for i in range(q)]
    players.append(Player("Query", [Field("query", "number", values)]))
    game = Game(players, "Query")
    game.add_round([Slot(game, i, q, "summary", [1], symbols) for i in range(q)])
    game.shared = list(range(q)) if shared else []
    game.add_round([Slot(game, q, q, "selection", [2, h], binomial(q, read)) for h in range(1, heads + 1)])
    game.add_round([Slot(game, q, q, "read", [3, h, r], None, (), "read", q + h - 1, r)
                    for h in range(1, heads + 1) for r in range(read)])
    game.constants = {"n": n, "B": block, "k": read, "M": values, "q": q}
    game.parameters = {"n": n, "block": block, "values": values, "read": read, "heads": heads, "shared": shared}
    return game, SparseMembership(game)


def family_pointer(body, constants):
    expect_keys(body, ("players", "points", "rounds", "bits"), (), "[family.pointer_chasing]")
    k, q, rounds = (size_value(body[key], constants, key) for key in ("players", "points", "rounds"))
    bits = size_value(body["bits"], constants, "bits", 0)
    if k < 2 or q % 2:
        raise SpecError("pointer_chasing needs at least two players and an even number of points")
    if k * rounds > MAX_SLOTS:
        raise SpecError("more than 2^20 slots")
    players = [Player("P%d" % k, [Field("label", "subset", q, q // 2)])]
    players += [Player("P%d" % j, [Field("pi", "permutation", q)]) for j in range(k - 1, 1, -1)]
    players += [Player("P1", [Field("start", "number", q)]), Player("Board", [])]
    game = Game(players, "Board")
    for number in range(1, rounds + 1):
        for j in range(k):
            last = number == rounds and j == k - 1
            game.add_round([Slot(game, j, k, "free" if last else "soft", [number],
                                 2 if last else IntegerOps.power(2, bits), [k])])
    game.constants = {"k": k, "q": q, "R": rounds, "s": bits}
    game.parameters = {"players": k, "points": q}
    return game, PointerTask(game)


def build_game(spec):
    """The game with its task from the tables `let`, `family` or `game`, `task` (files 2 and 3)."""
    let = resolve_constants(spec.get("let", {}))
    if ("family" in spec) == ("game" in spec):
        raise SpecError("either [family] or [game]")
    tag, body = (None, None)
    if "task" in spec:
        tag, body = one_tag(spec["task"], "[task]")
        if not isinstance(body, dict):
            raise SpecError("[task.%s] is not a table" % short(tag))
    named = NAMED_TASKS[tag](body, let) if tag in NAMED_TASKS else None
    if "game" in spec:
        game, own_task = build_own_game(spec["game"], let), None
    else:
        family, fields = one_tag(spec["family"], "[family]")
        if family in ("hybrid", "sparse", "pointer_chasing"):
            builder = {"hybrid": family_hybrid, "sparse": family_sparse, "pointer_chasing": family_pointer}[family]
            game, own_task = builder(fields, let)
        elif family in ("one_way", "cot", "streaming"):
            builder = {"one_way": family_one_way, "cot": family_cot, "streaming": family_streaming}[family]
            game, own_task = builder(fields, let, named)
        else:
            raise SpecError("unknown family `%s`" % short(family))
        game.family = family
    game.let = let
    merge_constants(let, game.constants)
    game.finish()
    game.task = choose_task(game, own_task, named, tag, body)
    return game


def choose_task(game, own_task, named, tag, body):
    if tag is None:
        if own_task is None:
            raise SpecError("the game has no task")
        return own_task
    if tag in ("composition", "pointer"):
        if own_task is None or own_task.tag != tag or body:
            raise SpecError("[task.%s] does not fit this game" % tag)
        return own_task
    if named is not None:
        named.bind(game)
        return named
    if tag == "table":
        return TableTask(body, game)
    if tag == "expression":
        task = ExpressionTask(body, game)
        task.tabulate()
        return task
    raise SpecError("unknown task `%s`" % short(tag))


# ---------------------------------------------------------------------------------------------------------------------
# Tasks (games 3, files 3).  accepted(inputs) is the increasing tuple of accepted answers, or None for "every answer".

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


# ---------------------------------------------------------------------------------------------------------------------
# Strategies (files 4, games 4.1 and 7.5).  functions: slot index to f(inputs, symbols); a slot without one says 0.

class Strategy:
    def __init__(self, tag, functions, answer, resolved):
        self.tag, self.functions, self.answer, self.fields = tag, functions, answer, resolved

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
    functions = {}
    for index, (pattern, _) in resolve_patterns(list(say), game, constants).items():
        slot = game.slots[index]
        if slot.rule == "chosen":
            functions[index] = affine_function(game, slot, say[pattern], tag == "threshold")
    written = [[pattern, {key: decimal_text(value) if key == "constant" else [decimal_text(v) for v in value]
                          for key, value in say[pattern].items()}] for pattern in sorted(say)]
    return Strategy(tag, functions, answer_function(body, game, constants),
                    with_answer({"say": written}, body, game, let))


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


# ---------------------------------------------------------------------------------------------------------------------
# Runs (games 1)

def combination_rank(n, chosen):
    """Index of an increasing tuple of 0..n-1 in lexicographic order."""
    rank, k, low = 0, len(chosen), 0
    for i, value in enumerate(chosen):
        for skipped in range(low, value):
            rank += math.comb(n - skipped - 1, k - i - 1)
        low = value + 1
    return rank


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


# ---------------------------------------------------------------------------------------------------------------------
# Flow, pruning, support (games 5 and 6.1)

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


# ---------------------------------------------------------------------------------------------------------------------
# Rebuilding a claim: spec, resolved object, digest (format 1, details 1 and 2)

GAME_KINDS = ("independent", "cuts", "solvable", "unsolvable", "correct", "wrong")


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
        if self.kind in GAME_KINDS or (self.kind == "count" and "task" not in self.body):
            with_strategy = self.kind in ("correct", "wrong")
            as_object(spec, "/spec", ("game", "strategy") if with_strategy else ("game",))
            as_object(spec["game"], "/spec/game", (), ("family", "game", "let", "task"))
            self.game = build_game(spec["game"])
            if with_strategy:
                as_object(spec["strategy"], "/spec/strategy", ("strategy",), ("let",))
                self.strategy = build_strategy(spec["strategy"], self.game)
                self.runner = Runner(self.game, self.strategy)
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
        if self.doc["spec"]:
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


# ---------------------------------------------------------------------------------------------------------------------
# Which evidence and which scope (format 2, files 5)

PROTOCOL, DENIAL = [["protocol"]], [["family"], ["colouring"], ["no_protocol"]]
WRONG, RIGHT = [["pair"], ["counterexample"], ["conflict"]], [["enumeration"]]
ALLOWED = {
    ("independent", "established"): [["cut"]], ("independent", "refuted"): [["relay"]],
    ("cuts", "established"): [["cuts"]], ("cuts", "refuted"): [["cuts"]],
    ("solvable", "established"): PROTOCOL, ("solvable", "refuted"): DENIAL,
    ("unsolvable", "established"): DENIAL, ("unsolvable", "refuted"): PROTOCOL,
    ("correct", "established"): RIGHT, ("correct", "refuted"): WRONG,
    ("wrong", "established"): WRONG, ("wrong", "refuted"): RIGHT,
    ("count", "established"): [["classes", "protocol"]], ("count", "refuted"): [["classes", "protocol"]],
}


def expect_kinds(found, *allowed):
    if found not in allowed:
        raise Rejection("/evidence", "kind-mismatch", short(" ".join(found)),
                        " or ".join(" ".join(kinds[:3]) for kinds in allowed))


def check_kind(claim):
    """The evidence kinds of a claim about a game, and whether it may have attached files."""
    allowed = ALLOWED[claim.kind, claim.verdict]
    found = [tag for tag, _, _ in claim.evidence]
    with_files = RIGHT + [["no_protocol"]]
    if claim.kind not in ("correct", "wrong") and found not in with_files:
        claim.expect_no_files()
    expect_kinds(found, *allowed)
    if found not in with_files:
        claim.expect_no_files()


def check_scope(claim):
    scope = claim.doc["scope"]
    if claim.kind in ("correct", "wrong"):
        expected = "this-protocol"
    elif claim.kind in ("inequality", "parameters"):
        expected = {"this-range": {"for": claim.body["for"]}} if claim.body["for"] else "this-parameter-point"
    elif claim.kind == "derive":
        expected = "this-parameter-point"
    else:
        expected = "every-protocol-of-this-game"
    if scope != expected:
        raise Rejection("/scope", "scope-mismatch", scope, expected)


# ---------------------------------------------------------------------------------------------------------------------
# Evidence kinds about games (format 2, details 3 and 4)

def check_cut(claim, body, at):
    """With `pinned`, the view is not reached."""
    if claim.leaks(claim.body["pinned"]):
        raise Rejection(at, "not-constant", "a path that carries the input", "none")
    return "cut: no path avoids %s" % slot_names(claim.game, claim.body["pinned"])


def slot_names(game, indices):
    """Names of slots as in a report."""
    if not indices:
        return "no slot"
    more = " and %d more" % (len(indices) - 8) if len(indices) > 8 else ""
    return ", ".join(game.slots[index].name for index in indices[:8]) + more


def check_relay(claim, body, at):
    """A path without pinned slots, and two inputs on which its relay protocol gives different views."""
    game, path, pinned = claim.game, body["path"], set(claim.body["pinned"])
    for i, index in enumerate(path):
        claim.slot(index, "%s/path/%d" % (at, i))
    for i, index in enumerate(path):
        if index in pinned:
            raise Rejection("%s/path/%d" % (at, i), "not-constant", "pinned slot %d" % index, "no pinned slot")
    if not path and claim.source != claim.target:
        raise Rejection(at + "/path", "coverage", "an empty path", "a path")
    problem = path_problem(game, claim.source, path, claim.after)
    if problem:
        raise Rejection(at + "/path", "coverage", problem, "a path of influence")
    if path and game.slots[path[-1]].receiver != claim.target:
        raise Rejection(at + "/path", "coverage", "a path to another player", claim.body["view"])
    left, right = (claim.full_input(body[key], at + "/" + key) for key in ("left", "right"))
    for p, player in enumerate(game.players):
        if (p == claim.source) == (left[p] == right[p]):
            raise Rejection("%s/right/%s" % (at, player.label), "domain", list(right[p]),
                            "a difference in the input of %s only" % claim.body["of"])
    runner = Runner(game, Strategy("relay", relay_functions(game, claim.source, path), None, {}))
    views = [view_of(game, claim.target, claim.after, x, runner.run(x)) for x in (left, right)]
    if views[0] == views[1]:
        raise Rejection(at, "view-differs", "equal views", "different views")
    return "relay: " + slot_names(game, path)


def check_cuts(claim, body, at):
    """The list is exactly the set of inclusion-minimal cuts (games 5), and the verdict says whether it is `equals`."""
    cuts = body["cuts"]
    at += "/cuts"
    for i, cut in enumerate(cuts):
        for j, index in enumerate(cut):
            if claim.slot(index, "%s/%d/%d" % (at, i, j)).rule != "chosen":
                raise Rejection("%s/%d/%d" % (at, i, j), "coverage", index, "a Chosen slot")
        if not cut:
            raise Rejection("%s/%d" % (at, i), "coverage", "no slot", "at least one")
    for i, cut in enumerate(cuts):
        if claim.leaks(cut):
            raise Rejection("%s/%d" % (at, i), "not-constant", cut, "a cut")
    for i, cut in enumerate(cuts):
        if not all(claim.leaks(set(cut) - {member}) for member in cut):
            raise Rejection("%s/%d" % (at, i), "bound", cut, "a minimal cut")
    if any(a >= b for cut in cuts for a, b in zip(cut, cut[1:])):
        raise Rejection(at, "coverage", cuts, "increasing lists")
    keys = [(len(cut), cut) for cut in cuts]
    if any(a >= b for a, b in zip(keys, keys[1:])):
        raise Rejection(at, "coverage", "cuts out of order or twice", "shorter first, then lexicographic")
    check_cuts_complete(claim, cuts, at)
    if (cuts == claim.body["equals"]) != (claim.verdict == "established"):
        raise Rejection(at, "bound", cuts, claim.verdict)
    if not cuts:
        return "cuts: none, by the choice test"
    sizes = ", ".join(str(len(cut)) for cut in cuts)
    return "cuts: %d minimal cuts of sizes %s, complete by the choice test" % (len(cuts), sizes)


def check_cuts_complete(claim, cuts, at):
    """For each choice of one slot from each cut, pinning all other Chosen slots leaves a path.  The list of a view
    that nothing reaches is empty."""
    if not claim.leaks(()):
        return
    chosen = {slot.index for slot in claim.game.active if slot.rule == "chosen" and slot.round < claim.after}
    choices = math.prod(len(cut) for cut in cuts)
    if choices > MAX_CHOICES:
        raise NotChecked("%d choices of one slot from each cut" % choices)
    for choice in itertools.product(*cuts):
        if not claim.leaks(chosen - set(choice)):
            raise Rejection(at, "coverage", "a minimal cut that contains none of the listed ones", "all minimal cuts")


def check_counterexample(claim, body, at):
    game, inputs = claim.game, claim.full_input(body["input"], at + "/input")
    answer = decimal_value(body["answer"])
    said = claim.runner.answer(inputs, claim.runner.run(inputs))
    if said != answer:
        raise Rejection(at + "/answer", "replay", body["answer"], "a free answer" if said is None else str(said))
    if game.task.accepts(inputs, answer):
        raise Rejection(at + "/answer", "accepted", "an answer that the task accepts", "a wrong answer")
    return "counterexample: answer %d is not accepted" % answer


def check_pair(claim, body, at):
    left, right = (claim.full_input(body[key], at + "/" + key) for key in ("left", "right"))
    views = [final_view(claim.game, x, claim.runner.run(x)) for x in (left, right)]
    if views[0] != views[1]:
        raise Rejection(at, "view-differs", views[1], views[0])
    if not no_common_answer(claim.game.task, left, right):
        raise Rejection(at, "common-answer", "an answer accepted on both", "none")
    return "indistinguishable pair: one view, no common answer"


def check_conflict(claim, body, at):
    """At least three inputs in input order with one view, no common answer, minimal."""
    at += "/inputs"
    inputs = [claim.full_input(value, "%s/%d" % (at, i)) for i, value in enumerate(body["inputs"])]
    if len(inputs) < 3:
        raise Rejection(at, "bound", "%d inputs" % len(inputs), "at least three")
    for i in range(1, len(inputs)):
        if inputs[i - 1] >= inputs[i]:
            raise Rejection("%s/%d" % (at, i), "coverage", "inputs out of order", "input order")
    views = [final_view(claim.game, x, claim.runner.run(x)) for x in inputs]
    for i in range(1, len(inputs)):
        if views[i] != views[0]:
            raise Rejection("%s/%d" % (at, i), "view-differs", views[i], views[0])
    if not no_common_answer(claim.game.task, *inputs):
        raise Rejection(at, "common-answer", "an answer accepted on all", "none")
    for i in range(len(inputs)):
        if no_common_answer(claim.game.task, *inputs[:i], *inputs[i + 1:]):
            raise Rejection("%s/%d" % (at, i), "bound", "an input that is not needed", "a minimal set")
    return "conflict: one view on %d inputs, no common answer" % len(inputs)


def check_sizes(game, body, alphabet, at):
    """Lengths of the tables and of the answers (details 3); returns the Chosen slots, and the key digits of each."""
    chosen = [slot for slot in game.slots if slot.rule == "chosen"]
    if len(body["tables"]) != len(chosen):
        raise Rejection(at + "/tables", "size", "%d tables" % len(body["tables"]), "%d tables" % len(chosen))
    keys = {slot.index: game.key_radices(slot.sources, slot.round) for slot in chosen}
    for i, (slot, table) in enumerate(zip(chosen, body["tables"])):
        expected = key_count(keys[slot.index]) if alphabet(slot) > 1 else None
        if table is not None and len(table) != expected:
            raise Rejection("%s/tables/%d" % (at, i), "size", "%d symbols" % len(table), short(str(expected)))
    return chosen, keys


def check_symbols(list_of_texts, size, at):
    """The numbers of a list of decimal strings, all below `size`."""
    numbers = [decimal_value(text) for text in list_of_texts]
    for j, number in enumerate(numbers):
        if number >= size:
            raise Rejection("%s/%d" % (at, j), "alphabet", number, "below %s" % short(size))
    return numbers


def check_answer_size(game, answers, count, at):
    if len(answers) != count:
        raise Rejection(at + "/answers", "size", len(answers), short(count))


def protocol_functions(game, body, alphabet, answer_count, at):
    """(functions, answers) of a protocol: every length, then every symbol and answer, then shared maps."""
    chosen, keys = check_sizes(game, body, alphabet, at)
    check_answer_size(game, body["answers"], answer_count, at)
    functions, tables = {}, {}
    for i, (slot, table) in enumerate(zip(chosen, body["tables"])):
        tables[slot.index] = table
        if table is not None:
            numbers = check_symbols(table, alphabet(slot), "%s/tables/%d" % (at, i))
            functions[slot.index] = table_function(game, keys[slot.index], numbers)
    answers = check_symbols(body["answers"], game.task.answers, at + "/answers")
    if any(tables[index] != tables[game.shared[0]] for index in game.shared):
        raise Rejection(at + "/tables", "replay", "different tables of a shared map", "equal tables")
    return functions, answers


def check_protocol(claim, body, at):
    """The tables and answers are accepted on all full inputs."""
    game = claim.game
    digits = game.key_radices([game.output], game.end)
    functions, answers = protocol_functions(game, body, lambda slot: slot.alphabet, key_count(digits), at)
    answer = table_function(game, digits, answers)
    claim.limit(game.total(), "inputs")
    runner = Runner(game, Strategy("table", functions, answer, {}))
    for inputs in game.inputs():
        said = answer(inputs, runner.run(inputs))
        if not game.task.accepts(inputs, said):
            raise Rejection(at, "accepted", "answer %d on %s" % (said, describe(game, inputs)), "an accepted answer")
    return "protocol, replayed on all %d inputs" % game.total()


# --- counting: family, classes, colouring (format 5)

def check_separated(claim, body, members, tests, join, at):
    """All members pairwise separated by the tests: by the `separators`, one test per pair in lexicographic order, or,
    without them, by different answers, which needs exactly one accepted answer everywhere."""
    task = claim.game.task
    claim.limit(len(members) * len(tests), "look-ups of members on tests")
    rows = [[task.accepted(join(x, y)) for y in tests] for x in members]
    if "separators" in body:
        check_separators(body["separators"], rows, len(tests), at + "/separators")
        return
    if not all(functional_entry(task, entry) for row in rows for entry in row):
        raise Rejection(at, "not-separated", "no separators", "separators: some test has not exactly one answer")
    seen = {}
    for j, row in enumerate(rows):
        if tuple(row) in seen:
            raise Rejection("%s/members/%d" % (at, j), "not-separated", "the row of member %d" % seen[tuple(row)],
                            "a row of its own")
        seen[tuple(row)] = j


def check_separators(listed, rows, tests, at):
    pairs = list(itertools.combinations(range(len(rows)), 2))
    for n, (i, j) in enumerate(pairs):
        if n >= len(listed) or listed[n][:2] != [i, j]:
            raise Rejection(at, "coverage", "a pair out of order or missing", "the pair %d, %d" % (i, j))
        y = listed[n][2]
        if y >= tests:
            raise Rejection("%s/%d" % (at, n), "coverage", y, "the index of a test")
        if rows[i][y] is None or rows[j][y] is None or set(rows[i][y]) & set(rows[j][y]):
            raise Rejection("%s/%d" % (at, n), "not-separated", y, "a test without common answer")
    if len(listed) > len(pairs):
        raise Rejection(at, "coverage", "%d separators" % len(listed), "%d" % len(pairs))


def functional_entry(task, entry):
    """Exactly one accepted answer (with a single answer in all, "every answer" is one)."""
    return task.answers == 1 if entry is None else len(entry) == 1


def check_family(claim, body, at):
    """More separated members than `bound` message patterns (format 5.1)."""
    game, side = claim.game, body["side"]
    for i, label in enumerate(side):
        if label not in game.labels:
            raise Rejection("%s/side/%d" % (at, i), "domain", label, "a player of the game")
    outside = [player.label for player in game.players if player.label not in side]
    for key, labels in (("members", side), ("tests", outside)):
        for i, value in enumerate(body[key]):
            claim.expect_labels(value, labels, "%s/%s/%d" % (at, key, i))
    order = [game.labels[label] for label in side]
    if any(a >= b for a, b in zip(order, order[1:])) or game.output in order:
        raise Rejection(at + "/side", "coverage", side, "labels in player order, without the output player")
    members = [claim.part(value, side, "%s/members/%d" % (at, i)) for i, value in enumerate(body["members"])]
    tests = [claim.part(value, outside, "%s/tests/%d" % (at, i)) for i, value in enumerate(body["tests"])]

    def join(x, y):
        return tuple(x[p] if p in x else y[p] for p in range(len(game.players)))
    check_separated(claim, body, members, tests, join, at)
    bound = family_bound(game, set(order), tests)
    if decimal_text(bound) != body["bound"]:
        raise Rejection(at + "/bound", "bound", body["bound"], str(bound))
    if len(members) <= bound:
        raise Rejection(at + "/members", "bound", "%d members" % len(members), "more than %d" % bound)
    return "family: %d members > bound %d" % (len(members), bound)


def family_bound(game, side, tests):
    """Product of S^r over the crossing slots."""
    kept = kept_slots(game)
    support, bound, bits = supports(game, kept), 1, 0
    for slot in game.active:
        if slot.index not in kept or slot.receiver in side:
            continue
        candidates = game.candidates(slot) if slot.rule == "read" else slot.sources
        if not side.intersection(candidates):
            continue
        visible = sorted(support[slot.index] - side)
        restrictions = len({tuple(test[p] for p in visible) for test in tests}) if visible else 1
        bits += slot.alphabet.bit_length() * restrictions
        if bits > MAX_BITS:
            raise NotChecked("a bound of up to %d bits" % bits)
        bound *= slot.alphabet ** restrictions
    return bound


def check_count(claim):
    """`classes` and `protocol`: as many separated members as the protocol has symbols, so the number is exact."""
    (_, classes, at), (_, protocol, protocol_at) = claim.evidence
    game = claim.game
    if not is_one_way(game) or game.output != 1:
        raise Rejection(at, "kind-mismatch", "another game", "a one-way game from the first player to the second")
    alice, bob = game.players
    members = [claim.element(alice, digits, "%s/members/%d" % (at, i)) for i, digits in enumerate(classes["members"])]
    tests = [claim.element(bob, digits, "%s/tests/%d" % (at, i)) for i, digits in enumerate(classes["tests"])]
    check_separated(claim, classes, members, tests, lambda x, y: (x, y), at)
    check_count_protocol(claim, len(members), protocol, protocol_at)
    bits = bits_of(len(members))
    number = len(members) if claim.body["of"] == "states" else bits
    relation, stated = next((key, decimal_value(claim.body[key])) for key in ("equals", "at_least", "at_most")
                            if key in claim.body)
    holds = {"equals": number == stated, "at_least": number >= stated, "at_most": number <= stated}[relation]
    if holds != (claim.verdict == "established"):
        raise Rejection(at + "/members", "bound", "%d %s" % (number, claim.body["of"]), claim.verdict)
    return "classes and protocol: exactly %d states, %d bits" % (len(members), bits)


def check_count_protocol(claim, count, body, at):
    """A protocol of the same two players with `count` symbols."""
    game = claim.game
    bob = game.players[1]
    symbols, rest = divmod(len(body["answers"]), bob.size)
    if rest or symbols == 0:
        raise Rejection(at + "/answers", "size", len(body["answers"]), "a multiple of %s" % short(bob.size))
    if symbols != count:
        raise Rejection(at + "/answers", "bound", "%d symbols" % symbols, "%d, one per member" % count)
    functions, answers = protocol_functions(game, body, lambda slot: symbols, symbols * bob.size, at)
    say = functions.get(0, lambda inputs, said: 0)
    claim.limit(game.total(), "inputs")
    for inputs in game.inputs():
        answer = answers[bob.rank(inputs[1]) * symbols + say(inputs, ())]
        if not game.task.accepts(inputs, answer):
            raise Rejection(at, "accepted", "answer %d on %s" % (answer, describe(game, inputs)), "an accepted answer")


def check_colouring(claim, body, at):
    """A clique of pairwise conflicts with more members than symbols (format 5.3, details 3)."""
    game = claim.game
    sparse = game.family == "sparse" and bool(game.shared)
    if not is_one_way(game) and not sparse:
        raise Rejection(at, "kind-mismatch", "another game", "a one-way game, or a sparse game with a shared map")
    slot, listener = game.slots[0], game.players[game.output]
    clique = [claim.element(game.players[slot.sender], digits, "%s/clique/%d" % (at, i))
              for i, digits in enumerate(body["clique"])]
    blocks = len(game.players) - 1
    pairs = len(clique) * (len(clique) - 1) // 2
    claim.limit(pairs * listener.size * (2 * blocks + 2 if sparse else 2), "task look-ups")
    queries = list(listener.elements())
    reads = sum(1 for s in game.slots if s.rule == "read")
    rows = {}
    if not sparse:
        order = (lambda x, y: (x, y)) if game.output == 1 else (lambda x, y: (y, x))
        rows = {a: [game.task.accepted(order(a, y)) for y in queries] for a in set(clique)}
    for j, b in enumerate(clique):
        for i, a in enumerate(clique[:j]):
            conflict = (sparse_conflict(game, a, b, queries, reads) if sparse else a != b and
                        any(p is not None and q is not None and not set(p) & set(q) for p, q in zip(rows[a], rows[b])))
            if not conflict:
                raise Rejection("%s/clique/%d" % (at, j), "not-separated", list(b), "a conflict with member %d" % i)
    if body["symbols"] != decimal_text(slot.alphabet) or len(clique) <= slot.alphabet:
        raise Rejection(at + "/symbols", "bound", "%d members, %s symbols" % (len(clique), body["symbols"]),
                        "more members than the %s symbols" % short(slot.alphabet))
    return "colouring: %d inputs in pairwise conflict > %s symbols" % (len(clique), body["symbols"])


def sparse_conflict(game, a, b, queries, reads):
    """For some query and one order of a, b, whatever `reads` blocks are read, a changed block outside them matters:
    that is, changing one block matters for more than `reads` blocks."""
    blocks = len(game.players) - 1
    for query in queries:
        for x, y in ((a, b), (b, a)):
            base = [x] * blocks
            changed = sum(1 for p in range(blocks)
                          if no_common_answer(game.task, (*base, query), (*base[:p], y, *base[p + 1:], query)))
            if changed > reads:
                return True
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Refuted formulas: table-v1, symbol-order-v1, LRAT (format 3 and 4).  Self-contained but for `kept_slots`, `supports`.

FORMULA, PROOF = "formula.cnf", "proof.lrat.gz"
MAX_LITERALS = 2 ** 25          # a bound of this program: longer formulas are not-checked
LRAT_NUMBERS = re.compile(rb"(?:0|-?[1-9][0-9]{0,17})(?: (?:0|-?[1-9][0-9]{0,17}))*")
LRAT_DELETION = re.compile(rb"[1-9][0-9]{0,17} d ((?:[1-9][0-9]{0,17} )*)0")


class Formula:
    """Numbered variables and clauses (tuples of literals), in order."""

    def __init__(self):
        self.variables, self.clauses, self.literals = 0, [], 0

    def group(self, size):
        """One variable for two symbols, one-hot for more, none for one."""
        first = self.variables + 1
        self.variables += 0 if size < 2 else 1 if size == 2 else size
        return first, size

    def groups(self, keys, size):
        """A group per key, then the clauses that each is exactly one symbol."""
        made = {key: self.group(size) for key in keys}
        if size > 2:
            for group in made.values():
                row = [literal(group, v) for v in range(size)]
                self.add(row)
                for a, b in itertools.combinations(row, 2):
                    self.add((-a, -b))
        return made

    def add(self, clause):
        clause = tuple(clause)
        self.literals += len(clause)
        if self.literals > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        self.clauses.append(clause)

    def lines(self):
        yield b"p cnf %d %d" % (self.variables, len(self.clauses))
        for clause in self.clauses:
            yield b" ".join([b"%d" % x for x in clause] + [b"0"])


def literal(group, symbol):
    first, size = group
    if size == 2:
        return first if symbol else -first
    return first + symbol


class Encoder:
    """table-v1 for a list of inputs (format 4.1)."""

    def __init__(self, game, inputs, accepted):
        self.game, self.inputs, self.formula = game, inputs, Formula()
        self.kept = sorted(kept_slots(game))
        self.support = {k: sorted(players) for k, players in supports(game, set(self.kept)).items()}
        self.said, self.functions = {}, []
        for k in self.kept:
            self.slot(game.slots[k])
        self.answers(accepted)
        self.plain = len(self.formula.clauses)

    def arguments(self, sources, number):
        stored = [k for p in sources for k in self.game.stored(p, number) if k in self.support]
        return stored, [self.game.slots[k].alphabet for k in stored]

    def distinct(self, players):
        return sorted({tuple(x[p] for p in players) for x in self.inputs})

    def combinations(self, sizes, repeats):
        """All combinations of symbols, if they are few enough to be written `repeats` times."""
        if math.prod(sizes) * max(repeats, 1) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        return list(itertools.product(*[range(size) for size in sizes]))

    def pre(self, stored, x, combination):
        """The negated literals of "the arguments have these symbols" on an input (players to digits)."""
        groups = [self.said[k][tuple(x[p] for p in self.support[k])] for k in stored]
        return [-literal(group, v) for group, v in zip(groups, combination)]

    def slot(self, slot):
        size, sources, support = slot.alphabet, slot.sources, self.support[slot.index]
        restrictions = self.distinct(support)
        if size * len(restrictions) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        said = self.said[slot.index] = self.formula.groups(restrictions, size)
        stored, sizes = self.arguments(sources, slot.round)
        owns = self.distinct(sources)
        if not stored:
            function = {(own, ()): said[tuple(own[sources.index(p)] for p in support)] for own in owns}
        else:
            combinations = self.combinations(sizes, size * max(len(owns), len(restrictions)))
            function = self.formula.groups(list(itertools.product(owns, combinations)), size)
            for restriction in restrictions:
                x = dict(zip(support, restriction))
                own = tuple(x[p] for p in sources)
                for combination in combinations:
                    pre = self.pre(stored, x, combination)
                    m, f = said[restriction], function[own, combination]
                    for v in (1, 0) if size == 2 else range(size):
                        self.formula.add(pre + [-literal(m, v), literal(f, v)])
        self.functions.append((slot, stored, function))

    def answers(self, accepted):
        game, task = self.game, self.game.task
        stored, sizes = self.arguments((game.output,), game.end)
        owns = self.distinct((game.output,))
        combinations = self.combinations(sizes, len(self.inputs))
        if task.answers * len(owns) * len(combinations) > MAX_LITERALS:
            raise NotChecked("a formula of more than %d literals" % MAX_LITERALS)
        function = self.formula.groups(list(itertools.product(owns, combinations)), task.answers)
        for x, right in zip(self.inputs, accepted):
            if right is not None:
                for combination in combinations:
                    group = function[(x[game.output],), combination]
                    self.formula.add(self.pre(stored, x, combination) + [literal(group, a) for a in right])

    def order_symbols(self):
        """symbol-order-v1 (format 4.3)."""
        named = {slot.by for slot in self.game.slots if slot.rule == "read"}
        for slot, stored, function in self.functions:
            if slot.sender == slot.receiver or slot.index in named:
                continue
            consulted = slot.receiver in slot.sources
            mine = [i for i, k in enumerate(stored) if self.game.slots[k].receiver == slot.receiver]
            contexts = {}
            for own, combination in sorted(function):
                context = (own[slot.sources.index(slot.receiver)], tuple(combination[i] for i in mine)) \
                    if consulted else ()
                contexts.setdefault(context, []).append(function[own, combination])
            for keys in contexts.values():
                for number, group in enumerate(keys[:slot.alphabet - 1]):
                    for v in range(number + 1, slot.alphabet):
                        self.formula.add((-literal(group, v),))


def check_no_protocol(claim, body, at):
    """The formula of the input core made again and compared, then the proof that it cannot be satisfied."""
    for name in (FORMULA, PROOF):
        if name not in claim.attached:
            raise Rejection("/files/" + name, "file", "no such file", "%s and %s" % (FORMULA, PROOF))
    if len(claim.attached) > 2:
        raise Rejection("/files", "file", sorted(claim.attached), "%s and %s" % (FORMULA, PROOF))
    claim.trust = ["encoding:" + body["encoding"]] + ["symmetry:" + name for name in body["symmetry"]]
    if body["encoding"] != "table-v1":
        raise Rejection(at + "/encoding", "encoding", body["encoding"], "table-v1")
    for i, name in enumerate(body["symmetry"]):
        if name != "symbol-order-v1" or i > 0:
            raise Rejection("%s/symmetry/%d" % (at, i), "symmetry", name, "symbol-order-v1, once")
    game = claim.game
    inputs = [claim.full_input(value, "%s/inputs/%d" % (at, i)) for i, value in enumerate(body["inputs"])]
    for k in sorted(kept_slots(game)):
        if game.slots[k].rule != "chosen" or k in game.shared:
            raise Rejection(at + "/encoding", "encoding", game.slots[k].name, "a slot with a function of its own")
    for i in range(1, len(inputs)):
        if inputs[i - 1] >= inputs[i]:
            raise Rejection("%s/inputs/%d" % (at, i), "coverage", body["inputs"][i], "inputs in increasing order")
    accepted = [accepted_on(game.task, x, "%s/inputs/%d" % (at, i)) for i, x in enumerate(inputs)]
    encoder = Encoder(game, inputs, accepted)
    if body["symmetry"]:
        encoder.order_symbols()
    formula = encoder.formula
    expect_value(body["vars"], str(formula.variables), at + "/vars", "arithmetic")
    expect_value(body["clauses"], str(len(formula.clauses)), at + "/clauses", "arithmetic")
    compare_formula(formula, encoder.plain, claim.attached[FORMULA])
    steps = check_lrat(formula, claim.attached[PROOF])
    return "no protocol on %d inputs: %d clauses refuted in %d steps" % (len(inputs), len(formula.clauses), steps)


def accepted_on(task, x, at):
    """The accepted answers, increasing; None if all are."""
    try:
        right = task.accepted(x)
    except SpecError as error:
        raise Rejection(at, "replay", str(error), "a defined task") from None
    if right is None:
        return None
    right = sorted(set(right))
    if not right:
        raise Rejection(at, "encoding", "no accepted answer", "an input that can be encoded")
    return None if len(right) == task.answers else right


def compare_formula(formula, plain, data):
    """Byte for byte; the first line after the header that differs decides between `encoding` and `symmetry`."""
    right = list(formula.lines()) + [b""]
    found = data.split(b"\n")
    if found == right:
        return
    length = max(len(found), len(right))
    line = next((i for i in range(1, length) if found[i:i + 1] != right[i:i + 1]), 0)
    text = [b" ".join(rows[line:line + 1]).decode("utf-8", "replace") for rows in (found, right)]
    raise Rejection("%s:%d" % (FORMULA, line + 1), "symmetry" if line > plain else "encoding", *text)


def gzip_chunks(data):
    """The content of exactly one gzip member; zlib.error or ValueError for anything else."""
    decoder = zlib.decompressobj(wbits=31)
    for start in range(0, len(data), 2 ** 16):
        if decoder.eof:
            raise ValueError("bytes after the end of the gzip member")
        chunk = decoder.decompress(data[start:start + 2 ** 16], 2 ** 20)
        while chunk or decoder.unconsumed_tail:
            yield chunk
            chunk = decoder.decompress(decoder.unconsumed_tail, 2 ** 20)
    if not decoder.eof or decoder.unused_data:
        raise ValueError("not exactly one gzip member")


def content_digest(name, data):
    """SHA-256 of an attached file after decompression."""
    if not name.endswith(".gz"):
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    try:
        for chunk in gzip_chunks(data):
            digest.update(chunk)
    except (zlib.error, ValueError) as error:
        raise Rejection("/files/%s/content" % name, "file", str(error), "one gzip member") from None
    return digest.hexdigest()


def proof_lines(data):
    """The lines of the proof, each without its end; a torn last line is `proof-end`."""
    rest, number = b"", 0
    for chunk in gzip_chunks(data):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            number += 1
            yield number, line
    if rest:
        raise Rejection("proof.lrat:%d" % (number + 1), "proof-end", "a torn line", "a line that ends")


def check_lrat(formula, data):
    """Reverse unit propagation along the hints, nothing else (format 3.2)."""
    live = {i + 1: clause for i, clause in enumerate(formula.clauses)}
    last, number, lines = len(formula.clauses), 0, proof_lines(data)
    for number, line in lines:
        deletion = LRAT_DELETION.fullmatch(line)
        if deletion:
            for word in deletion.group(1).split():
                if live.pop(int(word), None) is None:
                    step_fails(number, "deletion of " + word.decode(), "a live clause")
            continue
        if not LRAT_NUMBERS.fullmatch(line):
            step_fails(number, line[:40].decode("utf-8", "replace"), "numbers")
        numbers = [int(word) for word in line.split(b" ")]
        last += 1
        if numbers[0] != last or 0 not in numbers[1:]:
            step_fails(number, "id %d" % numbers[0], "the id %d and a clause" % last)
        end = numbers.index(0, 1)
        clause, hints = tuple(numbers[1:end]), numbers[end + 1:]
        if len({abs(x) for x in clause}) < len(clause) or any(abs(x) > formula.variables for x in clause):
            step_fails(number, list(clause), "distinct variables of the formula")
        follow_hints(live, {-x for x in clause}, hints, number)
        live[last] = clause
        if not clause:
            for number, _ in lines:
                raise Rejection("proof.lrat:%d" % number, "proof-end", "a line after the empty clause", "the end")
            return last - len(formula.clauses)
    raise Rejection("proof.lrat:%d" % (number + 1), "proof-end", "the end of the file", "the empty clause")


def follow_hints(live, true, hints, number):
    """Each hint is unit, none is satisfied, and the last one, before the final 0, is false."""
    if hints[-1:] != [0] or len(hints) < 2:
        step_fails(number, "no conflict", "hints that end in a false clause, and 0")
    for place, hint in enumerate(hints[:-1]):
        clause = live.get(hint)
        if clause is None:
            step_fails(number, "hint %d" % hint, "the id of a live clause")
        unit, count = 0, 0
        for x in clause:
            if -x not in true:
                if x in true:
                    step_fails(number, "hint %d is satisfied" % hint, "a unit or false clause")
                unit, count = x, count + 1
        if count == 0:
            if place < len(hints) - 2:
                step_fails(number, "a hint after the conflict", "0")
            return
        if count > 1:
            step_fails(number, "hint %d is not unit (%d literals unassigned)" % (hint, count), "a unit or false clause")
        true.add(unit)
    step_fails(number, "no conflict", "hints that end in a false clause")


def step_fails(number, found, expected):
    raise Rejection("proof.lrat:%d" % number, "proof-step", found, expected)


# ---------------------------------------------------------------------------------------------------------------------
# Enumerations (format 6.1, details 3)

def expect_value(found, expected, at, code):
    if found != expected:
        raise Rejection(at, code, found, expected)


def check_enumeration(claim, body, at, search, domain, rerun):
    """`rerun()` yields the item records in index order, and returns the summary; then every stored value is compared
    with the recomputed one, first those of the object, then the lines of ranges.jsonl."""
    total = math.prod(domain)
    claim.limit(total, "items")
    records, lines, joined = rerun(), [], hashlib.sha256()
    for low in range(0, total, RANGE):
        high, hasher = min(total, low + RANGE), hashlib.sha256()
        for record in itertools.islice(records, high - low):
            hasher.update(record + b"\n")
        joined.update(hasher.digest())
        lines.append({"count": str(high - low), "digest": "sha256:" + hasher.hexdigest(), "first": None,
                      "hi": str(high), "lo": str(low)})
    try:
        next(records)
    except StopIteration as end:
        summary = end.value
    header = {"domain": [decimal_text(n) for n in domain], "range": str(RANGE), "search": search, "total": str(total)}
    expected = {**header, "summary": summary, "digest": "sha256:" + joined.hexdigest()}
    for key, code in (("search", "coverage"), ("domain", "coverage"), ("range", "coverage"), ("total", "arithmetic"),
                      ("summary", "arithmetic"), ("digest", "digest")):
        expect_value(body[key], expected[key], at + "/" + key, code)
    check_ranges(claim, [{**header, "digest": claim.doc["digest"], "format": 1}, *lines])


def check_ranges(claim, lines):
    """ranges.jsonl against the recomputed lines; it is the only attached file."""
    if "ranges.jsonl" not in claim.attached:
        raise Rejection("/files/ranges.jsonl", "file", "no such file", "the record of the enumeration")
    expected = []
    for line in lines:
        check = hashlib.sha256(canonical(line)).hexdigest()[:8]
        expected.append(canonical({**line, "check": check}))
    found, expected = claim.attached["ranges.jsonl"].split(b"\n"), expected + [b""]
    for number, (stored, right) in enumerate(itertools.zip_longest(found, expected), 1):
        if stored != right:
            raise Rejection("ranges.jsonl:%d" % number, range_code(number, stored, right), stored, right)
    if len(claim.attached) > 1:
        raise Rejection("/files", "file", sorted(claim.attached), "ranges.jsonl only")


def range_code(number, stored, right):
    """Which code a line has that differs: its place and form `coverage`, its numbers `arithmetic`, else `digest`."""
    try:
        stored, right = parse_json(stored or b""), parse_json(right or b"")
    except Rejection:
        return "coverage"
    if number == 1 or not isinstance(stored, dict) or any(stored.get(key) != right[key] for key in ("lo", "hi")):
        return "coverage"
    return "arithmetic" if any(stored.get(key) != right[key] for key in ("count", "first")) else "digest"


def check_correct(claim, body, at):
    """correct-v1: the protocol of `spec` run on every full input."""
    game, runner = claim.game, claim.runner

    def rerun():
        views = {}
        for inputs in game.inputs():
            symbols = runner.run(inputs)
            answer = runner.answer(inputs, symbols)
            view = final_view(game, inputs, symbols)
            accepted = game.task.accepted(inputs) if answer is None else None
            if answer is not None and not game.task.accepts(inputs, answer):
                raise Rejection(at, "accepted", "answer %d on %s" % (answer, describe(game, inputs)),
                                "an accepted answer")
            common = views.get(view)
            if accepted is not None:
                common = set(accepted) if common is None else common & set(accepted)
                if not common:
                    raise Rejection(at, "common-answer", describe(game, inputs), "an answer for its final view")
            views[view] = common
            said = ",".join('"%s"' % decimal_text(symbols[slot.index]) for slot in game.active)
            yield ('{"answer":%s,"symbols":[%s]}' % ("null" if answer is None else '"%s"' % decimal_text(answer),
                                                     said)).encode("ascii")
        return {"views": str(len(views))}
    check_enumeration(claim, body, at, "correct-v1", [player.size for player in game.players], rerun)
    return "enumeration: right on all %d inputs, %s final views" % (game.total(), body["summary"]["views"])


# ---------------------------------------------------------------------------------------------------------------------
# Numeric claims: inequality and parameters (files 5.3, counting 2, details 3)

class NumericStatement:
    """Points in loop order and, at each, the listed comparisons or the named check."""

    def __init__(self, claim):
        body = self.body = claim.body
        self.paper = claim.kind == "parameters"
        if self.paper and body["paper"] != "hybrid-v1":
            raise SpecError("unknown paper %s" % short(body["paper"]))
        self.let = {} if self.paper else resolve_constants(body["let"])
        self.points = [{}]
        if body["for"]:
            self.points = list(itertools.islice(loop_points(body["for"], self.let, 4 * MAX_POINTS), MAX_POINTS + 1))
        if len(self.points) > MAX_POINTS:
            raise SpecError("more than 2^20 points")
        self.trees = [self.comparison(text) for text in body.get("holds", ())]

    @staticmethod
    def comparison(text):
        node = Parser(text).whole()
        if node[0] != "cmp":
            raise SpecError("found %s, expected a comparison" % short(text))
        return node

    def arguments(self, point):
        """steps, c, d, a1 of the paper at a point."""
        values = {key: size_value(self.body[key], point, key, 0 if key == "a1" else 1)
                  for key in ("steps", "c", "d", "a1")}
        if values["steps"] < 2 or values["steps"] > MAX_STEPS_OF_PAPER or values["c"] % values["d"]:
            raise SpecError("steps must be in 2..%d, and d must divide c" % MAX_STEPS_OF_PAPER)
        return values

    def constants(self, point):
        """What the names mean at one point."""
        if not self.paper:
            return merge_constants(self.let, point)
        values = self.arguments(point)
        names = {**values, "L": values["steps"], **point}
        for used in sorted({name for text in self.body["holds"] for name in re.findall(NAME, text)}):
            if used not in names and is_quantity(used, values["steps"]):
                names[used] = paper_quantity(used, values["steps"], values["c"], values["d"])
        return names

    def rows(self):
        """(point, holds, comparison object) per point and listed comparison, points outer."""
        for point in self.points:
            if "check" in self.body:
                left, wanted, right = paper_check(self.body["check"], **self.arguments(point))
                found = compare_exact(left, right)
                yield point, holds(wanted, found["relation"]), found
                continue
            scope = Scope(self.constants(point), ExactOps)
            pairs = [[need(compile_node(node, scope), "int") for node in tree[2:]] for tree in self.trees]
            for tree, (left, right) in zip(self.trees, pairs):
                found = compare_exact(left.run(Env()), right.run(Env()))
                yield point, holds(tree[1], found["relation"]), found


def holds(operator, relation):
    return relation in {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}[operator]


QUANTITY = re.compile(r"(K|sqrtK|m|n|P|C|A)|(n|x|N|log2Delta|Theta|t)(0|[1-9][0-9]{0,3})")


def is_quantity(name, L):
    match = QUANTITY.fullmatch(name)
    if not match or match.group(1):
        return bool(match)
    first, last = {"n": (1, L - 1), "x": (0, L - 1), "N": (0, L - 1), "log2Delta": (2, L), "Theta": (0, L - 1),
                   "t": (2, L)}[match.group(2)]
    return first <= int(match.group(3)) <= last


def paper_quantity(name, L, c, d):
    """The quantities of counting 2, as the products that define them."""
    ops = ExactOps

    def get(other):
        return paper_quantity(other, L, c, d)
    if name == "K":
        return product(ops.power(ops.mul(c, L), 8), ops.power(8, 2 * L * L))
    if name == "sqrtK":
        return product(ops.power(ops.mul(c, L), 4), ops.power(8, L * L))
    if name == "m":
        return ops.power(get("K"), 1 + sum(8 ** r for r in range(L)))
    if name == "n":
        total = 2
        for l in range(L):
            total = ops.add(total, get("N%d" % l))
        return total
    if name == "P":
        return product(*[get("n%d" % i) for i in range(1, L)])
    if name == "C":
        return ops.mul(c, d + 1)
    if name == "A":
        return ops.power(2, 3 * L * L)
    kind, l = QUANTITY.fullmatch(name).group(2), int(QUANTITY.fullmatch(name).group(3))
    if kind == "n":
        return ops.power(get("K"), 4 * 8 ** (L - l - 1))
    if kind == "x":
        return ops.power(get("K"), 8 ** (L - l - 1))
    if kind == "N":
        return product(get("m"), *[get("n%d" % i) for i in range(1, l + 1)])
    if kind == "log2Delta":
        return product(4, get("sqrtK"), *[get("x%d" % i) for i in range(l - 1)], get("P"))
    if kind == "Theta":
        factors = [get("x%d" % i) for i in range(l + 1)] + [get("n%d" % i) for i in range(1, l)]
        return ops.divide(product(*factors), ops.power(8, L * l))
    return product(get("n%d" % (l - 1)), get("Theta%d" % (l - 1)))


def paper_check(name, steps, c, d, a1):
    """(left, relation that is wanted, right) of the row `name` of counting 2 and 3, layout (a1, A, .., A)."""
    match = re.fullmatch(r"([A-Za-z0-9-]+?)(?:\((0|[1-9][0-9]*)\))?", name)
    row = PAPER_ROWS.get(match.group(1)) if match else None
    if row is None:
        raise SpecError("unknown check %s" % short(name))
    first, last, function = row
    index = int(match.group(2)) if match.group(2) else None
    if (first is None) != (index is None) or (index is not None and not first <= index <= last(steps)):
        raise SpecError("unknown check %s" % short(name))
    paper = Paper(steps, c, d, a1)
    try:
        return function(paper) if index is None else function(paper, index)
    except SpecError as error:
        raise NotChecked("check %s: %s" % (name, error)) from None


class Paper:
    """The quantities of counting 2 at one point, and the parts that its rows are made of."""

    def __init__(self, steps, c, d, a1):
        self.L, self.c, self.d, self.a1 = steps, c, d, a1
        self.C, self.passes = c * (d + 1), 2 ** (3 * steps * steps)

    def __getitem__(self, name):
        return paper_quantity(name, self.L, self.c, self.d)

    def x(self, low, high):
        """x_low .. x_(high-1)."""
        return product(*[self["x%d" % i] for i in range(low, high)])

    def share(self, l):
        return product(self["sqrtK"], self.x(0, l), self["P"])

    def linear(self, r):
        """C (a_1 + .. + a_r)."""
        return product(self.C, self.a1 + (r - 1) * self.passes)

    def base_soft(self):
        P, x0, x1, m = (self[name] for name in ("P", "x0", "x1", "m"))
        parts = (P, x0, product(m, x1), product(P, x0), product(x0, x1), product(m, x1))
        return total([product(2 * self.c * (self.L - 1), part) for part in parts])

    def step_soft(self, l):
        parts = [product(self["P"], self.x(0, l)), self.x(0, l)]
        parts += [product(self["N%d" % (i - 1)], self.x(i, l)) for i in range(1, l)]
        own = product(2 * self.c * (l + 1) * (self.L - l), self["N%d" % (l - 1)], self["x%d" % l])
        return total([product(2 * self.c * (self.L - l), part) for part in parts] + [own])

    def rectangle(self, l):
        x, loss = self["x%d" % l], self["log2Delta%d" % l]
        return total([product(x, loss), loss, product(2, x), 1])

    def kept(self, l, factor=0):
        """t_l, times 2^((l-1)(3L-1)) if the factor 8^(-L l) of Theta_l is replaced by 2^(-l)."""
        return product(self["t%d" % l], 2 ** (factor * (l - 1) * (3 * self.L - 1)))

    def coverage(self, l, t):
        known = product(4, self["x%d" % l], t)
        new = floor_log2_of(ExactOps.divide(self["N%d" % (l - 1)], known))
        return product(ExactOps.divide(t, 2), new), ">=", total([self["log2Delta%d" % l], 2])

    def base_coverage(self):
        new = floor_log2_of(ExactOps.divide(self["m"], product(4, self["x0"], self["x1"])))
        return product(self["x0"], new), ">=", total([product(4, self.c, self["P"]), 2])

    def last_count(self, t):
        return self["log2Delta%d" % self.L], "<", ExactOps.mul(ExactOps.log2(self.answers()), t)

    def answers(self):
        return self["N%d" % (self.L - 1)]

    def theta(self, l):
        t = self.kept(l, 1)
        return self.last_count(t) if l == self.L else self.coverage(l, t)

    def repaired(self):
        return product(2, self.c, self.c, self.L, self.passes)

    def bound(self, exponent):
        return ExactOps.power(self.c, exponent)

    def sharp(self):
        """bits(n) at c = 2."""
        return bits_of(ExactOps.integer(paper_quantity("n", self.L, 2, self.d)))

    def view_bits(self):
        return 2 * self.c * self.L * (self.L + 1) + self.C * (self.a1 + (self.L - 1) * self.passes)

    def quotient(self):
        root = ExactOps.power(self.c * self.L, 4)
        return product(root, ExactOps.power(8, self.L), self["log2Delta%d" % self.L])


def product(*factors):
    result = 1
    for factor in factors:
        result = ExactOps.mul(result, factor)
    return result


def total(terms):
    result = terms[0]
    for term in terms[1:]:
        result = ExactOps.add(result, term)
    return result


def floor_log2_of(value):
    """floor(log2 floor(value)) of a value of at least 1."""
    value = ExactOps.plain(value)
    return (value.numerator // value.denominator).bit_length() - 1


def two_power(exponent):
    return ExactOps.power(2, exponent)


def before_last(steps):
    return steps - 1


# name: (least index or None, greatest index, the row)
PAPER_ROWS = {
    "B-BUDGET": (1, before_last, lambda p, l: (p.linear(l + 1), "<=", p.share(l))),
    "B-BUDGET-SLACK": (2, before_last, lambda p, l: (product(l, p["x0"]), "<=", p.x(0, l))),
    "B1": (None, None, lambda p: (p["n"], "<=", p.bound(4 * 16 ** p.L))),
    "B1-SHARP": (None, None, lambda p: (p["n"], "<=", p.bound(p.sharp()))),
    "B1-PAD": (None, None, lambda p: (p["n"], "<", p.bound(4 * 16 ** p.L))),
    "B3-TYPO": (None, None, lambda p: (p.linear(p.L), "<=", product(2, p.c, p.L, p.passes))),
    "B3-FIX": (1, lambda steps: 2, lambda p, i: (p.linear(p.L), "<=", p.repaired()) if i == 1 else
               (p.repaired(), "<=", p["sqrtK"])),
    "base-coverage": (None, None, Paper.base_coverage),
    "base-total": (None, None, lambda p: (total([p.base_soft(), p.linear(2)]), "<=", p["log2Delta2"])),
    "coverage": (2, before_last, lambda p, l: p.coverage(l, p["t%d" % l])),
    "total": (2, before_last, lambda p, l: (total([p.rectangle(l), p.step_soft(l), p.linear(l + 1)]), "<=",
                                            p["log2Delta%d" % (l + 1)])),
    "final": (None, None, lambda p: p.last_count(p["t%d" % p.L])),
    "share-soft": (1, before_last, lambda p, l: (p.step_soft(l) if l > 1 else p.base_soft(), "<=", p.share(l))),
    "share-rectangle": (2, before_last, lambda p, l: (p.rectangle(l), "<=", p.share(l))),
    "B-THETA": (2, lambda steps: steps, Paper.theta),
    "capacity": (None, None, lambda p: (two_power(p.c), ">=", p.answers())),
    "capacity-game": (None, None, lambda p: (two_power(p.view_bits()), ">=", p.answers())),
    "capacity-theorem": (None, None, lambda p: (two_power(p.c), ">=", p.bound(4 * 16 ** p.L))),
    "identity-m": (None, None, lambda p: (p["m"], "=", product(p["K"], p.x(0, p.L)))),
    "identity-K": (None, None, lambda p: (ExactOps.power(p["sqrtK"], 2), "=", p["K"])),
    "identity-n": (1, before_last, lambda p, l: (p["n%d" % l], "=", ExactOps.power(p["x%d" % l], 4))),
    "identity-x": (1, before_last, lambda p, l: (p["x%d" % (l - 1)], "=", ExactOps.power(p["x%d" % l], 8))),
    "identity-N": (None, None, lambda p: (p.answers(), "=",
                                          ExactOps.power(p["K"], 1 + (12 * 8 ** (p.L - 1) - 5) // 7))),
    "B5-QUOTIENT": (None, None, lambda p: (product(4, p["t%d" % p.L]), "=", p.quotient())),
}


def check_numeric(claim):
    """One comparison per point and listed comparison (at most 1,000 points), an enumeration beyond that, or the
    first failing comparison.  Whether the verdict follows is decided before any stored value is looked at."""
    numbers = NumericStatement(claim)
    points, kinds = len(numbers.points), [tag for tag, _, _ in claim.evidence]
    rows = []
    for point, right, expected in numbers.rows():
        if not right:
            return check_first_failure(claim, kinds, point, expected)
        rows.append(expected if points <= MAX_POINTS_LISTED else canonical(expected["relation"]))
    if claim.verdict == "refuted":
        raise Rejection("/verdict", "bound", "no comparison fails", "refuted")
    if points > MAX_POINTS_LISTED:
        expect_kinds(kinds, ["enumeration"])
        check_enumeration(claim, claim.evidence[0][1], claim.evidence[0][2], "inequality-v1", [len(rows)],
                          lambda: relations(rows))
        return "enumeration: %d comparisons hold at all %d points" % (len(rows), points)
    claim.expect_no_files()
    expect_kinds(kinds, ["comparison"] * len(rows))
    for (_, body, at), expected in zip(claim.evidence, rows):
        check_comparison(body, expected, at)
    return "comparison: holds at all %d %s" % (points, "point" if points == 1 else "points")


def relations(records):
    yield from records
    return {}


def check_first_failure(claim, kinds, point, expected):
    if claim.verdict != "refuted":
        raise Rejection("/verdict", "bound", "a comparison that fails", "established")
    claim.expect_no_files()
    expect_kinds(kinds, ["comparison"])
    check_comparison(claim.evidence[0][1], expected, claim.evidence[0][2])
    place = "at %s: " % ", ".join("%s = %d" % item for item in point.items()) if point else ""
    return short("%s%s %s %s" % (place, shown(expected["left"]), expected["relation"], shown(expected["right"])))


def shown(side):
    """A side of a comparison in words."""
    if isinstance(side, str):
        return side
    return " * ".join(base if exponent == "1" else "%s^%s" % (base, exponent if exponent.isdigit() else
                                                               "(%s)" % exponent) for base, exponent in side["pow"])


def check_comparison(body, expected, at):
    """Every stored value equals the recomputed one, `k` included."""
    for key in ("left", "relation", "right", "cancelled", "k"):
        if body.get(key) != expected.get(key):
            raise Rejection(at + ("/" + key if key in body else ""), "arithmetic", body.get(key, "no " + key),
                            expected.get(key, "no " + key))


# ---------------------------------------------------------------------------------------------------------------------
# One file (format 1.3: order of the checks)

CHECKS = {"cut": check_cut, "relay": check_relay, "cuts": check_cuts, "counterexample": check_counterexample,
          "pair": check_pair, "conflict": check_conflict, "protocol": check_protocol, "family": check_family,
          "colouring": check_colouring, "enumeration": check_correct, "no_protocol": check_no_protocol}


def check_evidence(claim):
    """One line about the evidence if it carries the verdict."""
    if claim.kind in ("inequality", "parameters"):
        return guard("/statement", "malformed", check_numeric, claim)
    check_kind(claim)
    if claim.kind == "count":
        return guard("/spec", "replay", check_count, claim)
    tag, body, at = claim.evidence[0]
    return guard("/spec", "replay", CHECKS[tag], claim, body, at)


def check_format(doc):
    """Format 1; a larger integer is not-checked, any other value is code `format`."""
    if not isinstance(doc, dict):
        raise Rejection("", "malformed", doc, "an object")
    if "format" not in doc:
        raise Rejection("", "malformed", "no key format", "format")
    version = doc["format"]
    if isinstance(version, int) and not isinstance(version, bool):
        if version > FORMAT:
            raise NotChecked("format %d; this checker knows format %d" % (version, FORMAT))
        if version == FORMAT:
            return
    raise Rejection("/format", "format", version, FORMAT)


def check_claim_id(doc, name):
    """The claim id is the file name up to its first dot; mutants carry a second part."""
    if not re.fullmatch(r"[A-Za-z0-9-]+", doc["claim"]) or doc["claim"] != name.split(".")[0]:
        raise Rejection("/claim", "claim", doc["claim"], name)


def read_attached(doc, present):
    """Size and digests of the attached files; `present` has the contents of the folder.  Failures have code `file`."""
    for name in sorted(present):
        if name not in doc["files"]:
            raise Rejection("/files", "file", "unlisted file " + name, "only listed files")
    for name, entry in sorted(doc["files"].items()):
        at = "/files/" + name
        if name not in present:
            raise Rejection(at, "file", "a missing file", "the file")
        digest = "sha256:" + hashlib.sha256(present[name]).hexdigest()
        expect_value(entry["bytes"], str(len(present[name])), at + "/bytes", "file")
        expect_value(entry["sha256"], digest, at + "/sha256", "file")
        content = "sha256:" + content_digest(name, present[name])
        expect_value(entry["content"], content, at + "/content", "file")
    return present


def check_document(data, name, present, max_inputs):
    """All checks of one evidence file, in the order of format 1.3.  Returns one line about it if it is accepted."""
    doc = parse_canonical(data)
    check_format(doc)
    check_shape(doc)
    check_claim_id(doc, name)
    claim = Claim(doc, read_attached(doc, present), max_inputs)
    guard("/spec", "malformed", claim.rebuild)
    claim.meet_statement()
    expect_value(doc["digest"], claim.digest(), "/digest", "digest")
    check_scope(claim)
    summary = check_evidence(claim)
    if doc["trust"] != claim.trust:
        raise Rejection("/trust", "trust", doc["trust"], claim.trust)
    seal = digest_of({key: value for key, value in doc.items() if key != "seal"})
    expect_value(doc["seal"], seal, "/seal", "seal")
    return "%s  %s" % (doc["verdict"], summary or "checked"), claim.trust


def guard(at, code, function, *arguments):
    """A spec or statement that fails gets this code there."""
    try:
        return function(*arguments)
    except SpecError as error:
        raise Rejection(at, code, str(error)) from None


def check_path(path, max_inputs):
    """The outcome of one file.  Raises OSError if it cannot be read."""
    folder = path.removesuffix(".json")
    present = {}
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            present[name] = read_bytes(os.path.join(folder, name))
    return check_bytes(path, read_bytes(path), present, max_inputs)


def read_bytes(path):
    with open(path, "rb") as stream:
        return stream.read()


def check_bytes(path, data, present, max_inputs):
    """The outcome of an evidence file with the contents of its folder, as {"path", "verdict", ..}."""
    try:
        summary, trust = check_document(data, os.path.basename(path), present, max_inputs)
    except Rejection as error:
        return outcome(path, "rejected", at=short(error.at), code=error.code, reason=error.reason())
    except NotChecked as error:
        return outcome(path, "not-checked", reason=str(error))
    except (MemoryError, RecursionError) as error:
        return outcome(path, "not-checked", reason="out of resources: " + type(error).__name__)
    except Exception as error:      # never accept, and never fail on, bytes that this program did not foresee
        return outcome(path, "rejected", at="", code="malformed",
                       reason="unforeseen: %s: %s" % (type(error).__name__, short(str(error))))
    return {**outcome(path, "accepted"), "summary": summary, "trust": trust}


def outcome(path, verdict, at=None, code=None, reason=None):
    return {"path": path, "verdict": verdict, "at": at, "code": code, "reason": reason}


# ---------------------------------------------------------------------------------------------------------------------
# The command

def evidence_files(path):
    """The evidence files of a path: itself, or the `*.json` of a folder, recursively.  A folder `mutants` below is
    skipped, and so is the folder `<claim id>` of the attached files of `<claim id>.json`."""
    if not os.path.isdir(path):
        return [path]
    files = []
    names = sorted(os.listdir(path))
    for name in names:
        full = os.path.join(path, name)
        if os.path.isdir(full):
            if name != "mutants" and name + ".json" not in names:
                files += evidence_files(full)
        elif name.endswith(".json"):
            files.append(full)
    return files


def usage(message):
    print("check.py: %s\nusage: check.py [--max-inputs N] [--format text|json] PATH.. | --batch FILE" % message,
          file=sys.stderr)
    return 2


def parse_arguments(arguments):
    """(max_inputs, format, batch file or None, paths); ValueError with a message on bad usage."""
    max_inputs, style, batch, paths = DEFAULT_MAX_INPUTS, "text", None, []
    arguments = list(arguments)
    while arguments:
        word = arguments.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--max-inputs", "--format", "--batch"):
            if not equals:
                if not arguments:
                    raise ValueError(name + " needs a value")
                value = arguments.pop(0)
            if name == "--max-inputs":
                if not re.fullmatch(r"[0-9]{1,18}", value):
                    raise ValueError("--max-inputs needs an integer >= 0")
                max_inputs = int(value)
            elif name == "--batch":
                batch = value
            elif value in ("text", "json"):
                style = value
            else:
                raise ValueError("--format is text or json")
        elif word == "--":
            paths, arguments = paths + arguments, []
        elif word.startswith("-"):
            raise ValueError("unknown option " + word)
        else:
            paths.append(word)
    if (batch is None) != bool(paths):
        raise ValueError("expected PATH.. or --batch FILE")
    return max_inputs, style, batch, paths


def print_text(result):
    line = "%-12s %s" % (result["verdict"], short(result["path"], 4096))
    if result["verdict"] == "accepted":
        line += "  %s  trust: %s" % (result["summary"], ", ".join(result["trust"]) or "nothing")
    elif result["verdict"] == "rejected":
        line += "  at: %s  code: %s  reason: %s" % (result["at"] or "/", result["code"], result["reason"])
    else:
        line += "  reason: " + result["reason"]
    print(line, flush=True)


def run_batch(path, max_inputs):
    """Answers a list of files that are given by their contents."""
    with (open(path, encoding="utf-8") if path != "-" else sys.stdin) as stream:
        for line in stream:
            item = json.loads(line)
            present = {name: bytes.fromhex(data) for name, data in item["files"].items()}
            result = check_bytes(item["name"], bytes.fromhex(item["data"]), present, max_inputs)
            reason = short(result["reason"] or "")
            print(result["verdict"], reason if (result["code"] is None or reason.startswith("unforeseen"))
                  else result["code"])
    return 0


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    try:
        max_inputs, style, batch, paths = parse_arguments(arguments)
        if batch is not None:
            return run_batch(batch, max_inputs)
    except ValueError as error:
        return usage(str(error))
    results = []
    try:
        for path in paths:
            for file in evidence_files(path):
                results.append(check_path(file, max_inputs))
                if style == "text":
                    print_text(results[-1])
    except (OSError, ValueError) as error:
        return usage("cannot read: %s" % short(str(error)))
    counts = {verdict: sum(1 for r in results if r["verdict"] == verdict)
              for verdict in ("accepted", "rejected", "not-checked")}
    if style == "json":
        checked = [{key: result[key] for key in result if key not in ("summary", "trust")} for result in results]
        print(json.dumps({"checked": checked, "rejected": str(counts["rejected"])}, sort_keys=True))
    else:
        print("%d accepted, %d rejected, %d not checked" % tuple(counts.values()))
    return 1 if counts["rejected"] else 3 if counts["not-checked"] else 0


# ---------------------------------------------------------------------------------------------------------------------
# Derived bounds (docs/derive.md; the JSON is docs/design/002-derive-evidence.md).  This section adds its kinds to the
# registries above and shares nothing with them but shapes, `floor_log2` and `Rejection`.

DERIVE_METHODS = ("free", "exact-integer", "certified-log")
DERIVE_PRECISIONS = (64, 200, 400, 800, 1600, 3200, 6400)
DERIVE_MODES = {"refined", "coarse"}
DERIVE_CUTS = DERIVE_MODES | {"coarse-full-w", "refined-i-major"}
DERIVE_NAIVE_BOX = 20000      # combinations of (m, n_1, n'_1, x_0) that this program looks at one by one


def shape_ratio(value, at):
    as_text(value, at)
    match = re.fullmatch(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?", value)
    if not match or value != ratio_text(Fraction(int(match[1]), int(match[2] or 1))):
        raise Rejection(at, "malformed", value, "a rational p/q in lowest terms")


def ratio_text(x):
    return str(x.numerator) if x.denominator == 1 else "%d/%d" % (x.numerator, x.denominator)


def shape_counts(value, at):
    as_list(value, at, as_count)


def one_of(words):
    def shape(value, at):
        if as_text(value, at) not in words:
            raise Rejection(at, "malformed", value, "one of " + " ".join(sorted(words)))
    return shape


def shape_scheme(value, at):
    shape_fields(value, at, {"m": as_count, "n": shape_counts, "np": shape_counts, "x": shape_counts})


DERIVE_COST = {"carry_bits": as_count, "mode": one_of(DERIVE_MODES), "senders": one_of({"separate", "merged"}),
               "soft_bits": as_count}
DERIVE_STEP = {"D": as_count, "D_next": as_count, "E": as_count, "base": as_bool, "l": as_count, "t": as_count,
               "t_next": as_count, "v": as_count}


def shape_derive(body, at):
    layout = {"before": as_count, "linear": shape_counts, "steps": as_count}
    if isinstance(body, dict) and "exponent" in body:
        shape_fields(body, at, {**layout, "exponent": shape_ratio, "kappa": shape_ratio, "mode": one_of(DERIVE_CUTS)})
    elif isinstance(body, dict) and "proved" in body:
        shape_fields(body, at, {**layout, **DERIVE_COST, "proved": shape_scheme})
    else:
        shape_fields(body, at, {**layout, **DERIVE_COST, "tokens_at_most": as_count})
    if not 2 <= decimal_value(body["steps"]) <= 64 or len(body["linear"]) > 255:
        raise Rejection(at, "domain", body["steps"], "2..64 steps")
    if decimal_value(body.get("soft_bits", "1")) < 1:
        raise Rejection(at + "/soft_bits", "domain", "0", "at least 1 bit")
    if "kappa" in body and not 1 <= Fraction(body["kappa"]) <= 2:
        raise Rejection(at, "domain", body["kappa"], "a kappa in [1, 2]")
    if "exponent" in body and derive_start(*derive_layout(body)) in (None, "window"):
        raise Rejection(at, "domain", body["linear"], "a layout that is not possible")
    if "proved" in body:
        derive_params(body["proved"], decimal_value(body["steps"]), at + "/proved")


def shape_step(value, at):
    row = lambda v, a: shape_fields(v, a, {"bits": as_count, "name": as_text})
    cover = lambda v, a: shape_fields(v, a, {"cost_bits": as_count, "k": as_count, "method": one_of(DERIVE_METHODS)})
    shape_fields(value, at, {**DERIVE_STEP, "coverage": cover, "rows": lambda v, a: as_list(v, a, row)})


def shape_option(value, at):
    if isinstance(value, bool) or not isinstance(value, int) or value < -1:
        raise Rejection(at, "malformed", value, "-1 or more")


def shape_named_ratios(value, at):
    for name in sorted(shape_any_object(value, at) or value):
        shape_ratio(value[name], at + "/" + name)


STATEMENT_SHAPES["derive"] = shape_derive
EVIDENCE_SHAPES["derive_bound"] = ({
    "cost": lambda v, a: shape_fields(v, a, DERIVE_COST),
    "final": lambda v, a: shape_fields(v, a, {"D": as_count, "N": as_count, "t": as_count}),
    "layout": lambda v, a: shape_fields(v, a, {"passes": shape_counts, "steps": as_count}),
    "n": as_count, "params": shape_scheme, "q": shape_option, "steps": lambda v, a: as_list(v, a, shape_step),
    "theta": shape_counts, "trivial": as_bool}, {})
EVIDENCE_SHAPES["derive_exhausted"] = ({"below": as_count, "points": as_count}, {})
EVIDENCE_SHAPES["derive_exponent"] = ({
    "primal": lambda v, a: shape_fields(v, a, {"q": as_number, "x": shape_named_ratios}),
    "duals": lambda v, a: as_list(v, a, lambda w, b: shape_fields(w, b, {"q": as_number, "y": shape_named_ratios}))}, {})


def derive_layout(body):
    """(L, [a_0, .., a_r])."""
    return decimal_value(body["steps"]), [decimal_value(a) for a in [body["before"], *body["linear"]]]


def derive_start(steps, a):
    """long (Lemma 4), short (Lemma 4'), window, or None: possible, nothing to prove."""
    full = len(a) - 1
    if full < steps:
        return "short"
    if full > steps or a[0]:
        return None
    return "window" if a[1] else "long"


def derive_params(value, steps, at):
    """(m, n, n', x) as integers, in their ranges."""
    m = decimal_value(value["m"])
    n, used, x = ([decimal_value(v) for v in value[key]] for key in ("n", "np", "x"))
    if (len(n), len(used), len(x)) != (steps - 1, steps - 1, steps):
        raise Rejection(at, "domain", "lists of other lengths", "L - 1, L - 1 and L numbers")
    if any(not 1 <= u <= k for u, k in zip(used, n)) or min(x) < 1 or x[0] > m:
        raise Rejection(at, "domain", "an integer out of range", "1 <= n' <= n, 1 <= x_0 <= m, x_l >= 1")
    return m, n, used, x


def log2_ends(x, precision):
    low = floor_log2(x, precision)
    return low, low if x & (x - 1) == 0 else low + 1


def cover_holds(v, q, k, b, strict):
    """C(v,k) k^q 2^b <= v^q (strict: <); beyond 2*10^5 bits by enclosures of a one-sided bound."""
    if k == 0:
        return True
    if b >= q * v.bit_length():
        return False
    if q * v.bit_length() <= 200000:
        left, right = (math.comb(v, k) * k ** q) << b, v ** q
        return left < right if strict else left <= right
    for precision in DERIVE_PRECISIONS:
        logs = {y: log2_ends(y, precision) for y in (v, k, v - k)}

        def total(up):
            hi, lo = (lambda y: logs[y][up]), (lambda y: logs[y][1 - up])
            draws = q * (hi(k) - lo(v)) + (b << precision)
            if v.bit_length() - q.bit_length() > 32:
                return (k * (hi(v) - lo(k)) + draws) * 10 ** 16 + (k << precision) * 14426950408889635
            return v * hi(v) - k * lo(k) - (v - k) * lo(v - k) + draws
        above = total(1)
        if above < 0 or (above == 0 and not strict):
            return True
        if total(0) > 0:
            return False
    return False


def cover_largest(v, q, b, strict):
    """The largest Theta that the coverage inequality gives."""
    top = min(v, q) - 1
    if top == 0 or b >= q * v.bit_length():
        return 1
    if cover_holds(v, q, top, b, strict):
        return top + 1
    shift = max(0, top.bit_length() - 64)
    low, high = 0, (top >> shift) + (1 if (top >> shift) << shift != top else 0)
    while low + 1 < high:
        middle = (low + high) // 2
        if cover_holds(v, q, middle << shift, b, strict):
            low = middle
        else:
            high = middle
    return (low << shift) + 1


def last_options(a_last, steps):
    return [-1] if a_last == 0 else list(range(steps, -1, -1))


class Ledger:
    """The ledger of one point, as in Theorem 1: every row, with given or best choices."""

    def __init__(self, steps, a, cost, params, theta=None, option=None, at=""):
        self.s, self.c, self.coarse, self.merged = cost
        self.start, self.steps = derive_start(steps, a), steps
        epochs = steps if len(a) - 1 >= steps else steps - 1
        self.a = (a + [0] * epochs)[:epochs + 1]
        self.m, self.n, self.used, self.x = params
        self.ranges = [self.m]
        for factor in self.n:
            self.ranges.append(self.ranges[-1] * factor)
        self.w = math.prod(self.used)
        self.length, self.trivial = 2 + sum(self.ranges), self.s < (self.ranges[-1] - 1).bit_length()
        self.records, self.theta = [], []
        options = last_options(self.a[-1], steps)
        if option is not None and option not in options:
            raise Rejection(at + "/q", "domain", str(option), "an option of this layout")
        self.option = option
        t, deficit = self.x[0], self.first()
        for l in range(1, steps):
            given = None if theta is None else (theta[l - 1], "%s/theta/%d" % (at, l - 1))
            t, deficit = self.step(l, t, deficit, given, options)
        self.t, self.deficit = t, deficit

    def digest(self, cut):
        return self.s * (1 if self.merged else self.steps - cut + 1)

    def first(self):
        if self.start == "short":
            return self.c * self.a[0]
        if self.start == "long":
            return self.s * self.w
        g, x0, carry = self.digest(1), self.x[0], self.c * self.a[1]
        return g * self.w + min(carry * x0, g * x0 + carry)

    def variable(self, l):
        return self.x[0] if l == 1 else self.used[l - 2] * self.ranges[l - 2]

    def tokens(self, l):
        if self.coarse:
            return self.ranges[l - 1]
        return self.variable(l) + (self.ranges[l - 2] - self.variable(l - 1) if l > 1 else 0)

    def step(self, l, t, deficit, given, options):
        late = self.start != "short"
        base, e, last = late and l == 1, (l if late else l - 1), l == self.steps - 1
        strict = base and self.start == "long"
        v, q, g = self.ranges[l - 1], self.x[l] * t, self.digest(l + 1)
        free = deficit == 0 and not strict
        b = 0 if free else self.x[l] * deficit + (0 if strict else 1)
        theta = self.choose(v, q, b, strict, free, given)
        method = "free" if free else "exact-integer" if q * v.bit_length() <= 200000 else "certified-log"
        rows = [("carried", g * self.w if strict else b)]
        if e:
            rows.append(("soft to %d, epochs 1..%d" % (l, e), g * self.tokens(l) * self.x[l] * e))
        if base:
            rows.append(("soft to 0, epoch 1", g * self.x[0]))
        rows.append(("carries, epochs 0..%d" % e, self.c * sum(self.a[:e + 1])))
        late_rows = lambda option: self.epoch_rows(l, e, g, base, option)
        if not last:
            rows += late_rows(self.steps)
        else:
            if self.option is None:
                self.option = min(options, key=lambda q: sum(bits for _, bits in late_rows(q)))
            rows += late_rows(self.option)
        after, t_next = sum(bits for _, bits in rows), self.used[l - 1] * theta
        self.theta.append(theta)
        self.records.append({
            "D": str(deficit), "D_next": str(after), "E": str(e), "base": base, "l": str(l), "t": str(t),
            "t_next": str(t_next), "v": str(v), "coverage": {"cost_bits": str(b), "k": str(theta - 1), "method": method},
            "rows": [{"bits": str(bits), "name": name} for name, bits in rows]})
        return t_next, after

    def choose(self, v, q, b, strict, free, given):
        if given is None:
            return min(v, q) if free else cover_largest(v, q, b, strict)
        theta, at = given
        if not 1 <= theta <= min(v, q):
            raise Rejection(at, "bound", str(theta), "1..%d" % min(v, q))
        if not free and not cover_holds(v, q, theta - 1, b, strict):
            raise Rejection(at, "bound", str(theta), "coverage")
        return theta

    def epoch_rows(self, l, e, g, base, option):
        lists = lambda i, j: math.prod(self.x[i:j])
        entries = [("w", self.w * (1 if e == 0 and self.a[0] == 0 else lists(0, l))),
                   ("0", self.x[0] * self.x[1] if base else lists(0, l))]
        entries += [(str(i), self.tokens(i) * lists(i, l)) for i in range(1, l)]
        entries.append((str(l), self.tokens(l) * self.x[l]))
        kept = entries[:1] if option == -1 else entries[:option + 1]
        rows = [("soft to %s, epoch %d" % (name, e + 1), g * times) for name, times in kept]
        if option >= 0:
            rows.append(("carries, epoch %d" % (e + 1), self.c * self.a[e + 1] * lists(option, self.steps)))
        return rows

    def closes(self):
        """2^D < N^t."""
        for precision in DERIVE_PRECISIONS[1:]:
            low, high = log2_ends(self.ranges[-1], precision)
            if self.t * low > self.deficit << precision:
                return True
            if self.t * high <= self.deficit << precision:
                return False
        raise NotChecked("a comparison met the precision cap")


def cost_of(body):
    return (decimal_value(body["soft_bits"]), decimal_value(body["carry_bits"]), body["mode"] == "coarse",
            body["senders"] == "merged")


def first_difference(stored, right, at):
    """`arithmetic` at the first place where a stored object differs from the recomputed one."""
    if stored == right and type(stored) is type(right):
        return
    if isinstance(stored, dict) and isinstance(right, dict) and sorted(stored) == sorted(right):
        for key in sorted(stored):
            first_difference(stored[key], right[key], at + "/" + key)
    elif isinstance(stored, list) and isinstance(right, list) and len(stored) == len(right):
        for i, (a, b) in enumerate(zip(stored, right)):
            first_difference(a, b, "%s/%d" % (at, i))
    else:
        raise Rejection(at, "arithmetic", stored, right)


def check_derive_bound(claim, body, at):
    steps, a = derive_layout(claim.body)
    cost = {key: claim.body[key] for key in DERIVE_COST}
    first_difference(body["layout"], {"passes": [str(e) for e in a], "steps": str(steps)}, at + "/layout")
    first_difference(body["cost"], cost, at + "/cost")
    if derive_start(steps, a) is None:
        raise Rejection(at, "domain", "a layout that is possible", "a ledger")
    params, theta = derive_params(body["params"], steps, at), [decimal_value(v) for v in body["theta"]]
    if len(theta) != steps - 1:
        raise Rejection(at + "/theta", "bound", "%d numbers" % len(theta), steps - 1)
    ledger = Ledger(steps, a, cost_of(cost), params, theta, body["q"], at)
    first_difference(body, {
        "cost": cost, "layout": body["layout"], "params": body["params"], "n": str(ledger.length), "q": ledger.option,
        "final": {"D": str(ledger.deficit), "N": str(ledger.ranges[-1]), "t": str(ledger.t)}, "steps": ledger.records,
        "theta": body["theta"], "trivial": ledger.trivial}, at)
    if "proved" in claim.body:
        first_difference(body["params"], claim.body["proved"], at + "/params")
    elif ledger.length > decimal_value(claim.body["tokens_at_most"]):
        raise Rejection(at + "/n", "bound", body["n"], "at most " + claim.body["tokens_at_most"])
    if claim.verdict == "refuted":
        best = Ledger(steps, a, cost_of(cost), params)
        if (best.theta, best.option) != (theta, body["q"]):
            raise Rejection(at, "bound", "choices that could be better", "the best choices")
    if ledger.closes() != (claim.verdict == "established"):
        raise Rejection("/verdict", "bound", claim.verdict, "what the ledger says")


def check_derive_exhausted(claim, body, at):
    """No point of the scheme with fewer tokens closes: L = 2, every combination, for small boxes only."""
    below = decimal_value(claim.body["tokens_at_most"]) + 1
    room = max(0, below - 3)
    points = sum(m * k * (k + 1) // 2 for m in range(1, min(room // 2, 10 ** 6) + 1) for k in [room // m - 1])
    first_difference(body, {"below": str(below), "points": str(points)}, at)
    steps, a = derive_layout(claim.body)
    start = derive_start(steps, a)
    if steps != 2 or start is None:
        raise Rejection(at, "domain", "another layout", "two steps")
    if points > DERIVE_NAIVE_BOX:
        raise NotChecked("a box of %d combinations; this checker repeats %d" % (points, DERIVE_NAIVE_BOX))
    for m in range(1, room // 2 + 1):
        for n in range(1, room // m):
            for used in range(1, n + 1):
                for x0 in range(1, m + 1):
                    x1 = 0
                    while True:
                        x1 += 1
                        ledger = Ledger(2, a, cost_of(claim.body), (m, [n], [used], [x0, x1]))
                        if ledger.closes():
                            raise Rejection(at, "bound", "a point of %d tokens" % ledger.length, "no point")
                        # D_2 does not fall with x_1, and t_2 <= n' m
                        if ledger.deficit >= used * m * (m * n).bit_length():
                            break
                        if ledger.first() == 0 and start == "short" and x0 * x1 >= m:
                            break


def exponent_rows(steps, family, cut, kappa, option):
    """The rows {variable: coefficient} >= bound of the exponent program, by name."""
    rows = {}

    def add(name, bound, *parts):
        row = {}
        for sign, names in parts:
            for variable in names:
                row[variable] = row.get(variable, 0) + sign
        rows[name] = (row, Fraction(bound))
    big_n = lambda l: ["M"] + ["nu_%d" % i for i in range(1, l + 1)]
    queries = ["np_%d" % l for l in range(1, steps)]
    reach = lambda l: ["X_0"] if l == 1 else ["np_%d" % (l - 1), "th_%d" % (l - 1)]
    lists = lambda i, j: ["X_%d" % l for l in range(i, j + 1)]
    add("start", 0, (1, ["M"]), (-1, ["X_0"]))
    if family != "short":
        if family == "long":
            add("D_1", 1, (1, ["D_1"]), (-1, queries))
        else:
            add("D_1", kappa, (1, ["D_1"]))
    for l in range(1, steps):
        nu, np, th, room, tau = ("%s_%d" % (name, l) for name in ("nu", "np", "th", "V", "tau"))
        after = ["D_%d" % (l + 1)]
        add("queries %d" % l, 0, (1, [nu]), (-1, [np]))
        if cut == "coarse-full-w":
            add("full W %d" % l, 0, (1, [np]), (-1, [nu]))
        add("image %d" % l, 0, (1, lists(l, l) + reach(l)), (-1, [th]))
        add("room %d" % l, 0, (1, [room]), (-1, [th]))
        add("range %d" % l, 0, (1, big_n(l - 1)), (-1, [room]))
        if cut != "refined-i-major":
            add("all values %d" % l, 0, (1, [room]), (-1, big_n(l - 1)))
        if cut.startswith("coarse"):
            add("tokens %d" % l, 0, (1, [tau]), (-1, big_n(l - 1)))
        elif l == 1:
            add("tokens 1", 0, (1, [tau]), (-1, ["X_0"]))
        elif cut == "refined":
            add("tokens %d" % l, 0, (1, [tau]), (-1, ["np_%d" % (l - 1)] + big_n(l - 2)))
        else:
            add("tokens %d" % l, 0, (1, [tau]), (-1, ["nu_%d" % (l - 1), "V_%d" % (l - 1)]))
            add("tokens %d, constants" % l, 0, (1, [tau]), (-1, big_n(l - 2)))
        if l > 1 or family != "short":
            add("coverage %d" % l, 0, (1, reach(l)), (-1, ["D_%d" % l]))
        base = family == "long" and l == 1
        q = option if l == steps - 1 else steps
        if not base:
            add("rectangle %d" % l, 0, (1, after), (-1, lists(l, l) + ["D_%d" % l]))
        if q > l or family == "long" or l > 1:
            add("soft %d to %d" % (l, l), 1, (1, after), (-1, [tau] + lists(l, l)))
        for i in range(1, min(l, q)):
            add("soft %d to %d" % (l, i), 1, (1, after), (-1, ["tau_%d" % i] + lists(i, l - 1)))
        if q > 0 or base:
            add("soft %d to 0" % l, 1, (1, after), (-1, lists(0, (1 if q else 0) if base else l - 1)))
        add("soft %d to w" % l, 1, (1, after), (-1, queries + ([] if family == "short" and l == 1 else lists(0, l - 1))))
        add("carries %d" % l, kappa, (1, after), (-1, lists(q, steps - 1)))
    add("final", 0, (1, reach(steps)), (-1, ["D_%d" % steps]))
    return rows, big_n(steps - 1)


def exponent_variables(steps):
    names = ["M"] + ["X_%d" % l for l in range(steps)] + ["D_%d" % l for l in range(1, steps + 1)]
    return set(names + ["%s_%d" % (f, l) for f in ("nu", "np", "th", "V", "tau") for l in range(1, steps)])


def named_vector(value, names, at):
    vector = {}
    for name in sorted(value):
        if name not in names:
            raise Rejection(at + "/" + name, "domain", name, "a name of the program")
        vector[name] = Fraction(value[name])
        if vector[name] < 0:
            raise Rejection(at, "bound", value[name], "at least 0")
    return vector


def check_derive_exponent(claim, body, at):
    steps, a = derive_layout(claim.body)
    start = derive_start(steps, a)
    family = "long" if start == "long" else "carry" if a[0] else "short"
    program = lambda q: exponent_rows(steps, family, claim.body["mode"], Fraction(claim.body["kappa"]), q)
    if body["primal"]["q"] > steps:
        raise Rejection(at + "/primal/q", "domain", body["primal"]["q"], "at most L")
    rows, objective = program(body["primal"]["q"])
    x = named_vector(body["primal"]["x"], exponent_variables(steps), at + "/primal/x")
    for name, (row, bound) in rows.items():
        if sum(k * x.get(variable, 0) for variable, k in row.items()) < bound:
            raise Rejection(at + "/primal/x", "bound", "row " + name, "a feasible point")
    value = sum(x.get(variable, Fraction(0)) for variable in objective)
    if [dual["q"] for dual in body["duals"]] != list(range(steps, -1, -1)):
        raise Rejection(at + "/duals", "coverage", "other options", "q = L..0")
    for i, dual in enumerate(body["duals"]):
        where = "%s/duals/%d/y" % (at, i)
        rows, objective = program(dual["q"])
        y = named_vector(dual["y"], rows, where)
        columns = {}
        for name, weight in y.items():
            for variable, k in rows[name][0].items():
                columns[variable] = columns.get(variable, 0) + k * weight
        for variable in sorted(columns):
            if columns[variable] > (1 if variable in objective else 0):
                raise Rejection(where, "bound", "column " + variable, "a feasible dual vector")
        if sum(weight * rows[name][1] for name, weight in y.items()) < value:
            raise Rejection(where, "bound", "a smaller value", "at least " + ratio_text(value))
    if (value != 0 and 1 / value == Fraction(claim.body["exponent"])) != (claim.verdict == "established"):
        raise Rejection("/statement/derive/exponent", "bound", claim.body["exponent"], ratio_text(1 / value) if value else "none")


def derive_kinds(claim):
    """Which evidence kind carries this question and verdict."""
    if "exponent" in claim.body:
        return "derive_exponent"
    return "derive_bound" if "proved" in claim.body or claim.verdict == "established" else "derive_exhausted"


def check_derive(claim, body, at):
    tag = claim.evidence[0][0]
    if tag != derive_kinds(claim):
        raise Rejection("/evidence", "kind-mismatch", tag, derive_kinds(claim))
    {"derive_bound": check_derive_bound, "derive_exhausted": check_derive_exhausted,
     "derive_exponent": check_derive_exponent}[tag](claim, body, at)


for _tag in ("derive_bound", "derive_exhausted", "derive_exponent"):
    CHECKS[_tag] = check_derive
    for _verdict in ("established", "refuted"):
        ALLOWED.setdefault(("derive", _verdict), []).append([_tag])


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
