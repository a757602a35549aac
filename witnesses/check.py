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

The modules are in the folder `checker` beside this file, one per noun; `document.py` has the order of the checks.
"""

import sys

sys.dont_write_bytecode = True      # the folder of evidence stays as it is
sys.set_int_max_str_digits(0)       # long decimals are handled by decimal_text and decimal_value
sys.setrecursionlimit(20000)

from checker.command import main    # noqa: E402

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:], __doc__))
