"""Outcomes (format 1.3)."""

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
