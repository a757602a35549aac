"""The bounds of boofun (PyPI) on given matrices, for `cargo bench --bench matrix`.

Each line of standard input is a square 0/1 matrix of 2^k rows, row by row, and its exact depth: `1101010110001011 3`.
Prints, as one JSON object, how many "upper bounds" are below the depth, how many lower bounds above it, and the seconds.
"""

import json
import sys
import time
import warnings

warnings.simplefilter("ignore")
try:
    import boofun
    from boofun.analysis.communication_complexity import deterministic_cc, get_communication_matrix
except ImportError:
    print(json.dumps({"missing": True}))
    sys.exit(0)

low = high = count = 0
seconds = 0.0
for line in sys.stdin:
    cells, depth = line.split()
    f = boofun.create([int(cell) for cell in cells])
    matrix = get_communication_matrix(f)
    assert [str(entry) for row in matrix for entry in row] == list(cells), "not the same matrix"
    start = time.process_time()
    found = deterministic_cc(f)
    seconds += time.process_time() - start
    count += 1
    low += bool(found["upper_bound"] < int(depth))
    high += bool(found["lower_bound"] > int(depth))
print(json.dumps({"matrices": count, "upper_below": low, "lower_above": high, "seconds": round(seconds, 3),
                  "version": getattr(boofun, "__version__", "?")}))
