"""Enumerations (format 6.1, details 3)."""

import hashlib
import itertools
import math

from .limits import RANGE
from .outcome import Rejection
from .canonical import canonical, decimal_text, parse_json
from .task import describe
from .run import final_view
from .kinds import CHECKS


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


CHECKS["enumeration"] = check_correct
