"""The largest length whose count of states is at most 2^bits (models 4): logarithms with a margin, integers where they do not decide.

`decimal` rounds logarithms correctly at any precision, so 60 digits and a margin of 10^-30 decide, or the integers do.
"""

import math
from decimal import Decimal, localcontext

from .outcome import NotChecked


DIGITS, MARGIN = 60, Decimal(10) ** -25
SERIES_FROM = 1000          # from here on Stirling's series; its remainder is below 1/(1260 n^5)
MOST_BITS = 1 << 24


def log2(x):
    return Decimal(x).ln() / Decimal(2).ln()


def log2_factorial(n):
    """log2 n! to within 1/n^5."""
    x, pi = Decimal(n), machin()
    series = 1 / (12 * x) - 1 / (360 * x ** 3)
    return ((x + Decimal("0.5")) * x.ln() - x + (2 * pi).ln() / 2 + series) / Decimal(2).ln()


def machin():
    """pi, by arctangents of 1/5 and 1/239."""
    def arctan(q):
        power, total, k = Decimal(1) / q, Decimal(0), 0
        while power > Decimal(10) ** -(DIGITS + 5):
            total += (-power if k % 2 else power) / (2 * k + 1)
            power /= q * q
            k += 1
        return total
    return 16 * arctan(5) - 4 * arctan(239)


def value_sets(m, t):
    """sum of C(m, j) for j from 1 to t."""
    total, term = 0, 1
    for j in range(1, min(t, m) + 1):
        term = term * (m - j + 1) // j
        total += term
    return total


def count(key, n):
    """The count itself."""
    return {"eva": lambda: n ** n, "percom": lambda: math.factorial(n),
            "two_sum_n2": lambda: math.comb(n * n, n - 1),
            "two_sum_n2_all": lambda: value_sets(n * n, n - 1)}[key]()


def logarithm(key, n):
    """Lower and upper ends of log2 of the count, or None where only integers are used."""
    if key == "eva":
        value = n * log2(n)
        return value - MARGIN, value + MARGIN
    if n <= SERIES_FROM:
        return None
    slack = 4 / Decimal(n - 1) ** 5 + MARGIN
    if key == "percom":
        value = log2_factorial(n)
        return value - slack, value + slack
    m, t = n * n, n - 1
    value = log2_factorial(m) - log2_factorial(t) - log2_factorial(m - t)
    extra = Decimal(2 * t) / Decimal(m - 2 * t + 1) if key == "two_sum_n2_all" else 0
    return value - slack, value + slack + extra


def within(key, n, bits):
    """count(n) <= 2^bits."""
    if key == "eva" and n & (n - 1) == 0:
        return n * (n.bit_length() - 1) <= bits
    ends = logarithm(key, n)
    if ends is not None:
        if ends[1] < bits:
            return True
        if ends[0] > bits:
            return False
        if bits > MOST_BITS:
            raise NotChecked("a comparison at n = %d needs integers of %d bits" % (n, bits))
    return (count(key, n) - 1).bit_length() <= bits


def largest(start, holds):
    low, step = start, 1
    while holds(low + step):
        low += step
        step *= 2
    while step > 1:
        step //= 2
        if holds(low + step):
            low += step
    return low


def largest_length(key, bits):
    if key == "two_sum_n":
        # 2^n - 2 <= 2^bits: n = bits from 2 bits on; 2^2 - 2 = 2^1.
        return {0: 1, 1: 2}.get(bits, bits)
    with localcontext() as context:
        context.prec = DIGITS
        return largest(1, lambda n: within(key, n, bits))


def largest_copy(alphabet, bits):
    """The largest n with alphabet^n <= 2^bits."""
    def fits(n):
        value = n * log2(alphabet)
        if value + MARGIN < bits:
            return True
        if value - MARGIN > bits:
            return False
        if alphabet & (alphabet - 1) == 0:
            return n * (alphabet.bit_length() - 1) <= bits
        if bits > MOST_BITS:
            raise NotChecked("a comparison at n = %d needs integers of %d bits" % (n, bits))
        return (alphabet ** n - 1).bit_length() <= bits
    with localcontext() as context:
        context.prec = DIGITS
        return largest(0, fits)
