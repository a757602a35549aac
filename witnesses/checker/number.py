"""Exact numbers (files 3.1, counting 1, details 3 "which number is written how")."""

import math
from fractions import Fraction

from .limits import MAX_BITS
from .outcome import NotChecked, SpecError, short
from .canonical import decimal_text


def too_long(bits):
    raise SpecError("a result needs about %s bits; the limit is 2^24" % short(bits))


class IntegerOps:
    """Arithmetic of tasks, strategies and sizes: integers of at most 2^24 bits."""
    rational = False

    @staticmethod
    def add(a, b):
        return a + b

    @staticmethod
    def sub(a, b):
        return a - b

    @staticmethod
    def mul(a, b):
        if a.bit_length() + b.bit_length() > MAX_BITS + 1:
            too_long(a.bit_length() + b.bit_length())
        return a * b

    @staticmethod
    def power(a, n):
        if n < 0:
            raise SpecError("exponent %s, expected at least 0" % short(n))
        if abs(a) > 1 and (a.bit_length() - 1) * n > MAX_BITS:
            too_long((a.bit_length() - 1) * n)
        return a ** n if abs(a) > 1 else (1 if n == 0 else a if n % 2 else a * a)

    @staticmethod
    def neg(a):
        return -a

    @staticmethod
    def plain(a):
        return a

    @staticmethod
    def integer(a):
        return a

    @staticmethod
    def compare(a, b):
        return (a > b) - (a < b)


class Factored:
    """A positive number kept as {atom: exponent}: atoms are integers > 1, exponents non-zero rationals."""

    def __init__(self, atoms):
        self.atoms = {a: e for a, e in atoms.items() if e != 0 and a != 1}


class Logarithm:
    """constant + sum of exponent * log2(atom)."""

    def __init__(self, constant, atoms):
        self.constant, self.atoms = constant, {a: e for a, e in atoms.items() if e != 0 and a != 1}


def simplify(value):
    """A rational as int when it is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def combine(left, right, sign):
    """The atoms of left * right^sign."""
    atoms = dict(left)
    for atom, exponent in right.items():
        atoms[atom] = atoms.get(atom, 0) + sign * exponent
    return {a: e for a, e in atoms.items() if e != 0}


def plain_atoms(value):
    """A positive plain number as atoms: its numerator, and its denominator with exponent -1."""
    return {a: e for a, e in ((value.numerator, 1), (value.denominator, -1)) if a != 1}


def coprime_base(atoms):
    """The natural coprime base of some integers: gcd refinement until pairwise coprime."""
    base, todo = [], sorted(set(atoms))
    while todo:
        a = todo.pop()
        if a == 1:
            continue
        for i, b in enumerate(base):
            g = math.gcd(a, b)
            if g > 1:
                del base[i]
                todo += [a // g, g, b // g]
                break
        else:
            base.append(a)
    return sorted(base)


def valuation(a, b):
    """(e, rest) with a = b^e * rest and b not dividing rest, by b, b^2, b^4, .. and back."""
    if b == 2:
        e = (a & -a).bit_length() - 1
        return e, a >> e
    e, powers = 0, [b]
    while a % powers[-1] == 0:
        a, e = a // powers[-1], e + (1 << (len(powers) - 1))
        powers.append(powers[-1] * powers[-1])
    for i in range(len(powers) - 2, -1, -1):
        if a % powers[i] == 0:
            a, e = a // powers[i], e + (1 << i)
    return e, a


def over_base(atoms, base):
    """Exponents of prod atom^e over a coprime base that covers the atoms; zero exponents dropped."""
    total = {}
    for atom, exponent in atoms.items():
        for b in base:
            e, atom = valuation(atom, b)
            if e:
                total[b] = total.get(b, 0) + e * exponent
    return {b: e for b, e in total.items() if e != 0}


def primes_below(limit):
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for p in range(2, math.isqrt(limit) + 1):
        if sieve[p]:
            sieve[p * p::p] = bytes(len(range(p * p, limit, p)))
    return [p for p in range(limit) if sieve[p]]


SMALL_PRIMES = primes_below(2 ** 16)
PRIMORIAL = []


def split_small(atoms):
    """Split all primes below 2^16 off every atom."""
    if not PRIMORIAL:
        PRIMORIAL.append(math.prod(SMALL_PRIMES))
    result = {}
    for atom, exponent in atoms.items():
        shared = math.gcd(atom % PRIMORIAL[0] or PRIMORIAL[0], PRIMORIAL[0])
        for p in SMALL_PRIMES:
            if shared == 1:
                break
            if shared % p == 0:
                shared //= p
                e, atom = valuation(atom, p)
                result[p] = result.get(p, 0) + e * exponent
        if atom > 1:
            result[atom] = result.get(atom, 0) + exponent
    return {a: e for a, e in result.items() if e != 0}


def power_product(atoms):
    """The written form: increasing coprime bases, primes below 2^16 split off, zero exponents dropped."""
    split = split_small(atoms)
    return sorted(over_base(split, coprime_base(split)).items())


def settle(atoms):
    """A product: plain if numerator and denominator have at most 64 bits each, else factored (details 3)."""
    exponents = over_base(atoms, coprime_base(atoms))
    parts = []
    for sign in (1, -1):
        part = {b: e * sign for b, e in exponents.items() if e * sign > 0}
        if sum((b.bit_length() - 1) * e for b, e in part.items()) > 64:
            return Factored(atoms)
        parts.append(math.prod(b ** e for b, e in part.items()))
    if max(part.bit_length() for part in parts) > 64:
        return Factored(atoms)
    return simplify(Fraction(parts[0], parts[1]))


class ExactOps:
    """Arithmetic of inequality and parameter claims: plain rationals, factored numbers, logarithms."""
    rational = True

    @staticmethod
    def plain(a):
        """A plain number; a factored one is expanded if that takes at most 2^24 bits."""
        if isinstance(a, Logarithm):
            raise SpecError("a logarithm stands where a number is needed")
        if not isinstance(a, Factored):
            return a
        numerator = denominator = 1
        bits = sum((b.bit_length()) * abs(e) for b, e in a.atoms.items())
        if bits - sum(abs(e) for e in a.atoms.values()) > MAX_BITS:
            too_long(bits)
        for b, e in a.atoms.items():
            if e > 0:
                numerator *= b ** e
            else:
                denominator *= b ** -e
        return simplify(Fraction(numerator, denominator)) if denominator > 1 else numerator

    @classmethod
    def integer(cls, a):
        a = cls.plain(a)
        if not isinstance(a, int):
            raise SpecError("found %s, expected an integer" % short(str(a)))
        return a

    @staticmethod
    def limit(a):
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        return a if bits <= MAX_BITS else too_long(bits)

    @classmethod
    def add(cls, a, b):
        if isinstance(a, Logarithm) or isinstance(b, Logarithm):
            a, b = cls.as_logarithm(a), cls.as_logarithm(b)
            return Logarithm(a.constant + b.constant, combine(a.atoms, b.atoms, 1))
        return cls.limit(simplify(cls.plain(a) + cls.plain(b)))

    @classmethod
    def as_logarithm(cls, a):
        return a if isinstance(a, Logarithm) else Logarithm(cls.plain(a), {})

    @classmethod
    def neg(cls, a):
        if isinstance(a, Logarithm):
            return Logarithm(-a.constant, {x: -e for x, e in a.atoms.items()})
        return -cls.plain(a)

    @classmethod
    def sub(cls, a, b):
        return cls.add(a, cls.neg(b))

    @classmethod
    def scale(cls, log, factor):
        factor = cls.plain(factor)
        return Logarithm(simplify(log.constant * factor), {x: simplify(e * factor) for x, e in log.atoms.items()})

    @classmethod
    def mul(cls, a, b):
        if isinstance(a, Logarithm) or isinstance(b, Logarithm):
            return cls.scale(a, b) if isinstance(a, Logarithm) else cls.scale(b, a)
        if any(not isinstance(x, Factored) and x <= 0 for x in (a, b)):
            if any(not isinstance(x, Factored) and x == 0 for x in (a, b)):
                return 0
            a, b = cls.plain(a), cls.plain(b)
            cls.limit_product(a, b)
            return simplify(a * b)
        if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() <= 64:
            return a * b
        return settle(combine(cls.atoms(a), cls.atoms(b), 1))

    @staticmethod
    def limit_product(a, b):
        bits = max(a.numerator.bit_length() + b.numerator.bit_length(),
                   a.denominator.bit_length() + b.denominator.bit_length())
        if bits > MAX_BITS + 1:
            too_long(bits)

    @staticmethod
    def atoms(a):
        """The atoms of a positive number."""
        return a.atoms if isinstance(a, Factored) else plain_atoms(a)

    @classmethod
    def divide(cls, a, b):
        if isinstance(b, Logarithm):
            raise SpecError("division by a logarithm")
        if isinstance(b, Factored):
            return cls.mul(a, Factored({x: -e for x, e in b.atoms.items()}))
        if b == 0:
            raise SpecError("division by 0")
        return cls.mul(a, simplify(1 / Fraction(b)))

    @classmethod
    def power(cls, a, n):
        if isinstance(n, Factored) and sum(b.bit_length() * e for b, e in n.atoms.items()) > MAX_BITS:
            raise NotChecked("a tower: an exponent of more than 2^24 bits")
        n = cls.integer(n)
        if n < 0:
            raise SpecError("exponent %s, expected at least 0" % short(n))
        if isinstance(a, Logarithm):
            raise SpecError("a logarithm cannot be raised to a power")
        if n == 0:
            return 1
        if isinstance(a, Factored) or a > 0:
            return settle({x: e * n for x, e in cls.atoms(a).items()})
        bits = (max(a.numerator.bit_length(), a.denominator.bit_length()) - 1) * n
        if bits > MAX_BITS:
            too_long(bits)
        return IntegerOps.power(a, n) if isinstance(a, int) else simplify(a ** n)

    @classmethod
    def log2(cls, a):
        if isinstance(a, Logarithm) or (not isinstance(a, Factored) and (not isinstance(a, int) or a < 1)):
            raise SpecError("log2 needs an integer >= 1")
        if isinstance(a, Factored) and any(e < 0 for e in over_base(a.atoms, coprime_base(a.atoms)).values()):
            raise SpecError("log2 needs an integer >= 1")
        return Logarithm(0, dict(cls.atoms(a)))

    @classmethod
    def compare(cls, a, b):
        if not isinstance(a, (Factored, Logarithm)) and not isinstance(b, (Factored, Logarithm)):
            return (a > b) - (a < b)
        return {"<": -1, "=": 0, ">": 1}[compare_exact(a, b)["relation"]]


def number_text(value):
    """A plain rational as it is written (format 1.1)."""
    if isinstance(value, int):
        return decimal_text(value)
    return decimal_text(value.numerator) + "/" + decimal_text(value.denominator)


def side_text(atoms):
    pairs = power_product(atoms)
    return {"pow": [[decimal_text(b), number_text(simplify(e))] for b, e in pairs]} if pairs else "1"


def two_to(value):
    """The atoms of 2^value for a side of a comparison with logarithms."""
    if isinstance(value, Logarithm):
        return combine(value.atoms, {2: value.constant} if value.constant else {}, 1)
    value = ExactOps.plain(value)
    return {2: value} if value else {}


def compare_exact(a, b):
    """The `comparison` object of two exact numbers (format 2.1, details 3)."""
    if isinstance(a, Logarithm) or isinstance(b, Logarithm):
        left, right = two_to(a), two_to(b)
        relation, cancelled, k = decide(combine(left, right, -1))
        return {"left": side_text(left), "relation": relation, "right": side_text(right), "cancelled": cancelled,
                "k": k}
    if not isinstance(a, Factored) and not isinstance(b, Factored):
        return {"left": number_text(a), "relation": "<" if a < b else ">" if a > b else "=", "right": number_text(b)}
    sides = [side_text(x.atoms) if isinstance(x, Factored) else number_text(x) for x in (a, b)]
    if any(not isinstance(x, Factored) and x <= 0 for x in (a, b)):
        relation, cancelled, k = ("<" if not isinstance(a, Factored) else ">"), [], 0
    else:
        relation, cancelled, k = decide(combine(ExactOps.atoms(a), ExactOps.atoms(b), -1))
    return {"left": sides[0], "relation": relation, "right": sides[1], "cancelled": cancelled, "k": k}


def decide(atoms):
    """(relation to 1, cancelled, least deciding k) of prod atom^exponent (format 2.1)."""
    pairs = power_product(atoms)
    if not pairs:
        return "=", [], 0
    scale = math.lcm(*(Fraction(e).denominator for _, e in pairs))
    exponents = [int(e * scale) for _, e in pairs]
    common = math.gcd(*exponents)
    pairs = [(b, e // common) for (b, _), e in zip(pairs, exponents)]
    cancelled = [[decimal_text(b), decimal_text(e)] for b, e in pairs]
    for k in range(1 << 14):
        lower = upper = 0
        for b, e in pairs:
            f = floor_log2(b, k)
            above = f if b == 2 else f + 1
            lower += e * (f if e > 0 else above)
            upper += e * (above if e > 0 else f)
        if lower >= 0:
            return ">", cancelled, k
        if upper <= 0:
            return "<", cancelled, k
    raise NotChecked("a comparison needs more than 2^14 bits of precision")


def floor_log2(b, k):
    """floor(2^k * log2 b), by k squarings of an interval of integers with outward rounding (counting 1.3)."""
    if b & (b - 1) == 0:
        return (b.bit_length() - 1) << k
    width = 64 + 2 * k
    while True:
        low = high = b
        low_shift = high_shift = 0
        for step in range(k + 1):
            if step:
                low, high, low_shift, high_shift = low * low, high * high, 2 * low_shift, 2 * high_shift
            cut = max(0, low.bit_length() - width)
            low, low_shift = low >> cut, low_shift + cut
            cut = max(0, high.bit_length() - width)
            high, high_shift = -(-high >> cut), high_shift + cut
        bottom, top = low.bit_length() - 1 + low_shift, high.bit_length() - 1 + high_shift
        if bottom == top:
            return bottom
        width *= 2


def combination_rank(n, chosen):
    """Index of an increasing tuple of 0..n-1 in lexicographic order."""
    rank, k, low = 0, len(chosen), 0
    for i, value in enumerate(chosen):
        for skipped in range(low, value):
            rank += math.comb(n - skipped - 1, k - i - 1)
        low = value + 1
    return rank
