"""The peer of benches/decompose.rs: classes of 2^26 tables under seven one-bit questions, with numpy arrays.

Checks its answer (2^19 tables left) and prints seconds and memory.
"""

import resource
import time

import numpy

BITS, QUESTIONS = 26, 7

start = time.process_time()
tables = numpy.arange(1 << BITS, dtype=numpy.uint32)
# The questions of epoch 1 (address 0) and epoch 2 (addresses 0..6), as in decompose-2-26.toml with sizes 7,2.
for addresses in ([0], range(QUESTIONS)):
    key = numpy.zeros(len(tables), dtype=numpy.uint32)
    for address in addresses:
        key = 2 * key + (tables >> (BITS - 1 - address) & 1)
    keys, counts = numpy.unique(key, return_counts=True)
    tables = tables[key == keys[numpy.argmax(counts)]]
assert len(tables) == 1 << (BITS - QUESTIONS), len(tables)
seconds = time.process_time() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print("numpy peer: 2^26 tables, seven questions: %.2f CPU s, %d MB" % (seconds, memory))
