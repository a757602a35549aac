"""One file (format 1.3: order of the checks)."""

import hashlib
import os
import re

from . import (     # noqa: F401: each enters its checks
    copies, decomposition, derive, enumeration, evidence, formula, kernel, ledger, matrix, model, protocols, recursion,
    reduction)
from .limits import FORMAT
from .outcome import NotChecked, Rejection, SpecError, short
from .canonical import digest_of, parse_canonical
from .exact import check_exact
from .external import check_external, check_frame, finish_external
from .shape import check_external_shape, check_shape
from .claim import Claim
from .kinds import CHECKS, STATEMENT_CHECKS, check_kind, check_scope
from .evidence import check_count
from .enumeration import expect_value
from .formula import content_digest
from .numeric import check_numeric


def check_evidence(claim):
    """One line about the evidence if it carries the verdict."""
    if claim.kind in ("inequality", "parameters"):
        return guard("/statement", "malformed", check_numeric, claim)
    check_kind(claim)
    if claim.kind == "count":
        return guard("/spec", "replay", check_count, claim)
    if claim.kind in STATEMENT_CHECKS:
        return guard("/spec", "malformed", STATEMENT_CHECKS[claim.kind], claim)
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
    if isinstance(doc.get("spec"), dict) and "external" in doc["spec"]:
        check_external_shape(doc)
        body = check_external(doc)
        check_claim_id(doc, name)
        finish_external(doc, body, read_attached(doc, present))
    if isinstance(doc.get("spec"), dict) and "exact_model" in doc["spec"]:
        check_external_shape(doc)
        replay = check_exact(doc)
        check_claim_id(doc, name)
        check_frame(doc, [], read_attached(doc, present))
        return "%s  %s" % (doc["verdict"], replay()), doc["trust"]
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
