"""Which evidence and which scope (format 2, files 5)."""

from .outcome import Rejection, short


PROTOCOL, RIGHT = [["protocol"]], [["enumeration"]]
DENIAL = [["family"], ["colouring"], ["derive_game"], ["no_answer"], ["no_protocol"], ["enumeration"]]
WRONG = [["pair"], ["counterexample"], ["conflict"]]
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
    if claim.kind in STATEMENT_CHECKS:
        if claim.kind != "recursion":       # an enumeration has a record
            claim.expect_no_files()
        return
    allowed = ALLOWED[claim.kind, claim.verdict]
    found = [tag for tag, _, _ in claim.evidence]
    with_files = RIGHT + [["no_protocol"]]
    if claim.kind not in ("correct", "wrong", "solvable", "unsolvable") and found not in with_files:
        claim.expect_no_files()
    expect_kinds(found, *allowed)
    if found not in with_files:
        claim.expect_no_files()


def check_scope(claim):
    scope = claim.doc["scope"]
    if claim.kind in ("correct", "wrong", "decomposition"):
        expected = "this-protocol"
    elif claim.kind in ("inequality", "parameters", "recursion"):
        expected = {"this-range": {"for": claim.body["for"]}} if claim.body["for"] else "this-parameter-point"
    elif claim.kind in ("cycles", "derive", "matrix", "model", "rank", "reduction"):
        expected = "this-parameter-point"
    else:
        expected = "every-protocol-of-this-game"
    if scope != expected:
        raise Rejection("/scope", "scope-mismatch", scope, expected)


# The check of each kind of evidence: a function of (claim, body, place).  The modules of the kinds fill it.
CHECKS = {}

# The check of a statement whose evidence depends on its numbers: a function of the claim.
STATEMENT_CHECKS = {}
