#!/usr/bin/env python3
"""`foolproof solve` against python-sat on the direct table encoding, in one run, with the same answers.

Usage:  python3 benches/peer_pysat.py [--program target/release/foolproof] [--most-inputs N] [--seconds S]

The peer is what one writes first: all inputs, variables for the symbols and the functions, one-hot for three symbols and more, no
symmetry breaking, no cores, no evidence; CaDiCaL 1.5.3 of the package python-sat (installed from PyPI when missing). Ours writes
evidence to a folder, verified before it is written, and starts a new process for each row. Both answers are compared with the
verdict of the table; user CPU seconds of both are printed.
"""

import argparse
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time


def pysat():
    try:
        from pysat.solvers import Solver
    except ImportError:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "python-sat"], check=True)
        from pysat.solvers import Solver
    return Solver


class Direct:
    """The hybrid game of a row, encoded directly."""

    def __init__(self, row):
        self.variables, self.clauses = 0, []
        steps, start, m, n = row["steps"], row["start"], row["ranges"], row["queries"]
        sizes = {1: m[0] ** start}
        for level in range(1, steps):
            sizes[level + 1] = m[level] ** (n[level - 1] * m[level - 1])
        sizes[0], sizes[-1] = start, math.prod(n)
        players = list(range(steps, -2, -1))
        self.rounds = []
        for epoch in row["epochs"]:
            soft = []
            for edge, size in epoch["soft"].items():
                sender, receiver = map(int, edge.split(">"))
                soft.append((sender, receiver, True, size))
            if soft:
                self.rounds.append(soft)
            for linear in epoch["linear"]:
                for sender in range(steps, -1, -1):
                    size = linear.get("%d>%d" % (sender, sender - 1), 1)
                    self.rounds.append([(sender, sender - 1, False, size)])
        inputs = list(itertools.product(*[range(sizes[p]) for p in players]))
        place = {p: i for i, p in enumerate(players)}

        def table(value, length, base, entry):
            return value // base ** (length - 1 - entry) % base

        def answer(x):
            z = x[place[0]]
            i = table(x[place[1]], start, m[0], z)
            w, rest = [], x[place[-1]]
            for size in reversed(n):
                w.append(rest % size)
                rest //= size
            w.reverse()
            for level in range(1, steps):
                length = n[level - 1] * m[level - 1]
                i = table(x[place[level + 1]], length, m[level], w[level - 1] * m[level - 1] + i)
            return i

        stored = {p: [] for p in players}
        for slots in self.rounds:
            said = []
            for sender, receiver, soft, size in slots:
                if size < 2:
                    continue
                sources = [sender] + ([receiver] if soft else [])
                arguments = [slot for p in sources for slot in stored[p]]
                symbol = {x: self.group(size) for x in inputs}
                function = {}
                for x in inputs:
                    own = tuple(x[place[p]] for p in sources)
                    for c in itertools.product(*[range(other[1]) for other in arguments]):
                        f = function.get((own, c)) or function.setdefault((own, c), self.group(size))
                        pre = [-self.literal(other[0][x], v) for other, v in zip(arguments, c)]
                        for v in range(size):
                            self.clauses.append(pre + [-self.literal(symbol[x], v), self.literal(f, v)])
                said.append((receiver, (symbol, size)))
            for receiver, slot in said:
                stored[receiver].append(slot)
        function = {}
        for x in inputs:
            for c in itertools.product(*[range(slot[1]) for slot in stored[-1]]):
                key = (x[place[-1]], c)
                f = function.get(key) or function.setdefault(key, self.group(m[-1]))
                pre = [-self.literal(slot[0][x], v) for slot, v in zip(stored[-1], c)]
                if m[-1] > 1:
                    self.clauses.append(pre + [self.literal(f, answer(x))])

    def group(self, size):
        first = self.variables + 1
        width = 1 if size == 2 else size
        self.variables += width
        if size > 2:
            row = list(range(first, first + size))
            self.clauses.append(row)
            self.clauses += [[-a, -b] for a, b in itertools.combinations(row, 2)]
        return first, size

    @staticmethod
    def literal(group, symbol):
        first, size = group
        if size == 2:
            return first if symbol else -first
        return first + symbol


def game_file(row):
    def edges(table):
        return "{ " + ", ".join('"%s" = %d' % (edge, size) for edge, size in table.items()) + " }"
    lines = ["[family.hybrid]", "steps = %d" % row["steps"], "start = %d" % row["start"],
             "ranges = %s" % row["ranges"], "queries = %s" % row["queries"]]
    for epoch in row["epochs"]:
        lines += ["", "[[family.hybrid.epoch]]", "soft = " + edges(epoch["soft"]),
                  "linear = [%s]" % ", ".join(edges(linear) for linear in epoch["linear"])]
    return "\n".join(lines) + "\n"


def cpu(who):
    return resource.getrusage(who).ru_utime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/foolproof")
    parser.add_argument("--most-inputs", type=int, default=10 ** 9)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further row after so long")
    options = parser.parse_args()
    with open("tests/data/hybrid-instances.json", encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row["verdict"] != "TIMEOUT" and row["inputs"] <= options.most_inputs]
    solver, peer, ours, wrong, done, start = pysat(), 0.0, 0.0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "row.toml")
        for row in rows:
            if time.monotonic() - start > options.seconds:
                break
            done += 1
            expected = row["verdict"] == "SAT"
            before = cpu(resource.RUSAGE_SELF)
            direct = Direct(row)
            with solver(name="cadical153", bootstrap_with=direct.clauses) as engine:
                found = engine.solve()
            peer += cpu(resource.RUSAGE_SELF) - before
            with open(path, "w", encoding="utf-8") as file:
                file.write(game_file(row))
            before = cpu(resource.RUSAGE_CHILDREN)
            run = subprocess.run([options.program, "solve", path, "--format", "json", "--proof",
                                  os.path.join(folder, "evidence")], capture_output=True, text=True, check=False)
            ours += cpu(resource.RUSAGE_CHILDREN) - before
            said = json.loads(run.stdout)["verdict"] == "solvable" if run.returncode == 0 else None
            if found != expected or said != expected:
                wrong += 1
                print("%s: table %s, peer %s, ours %s" % (row["id"], expected, found, said))
    print("%d of %d rows, %d differences; user CPU seconds: python-sat %.1f, foolproof with evidence %.1f, ratio %.1f"
          % (done, len(rows), wrong, peer, ours, peer / ours if ours else float("inf")))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
