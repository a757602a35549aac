"""The command."""

import json
import os
import re
import sys

from .limits import DEFAULT_MAX_INPUTS
from .outcome import short
from .document import check_bytes, check_path


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


def main(arguments, usage_text):
    if "--help" in arguments or "-h" in arguments:
        print(usage_text)
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
