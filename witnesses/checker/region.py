"""Sets of tables that are known by a rule: products of sets of entries, affine spaces over a prime field (games 7.7)."""

import itertools
import math
from bisect import bisect_right


# --- the symbol of a slot as a function of its sender's digits: (constant, {place: coefficient}, read), read = ("mod", S) or
# ("at", thresholds).  Symbols that come from the sender itself may move the constant of a "mod" rule, and nothing else.

def own_rule(claim, slot, inputs, symbols):
    """None if the strategy has no written rule for the slot."""
    game, strategy = claim.game, claim.strategy
    if strategy.tag == "lookup":
        return lookup_rule(game, slot, inputs, symbols)
    if strategy.tag in ("affine", "threshold"):
        return form_rule(game, strategy, slot, inputs, symbols)
    return None


def lookup_rule(game, slot, inputs, symbols):
    """games 7.5, read as sums: one entry, what was heard, or all entries."""
    sender, receiver, stored = int(slot.sender_label), int(slot.receiver_label), game.stored(slot.sender, slot.round)
    read, width = ("mod", slot.alphabet), game.players[slot.sender].width
    heard_one = heard(game, stored, "soft", 1, 0, [1])
    if sender == 0:
        return (0, {0: 1}, read) if heard_one is None else (symbols[heard_one], {}, read)
    if slot.channel == "soft":
        if (sender, receiver) == (1, 0):
            return 0, {inputs[game.labels["0"]][0]: 1}, read
        if (sender, receiver) == (1, -1):
            return 0, {0: 1}, read
        if receiver == -1:
            m, told = game.parameters["ranges"][sender - 2], game.stored(slot.receiver, slot.round)
            epoch = slot.numbers[0]
            if sender == 2:
                known = heard(game, told, "linear", 0, -1, [1, 1])
                known = heard(game, told, "soft", 0, -1, [epoch - 1]) if known is None else known
            else:
                known = heard(game, told, "soft", sender - 1, -1, [epoch - 1])
            guess = 0 if known is None else symbols[known] % m
            return 0, {inputs[slot.receiver][sender - 2] * m + guess: 1}, read
        return 0, dict.fromkeys(range(width), 1), read
    if not stored:
        return 0, {a: a + 1 for a in range(width)}, read
    return sum(symbols[index] for index in stored), dict.fromkeys(range(width), 1), read


def heard(game, stored, channel, sender, receiver, numbers):
    for index in stored:
        slot = game.slots[index]
        if (slot.channel, slot.sender_label, slot.receiver_label, slot.numbers) == (
                channel, str(sender), str(receiver), numbers):
            return index
    return None


def form_rule(game, strategy, slot, inputs, symbols):
    form = strategy.forms.get(slot.index)
    threshold = strategy.tag == "threshold"
    if form is None:
        return 0, {}, (("at", []) if threshold else ("mod", slot.alphabet))
    if threshold and any(form["received"]):
        return None     # a symbol that came from the sender would move the thresholds
    width = game.players[slot.sender].width
    digits = list(itertools.chain.from_iterable(inputs[p] for p in slot.sources))
    stored = list(itertools.chain.from_iterable(game.stored(p, slot.round) for p in slot.sources))
    constant = (form["constant"] + sum(c * d for c, d in list(zip(form["inputs"], digits))[width:])
                + sum(c * symbols[index] for c, index in zip(form["received"], stored)))
    terms = {place: c for place, c in enumerate(form["inputs"][:width]) if c}
    return constant, terms, (("at", form["at"]) if threshold else ("mod", slot.alphabet))


def moving(rule):
    """The terms that can change the symbol."""
    _, terms, (how, number) = rule
    return {place: c for place, c in terms.items() if (c % number if how == "mod" else c)}


def symbol(rule, total):
    constant, _, (how, number) = rule
    return (constant + total) % number if how == "mod" else bisect_right(number, constant + total)


class Product:
    """Tables whose entries at some places have one of the allowed values."""

    def __init__(self, width, values, allowed=None):
        self.width, self.values, self.allowed = width, values, allowed or {}

    def offers(self, place):
        return self.allowed.get(place, range(self.values))

    def size(self):
        size = self.values ** (self.width - len(self.allowed))
        for values in self.allowed.values():
            size *= len(values)
        return size

    def written(self):
        return {"product": [[str(place), [str(v) for v in self.allowed[place]]] for place in sorted(self.allowed)]}

    def least(self):
        return tuple(self.offers(place)[0] for place in range(self.width))

    def split(self, rules, tie):
        """(classes, key, largest class, all of one size), None if a rule looks at more than one entry."""
        key, places = [None] * len(rules), {}
        for number, rule in enumerate(rules):
            terms = moving(rule)
            if len(terms) > 1:
                return None
            if not terms:
                key[number] = symbol(rule, 0)
            for place in terms:
                places.setdefault(place, []).append(number)
        classes, uniform, left = 1, True, dict(self.allowed)
        for place, numbers in places.items():
            groups = {}
            for value in self.offers(place):
                said = tuple(symbol(rules[n], rules[n][1][place] * value) for n in numbers)
                groups.setdefault(said, []).append(value)
            classes *= len(groups)
            sizes = {len(group) for group in groups.values()}
            uniform = uniform and len(sizes) == 1
            best = [said for said in groups if len(groups[said]) == max(sizes)]
            said = min(best) if tie == "least" else max(best)
            left[place] = groups[said]
            for number, one in zip(numbers, said):
                key[number] = one
        return classes, key, Product(self.width, self.values, left), uniform

    def differing(self, addresses):
        """The first pair of tables, in order, that differ at one of these places."""
        first = self.least()
        for place in sorted(addresses, reverse=True):
            if len(self.offers(place)) > 1:
                return first, first[:place] + (self.offers(place)[1],) + first[place + 1:]
        return None

    def covering(self, places, count):
        """`count` times the first table not yet taken that adds most values at the first entries."""
        covered, chosen = set(), []
        while len(chosen) < min(count, self.size()):
            gain = self.most(range(places), covered)
            if gain:
                head, left, seen = [], gain, set(covered)
                for place in range(places):
                    for value in self.offers(place):
                        rest = left - (value not in seen and left > 0)
                        if self.most(range(place + 1, places), seen | {value}) >= rest:
                            left = rest
                            seen.add(value)
                            head.append(value)
                            break
                table = tuple(head) + self.least()[places:]
            else:
                table = next(t for t in self.elements() if t not in chosen)
            covered |= set(table[:places])
            chosen.append(table)
        return chosen

    def elements(self):
        """All tables in order, lazily."""
        def from_place(place):
            if place == self.width:
                yield ()
                return
            for value in self.offers(place):
                for rest in from_place(place + 1):
                    yield (value,) + rest
        if self.width < 500:
            yield from from_place(0)
        else:       # too deep for the stack: step the last places
            table = list(self.least())
            while True:
                yield tuple(table)
                for place in range(self.width - 1, -1, -1):
                    later = [value for value in self.offers(place) if value > table[place]]
                    if later:
                        table[place] = later[0]
                        break
                    table[place] = self.offers(place)[0]

    def most(self, places, covered):
        """Most uncovered values that these places can take, each one of its offers: a largest matching."""
        owner = {}

        def place_it(place, seen):
            for value in self.offers(place):
                if value not in covered and value not in seen:
                    seen.add(value)
                    if value not in owner or place_it(owner[value], seen):
                        owner[value] = place
                        return True
            return False
        return sum(place_it(place, set()) for place in places)


def affine(width, values):
    prime = 2 <= values < 2 ** 31 and all(values % d for d in range(2, math.isqrt(values) + 1))
    return Affine(width, values) if prime else None


class Affine:
    """Tables over a prime field; `rows`: last place (coefficient 1, in no other row) to (terms, value)."""

    def __init__(self, width, q, rows=None):
        self.width, self.q, self.rows = width, q, rows or {}

    def size(self):
        return self.q ** (self.width - len(self.rows))

    def written(self):
        return {"affine": {"modulus": str(self.q), "equations": [
            {"terms": [[str(p), str(terms[p])] for p in sorted(terms)], "value": str(value)}
            for terms, value in (self.rows[last] for last in sorted(self.rows))]}}

    def split(self, rules, tie):
        q, rows, classes, key = self.q, dict(self.rows), 1, []
        for rule in rules:
            terms = moving(rule)
            if not terms:
                key.append(symbol(rule, 0))
                continue
            if rule[2] != ("mod", q):
                return None
            row, value = {place: c % q for place, c in terms.items()}, 0
            for last in list(rows):
                row, value = subtract(row, value, rows[last], last, q)
            if not row:         # the sum is -value
                key.append((rule[0] - value) % q)
                continue
            said = 0 if tie == "least" else q - 1
            key.append(said)
            last = max(row)
            inverse = pow(row[last], -1, q)
            new = ({place: c * inverse % q for place, c in row.items()}, (value + said - rule[0]) * inverse % q)
            for other in rows:
                rows[other] = subtract(*rows[other], new, last, q)
            rows[last] = new
            classes *= q
        return classes, key, Affine(self.width, q, rows), True

    def completed(self, free):
        """The least table with these values at free places: the last place of a row follows from those before it."""
        table = [0] * self.width
        for place, value in free.items():
            table[place] = value
        for last in sorted(self.rows):
            terms, value = self.rows[last]
            table[last] = (value - sum(c * table[p] for p, c in terms.items() if p != last)) % self.q
        return tuple(table)

    def least(self):
        return self.completed({})

    def differing(self, addresses):
        first = self.least()
        for place in range(self.width - 1, -1, -1):
            if place not in self.rows:
                other = self.completed({place: 1})
                if any(first[a] != other[a] for a in addresses):
                    return first, other
        return None


def subtract(row, value, by, last, q):
    """Subtract the multiple of `by` that leaves nothing at its last place."""
    factor = row.get(last, 0)
    if not factor:
        return row, value
    row = dict(row)
    for place, c in by[0].items():
        row[place] = (row.get(place, 0) - factor * c) % q
        if not row[place]:
            del row[place]
    return row, (value - factor * by[1]) % q
