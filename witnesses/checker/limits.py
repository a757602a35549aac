"""Limits of the format, and of this program."""

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
