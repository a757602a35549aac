"""The peer of benches/kernel.rs: the same numbers by another program, in fractions.  Prints `name value seconds`."""

import itertools
import time
from fractions import Fraction


def timed(name, function):
    start = time.process_time()
    value = function()
    print(name, value, "%.3f" % (time.process_time() - start))


def simplex(objective, rows):
    """min c x, A x >= b, x >= 0, c >= 0: the dual by a tableau of fractions with Bland's rule."""
    n, m = len(objective), len(rows)
    table = [[Fraction(rows[j][0].get(i, 0)) for j in range(m)] + [Fraction(int(i == k)) for k in range(n)] + [Fraction(objective[i])]
             for i in range(n)]
    cost = [Fraction(-rows[j][1]) for j in range(m)] + [Fraction(0)] * (n + 1)
    basis = [m + i for i in range(n)]
    while True:
        column = next((j for j in range(m + n) if cost[j] < 0), None)
        if column is None:
            return cost[-1]
        best = min((row[-1] / row[column], basis[i], i) for i, row in enumerate(table) if row[column] > 0)[2]
        pivot = table[best][column]
        table[best] = [entry / pivot for entry in table[best]]
        for row in [*(r for i, r in enumerate(table) if i != best), cost]:
            factor = row[column]
            if factor:
                for k, entry in enumerate(table[best]):
                    if entry:
                        row[k] -= factor * entry
        basis[best] = column


def overlap(x, z):
    return bin(x & z).count("1")


def row_error():
    """Least error at the query 15 of the kernel |x| + 1/10 - <x,z>, four bits: W moved up by 1000, the error last."""
    query, tokens = 15, range(16)
    alpha = [10 * overlap(query, query) + 1 - 10 * overlap(query, z) for z in tokens]
    rows = []
    for y, z in itertools.combinations_with_replacement(tokens, 2):
        places, goal = (query, y, z), min(4, overlap(query, y), overlap(query, z))
        total = sum(alpha[p] for p in places)
        for sign in (-1, 1):
            terms = {16: total}
            for p in places:
                terms[p] = terms.get(p, 0) + sign
            rows.append((terms, sign * (goal * total + 3 * 1000)))
    return simplex([0] * 16 + [1], rows)


def ratio(gap):
    overlaps, keys, rows = [*range(gap + 1), gap], gap + 2, []
    for i, j in itertools.combinations_with_replacement(range(keys), 2):
        goal = min(overlaps[i], overlaps[j])
        for sign in (-1, 1):
            terms = {}
            for p in (keys - 1, i, j):
                for place, value in ((p, 1 - 2 * sign * goal), (keys + p, 2 * sign), (2 * keys + p, -2 * sign)):
                    terms[place] = terms.get(place, 0) + value
            rows.append((terms, 0))
    rows.append(({gap: 1}, 1))
    return simplex([1] + [0] * (3 * keys - 1), rows)


def recursion():
    """Repair 2 on all inputs: how many (k, input) were right at every position."""
    right = 0
    for n in range(1, 9):
        for word in itertools.product(range(3), repeat=n):
            find = [0] + [max((j for j in range(2, i + 1) if word[j - 2] == word[i - 1]), default=0) for i in range(1, n + 1)]
            hop = list(range(n + 1))
            for k in range(1, 9):
                hop = [find[at] for at in hop]
                double, acc, rest = find, find, k - 1
                while rest:
                    acc = [acc[d] for d in double] if rest % 2 else acc
                    double, rest = [double[d] for d in double], rest // 2
                right += acc == hop
    return right


timed("row-error", row_error)
timed("ratio-8", lambda: ratio(8))
timed("recursion-items", recursion)
