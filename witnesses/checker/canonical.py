"""Canonical JSON and digests (format 1.1)."""

import decimal
import hashlib
import json
import re

from .limits import MAX_JSON_NUMBER, MAX_NESTING
from .outcome import Rejection


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
