"""A recurrent model with 32 nominal bits of state: sum of v_i k_i in two 16-bit integers, then the least-squares guess.

    foolproof fool --exec 'python3 examples/numpy_recurrent.py' --task eva --n 6
"""
import numpy as np

from foolproof_client import serve

KEYS = np.array([(1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 2)], dtype=np.int16)
N = len(KEYS)


def start():
    return 0, np.zeros(2, dtype=np.int16)


def step(state, token):
    place, total = state
    return place + 1, total + np.int16(token) * KEYS[place % N]


def out(state, token):
    """The entry at position token - N, as well as the state tells: project on its key, clamp to 1..N."""
    _, total = state
    key = KEYS[(token - N - 1) % N].astype(np.int64)
    guess = int(round(float(total @ key) / float(key @ key) / 3))
    return [min(max(guess, 1), N)]


def pack(state):
    # The place is the length of the input: it is carried, and equal for prefixes of one length.
    return state[1].astype("<i2").tobytes()


if __name__ == "__main__":
    serve(2 * N + 1, start, step, out, pack, name="numpy additive, 2 x int16")
