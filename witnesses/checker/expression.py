"""Expressions (files 3.1): tokens, parser, types, evaluation."""

import math
import re

from .limits import MAX_BITS, MAX_EXPRESSION_DEPTH, MAX_STEPS
from .outcome import NotChecked, SpecError, short
from .canonical import decimal_text, decimal_value, is_decimal
from .number import IntegerOps, too_long


KEYWORDS = {"if", "then", "else", "let", "in", "or", "and", "not", "div", "mod", "true", "false"}
FOLDS = {"sum", "min", "max", "any", "all", "count", "table"}
FUNCTIONS = {"bits", "binomial", "factorial", "abs", "min", "max", "sum", "len", "get", "has", "received", "log2"}
RESERVED = KEYWORDS | FOLDS | FUNCTIONS
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
OPERATORS = r"\.\.=|\.\.<|\.\.|!=|<=|>=|==|[=<>+\-*/^()\[\],:.]"
TOKEN = re.compile(r"[ \t\r\n]+|(?P<slot>'[^'\n]*')|(?P<number>[0-9]+)|(?P<name>%s)|(?P<op>%s)" % (NAME, OPERATORS))
SOURCE_TOKEN = re.compile(r"[ \t\r\n]+|(?P<token>'[^'\n]*'|(?:[A-Za-z0-9_]|\{[^{}]*\})+|%s)" % OPERATORS)


def is_name(text):
    return re.fullmatch(NAME, text) is not None and text not in RESERVED


def tokenize(text):
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SpecError("unexpected character %s in %s" % (short(text[at]), short(text)))
        if match.lastgroup:
            tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    tokens.append(("end", "end of expression"))
    return tokens


def canonical_text(text):
    """Tokens of the source joined by one space; a slot reference, and a word with braces, is one token (details 1)."""
    if not isinstance(text, str):
        raise SpecError("found %s, expected an expression in quotes" % short(text))
    tokens, at = [], 0
    while at < len(text):
        match = SOURCE_TOKEN.match(text, at)
        if not match:
            raise SpecError("unexpected character %s in %s" % (short(text[at]), short(text)))
        if match.group("token"):
            tokens.append(match.group("token"))
        at = match.end()
    return " ".join(tokens)


class Parser:
    """Recursive descent over the grammar of files 3.1.  Nodes are tuples (kind, ..)."""

    def __init__(self, text):
        self.text, self.tokens, self.at, self.depth = text, tokenize(text), 0, 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def is_op(self, *texts):
        return self.peek()[0] == "op" and self.peek()[1] in texts

    def is_word(self, word):
        return self.peek() == ("name", word)

    def expect(self, text):
        token = self.next()
        if token[0] == "slot" or token[1] != text:
            raise SpecError("found %s, expected `%s` in %s" % (short(token[1]), text, short(self.text)))

    def name(self):
        kind, text = self.next()
        if kind != "name" or text in RESERVED:
            raise SpecError("found %s, expected a name in %s" % (short(text), short(self.text)))
        return text

    def whole(self):
        node = self.expr()
        if self.peek()[0] != "end":
            raise SpecError("found %s, expected the end in %s" % (short(self.peek()[1]), short(self.text)))
        return node

    def nested(self, rule):
        self.depth += 1
        if self.depth > MAX_EXPRESSION_DEPTH:
            raise SpecError("an expression nested deeper than %d" % MAX_EXPRESSION_DEPTH)
        node = rule()
        self.depth -= 1
        return node

    def expr(self):
        return self.nested(self.expr_body)

    def expr_body(self):
        if self.is_word("if"):
            self.next()
            condition = self.expr()
            self.expect("then")
            yes = self.expr()
            self.expect("else")
            return ("if", condition, yes, self.expr())
        if self.is_word("let"):
            self.next()
            name = self.name()
            self.expect("=")
            value = self.expr()
            self.expect("in")
            return ("let", name, value, self.expr())
        return self.joined("or", lambda: self.joined("and", self.negation))

    def joined(self, word, rule):
        parts = [rule()]
        while self.is_word(word):
            self.next()
            parts.append(rule())
        return parts[0] if len(parts) == 1 else (word, parts)

    def negation(self):
        if self.is_word("not"):
            self.next()
            return ("not", self.nested(self.negation))
        return self.comparison()

    def comparison(self):
        left = self.sum()
        if self.is_op("=", "!=", "<", "<=", ">", ">="):
            return ("cmp", self.next()[1], left, self.sum())
        return left

    def chain(self, rule, accepts):
        first, rest = rule(), []
        while accepts():
            operator = self.next()[1]
            rest.append((operator, rule()))
        return ("chain", first, rest) if rest else first

    def sum(self):
        return self.chain(self.product, lambda: self.is_op("+", "-"))

    def product(self):
        return self.chain(self.unary, lambda: self.is_op("*", "/") or self.is_word("div") or self.is_word("mod"))

    def unary(self):
        if self.is_op("-"):
            self.next()
            return ("neg", self.nested(self.unary))
        return self.power()

    def power(self):
        base = self.post()
        if self.is_op("^"):
            self.next()
            return ("chain", base, [("^", self.nested(self.unary))])
        return base

    def post(self):
        node, count = self.atom(), 0
        while self.is_op("["):
            self.next()
            node = ("index", node, self.expr())
            self.expect("]")
            count += 1
            if count > MAX_EXPRESSION_DEPTH:
                raise SpecError("too many indices")
        return node

    def atom(self):
        kind, text = self.next()
        if kind == "number":
            return ("int", decimal_value(text.lstrip("0") or "0"))
        if kind == "slot":
            return ("slot", text[1:-1])
        if kind == "name":
            return self.word(text)
        if (kind, text) == ("op", "("):
            node = self.expr()
            self.expect(")")
            return node
        if (kind, text) == ("op", "["):
            return ("list", self.items("]"))
        raise SpecError("found %s, expected an expression in %s" % (short(text), short(self.text)))

    def word(self, text):
        if text in ("true", "false"):
            return ("bool", text == "true")
        if self.is_op("(") and text in FOLDS and self.peek(1)[0] == "name" and self.peek(2) == ("name", "in"):
            return self.fold(text)
        if self.is_op("("):
            if text not in FUNCTIONS:
                raise SpecError("unknown function %s" % short(text))
            self.next()
            if text == "received":
                return ("call", text, self.label_argument())
            return ("call", text, [] if self.close(")") else self.items(")"))
        if text in RESERVED:
            raise SpecError("found %s, expected an expression in %s" % (short(text), short(self.text)))
        if self.is_op(".") and self.peek(1)[0] == "name":
            self.next()
            return ("field", text, self.name())
        return ("name", text)

    def label_argument(self):
        """The label in `received(P)`, None for the sender."""
        if self.close(")"):
            return None
        sign = "-" if self.is_op("-") and self.next() else ""
        kind, text = self.next()
        if kind not in ("name", "number") or (sign and kind != "number"):
            raise SpecError("received() takes a player label")
        self.expect(")")
        return sign + text

    def close(self, text):
        if self.is_op(text):
            self.next()
            return True
        return False

    def items(self, end):
        items = [self.expr()]
        while self.close(","):
            items.append(self.expr())
        self.expect(end)
        return items

    def fold(self, kind):
        self.next()
        binds = self.binds()
        condition = None
        if self.is_word("if"):
            self.next()
            condition = self.expr()
        self.expect(":")
        body = self.expr()
        self.expect(")")
        return ("fold", kind, binds, condition, body)

    def binds(self):
        binds = [self.bind()]
        while self.close(","):
            binds.append(self.bind())
        return binds

    def bind(self):
        name = self.name()
        self.expect("in")
        low = self.sum()
        if not self.is_op("..", "..<"):
            raise SpecError("found %s, expected `..` or `..<` in %s" % (short(self.peek()[1]), short(self.text)))
        exclusive = self.next()[1] == "..<"
        return name, low, self.sum(), exclusive


class Env:
    """What one evaluation sees: the digits of all players, the symbols said so far, the answer in question."""
    __slots__ = ("inputs", "symbols", "answer", "bound", "steps")

    def __init__(self, inputs=(), symbols=(), answer=0):
        self.inputs, self.symbols, self.answer, self.bound, self.steps = inputs, symbols, answer, {}, 0

    def spend(self, cost):
        self.steps += cost
        if self.steps > MAX_STEPS:
            raise SpecError("more than %d steps in one evaluation" % MAX_STEPS)


class Scope:
    """What the names of one expression mean.  `fields`: bare name to [(label, player, first digit, width or None)];
    `slots`: name to index of the slots in sight, None outside strategies; `views`: label to the slots stored there."""

    def __init__(self, constants, ops=IntegerOps, fields=None, slots=None, views=None, sender=None, answer=False):
        self.constants, self.ops, self.fields = dict(constants), ops, fields or {}
        self.slots, self.views, self.sender, self.answer = slots, views or {}, sender, answer
        self.bound = {}
        self.kept = set()       # slots that exist with at least two symbols, for has() and get()

    def meanings(self, name):
        return ((name in self.constants) + (name in self.bound) + (name in self.fields)
                + (self.answer and name == "answer"))

    def refuse_known(self, name):
        if self.meanings(name):
            raise SpecError("`%s` already has a meaning here" % name)


CLOSED, INPUT = frozenset(), frozenset("*")


def all_open(parts):
    return CLOSED.union(*[part.open for part in parts])


class Code:
    """A compiled expression: type "int", "bool" or ("table", length); open = the bound variables it contains, and "*"
    if it contains an input or symbol; cost = number of nodes; run(env) = value."""
    __slots__ = ("type", "open", "cost", "run")

    def __init__(self, kind, is_open, cost, run):
        self.type, self.open, self.cost, self.run = kind, is_open, cost, run


def type_name(kind):
    return {"int": "an integer", "bool": "a truth value"}.get(kind) or "a table of %d" % kind[1]


def need(code, kind):
    if code.type != kind:
        raise SpecError("found %s, expected %s" % (type_name(code.type), type_name(kind)))
    return code


def is_table(code):
    return isinstance(code.type, tuple)


def constant_code(value):
    kind = "bool" if isinstance(value, bool) else ("table", len(value)) if isinstance(value, tuple) else "int"
    return Code(kind, CLOSED, 1, lambda env: value)


def compile_node(node, scope):
    return COMPILERS[node[0]](node, scope)


def compile_literal(node, scope):
    return constant_code(node[1])


def compile_name(node, scope):
    name = node[1]
    count = scope.meanings(name)
    if count == 0:
        raise SpecError("unknown name `%s`" % name)
    if count > 1:
        raise SpecError("`%s` has two meanings here" % name)
    if name in scope.constants:
        return constant_code(scope.constants[name])
    if name in scope.bound:
        kind, is_open = scope.bound[name]
        return Code(kind, is_open, 1, lambda env: env.bound[name])
    if name in scope.fields:
        if len(scope.fields[name]) > 1:
            raise SpecError("`%s` is a field of several players" % name)
        return field_code(scope.fields[name][0])
    return Code("int", INPUT, 1, lambda env: env.answer)


def field_code(entry):
    _, player, first, width = entry
    if width is None:
        return Code("int", INPUT, 1, lambda env: env.inputs[player][first])
    return Code(("table", width), INPUT, 1, lambda env: env.inputs[player][first:first + width])


def compile_field(node, scope):
    for entry in scope.fields.get(node[2], ()):
        if entry[0] == node[1]:
            return field_code(entry)
    raise SpecError("no field %s.%s in sight" % (node[1], node[2]))


def compile_slot(node, scope):
    if scope.slots is None or node[1] not in scope.slots:
        raise SpecError("`%s` is not in sight" % short(node[1]))
    index = scope.slots[node[1]]
    return Code("int", INPUT, 1, lambda env: env.symbols[index])


def compile_list(node, scope):
    parts = [need(compile_node(item, scope), "int") for item in node[1]]
    runs = [part.run for part in parts]
    plain = scope.ops.plain
    return Code(("table", len(parts)), all_open(parts), 1 + sum(p.cost for p in parts),
                lambda env: tuple([plain(run(env)) for run in runs]))


def compile_index(node, scope):
    table, index = compile_node(node[1], scope), need(compile_node(node[2], scope), "int")
    if not is_table(table):
        raise SpecError("found %s, expected a table" % type_name(table.type))
    length, get_table, get_index, integer = table.type[1], table.run, index.run, scope.ops.integer

    def run(env):
        i = integer(get_index(env))
        if not 0 <= i < length:
            raise SpecError("index %s, expected 0..<%d" % (short(i), length))
        return get_table(env)[i]
    return Code("int", table.open | index.open, 1 + table.cost + index.cost, run)


def compile_neg(node, scope):
    inner, neg = need(compile_node(node[1], scope), "int"), scope.ops.neg
    return Code("int", inner.open, 1 + inner.cost, lambda env: neg(inner.run(env)))


def compile_not(node, scope):
    inner = need(compile_node(node[1], scope), "bool")
    return Code("bool", inner.open, 1 + inner.cost, lambda env: not inner.run(env))


def divisor_of(ops, b):
    b = ops.integer(b)
    if b < 1:
        raise SpecError("divisor %s, expected at least 1" % short(b))
    return b


def compile_chain(node, scope):
    ops = scope.ops
    operations = {"+": ops.add, "-": ops.sub, "*": ops.mul, "^": ops.power,
                  "div": lambda a, b: ops.integer(a) // divisor_of(ops, b),
                  "mod": lambda a, b: ops.integer(a) % divisor_of(ops, b)}
    if ops.rational:
        operations["/"] = ops.divide
    first, rest = need(compile_node(node[1], scope), "int"), []
    is_open, cost = first.open, first.cost
    for operator, operand in node[2]:
        if operator not in operations:
            raise SpecError("`/` is allowed in inequality claims only; use div")
        part = need(compile_node(operand, scope), "int")
        rest.append((operations[operator], part.run))
        is_open, cost = is_open | part.open, cost + 1 + part.cost
    start = first.run
    if len(rest) == 1:
        operation, other = rest[0]
        return Code("int", is_open, cost, lambda env: operation(start(env), other(env)))

    def run(env):
        value = start(env)
        for operation, other in rest:
            value = operation(value, other(env))
        return value
    return Code("int", is_open, cost, run)


def compile_junction(node, scope):
    parts = [need(compile_node(item, scope), "bool") for item in node[1]]
    runs = [part.run for part in parts]
    if node[0] == "and":
        run = lambda env: all(part(env) for part in runs)       # lazy, left to right
    else:
        run = lambda env: any(part(env) for part in runs)
    return Code("bool", all_open(parts), sum(p.cost for p in parts) + 1, run)


def compile_cmp(node, scope):
    operator, left, right = node[1], compile_node(node[2], scope), compile_node(node[3], scope)
    comparable = left.type == right.type or (is_table(left) and is_table(right))
    if not comparable or (operator not in ("=", "!=") and left.type != "int"):
        raise SpecError("`%s` cannot compare %s and %s" % (operator, type_name(left.type), type_name(right.type)))
    a, b, compare = left.run, right.run, scope.ops.compare
    if left.type == "int":
        test = {"=": lambda s: s == 0, "!=": lambda s: s != 0, "<": lambda s: s < 0, "<=": lambda s: s <= 0,
                ">": lambda s: s > 0, ">=": lambda s: s >= 0}[operator]
        run = lambda env: test(compare(a(env), b(env)))
    else:
        run = lambda env: (a(env) == b(env)) == (operator == "=")
    return Code("bool", left.open | right.open, 1 + left.cost + right.cost, run)


def compile_if(node, scope):
    """An `if` whose condition is constant is decided at load time; the other branch is not looked at."""
    condition = need(compile_node(node[1], scope), "bool")
    if not condition.open:
        return compile_node(node[2] if condition.run(Env()) else node[3], scope)
    yes, no = compile_node(node[2], scope), compile_node(node[3], scope)
    need(no, yes.type)
    test, then, other = condition.run, yes.run, no.run
    return Code(yes.type, all_open([condition, yes, no]), 1 + condition.cost + yes.cost + no.cost,
                lambda env: then(env) if test(env) else other(env))


def compile_let(node, scope):
    name, value = node[1], compile_node(node[2], scope)
    scope.refuse_known(name)
    if not value.open:
        scope.constants[name] = value.run(Env())
        body = compile_node(node[3], scope)
        del scope.constants[name]
        return body
    scope.bound[name] = (value.type, value.open)
    body = compile_node(node[3], scope)
    del scope.bound[name]

    def run(env):
        env.bound[name] = value.run(env)
        return body.run(env)
    return Code(body.type, value.open | body.open, 1 + value.cost + body.cost, run)


def compile_fold(node, scope):
    _, kind, binds, condition, body = node
    ranges, names, is_open = [], [], CLOSED
    for name, low, high, exclusive in binds:
        low, high = need(compile_node(low, scope), "int"), need(compile_node(high, scope), "int")
        if kind == "table" and (low.open or high.open):
            raise SpecError("table() needs a constant range")
        is_open |= low.open | high.open
        scope.refuse_known(name)
        scope.bound[name] = ("int", frozenset([name]))
        names.append(name)
        ranges.append((name, low.run, high.run, 0 if exclusive else 1, low.cost + high.cost))
    if kind == "table" and condition is not None:
        raise SpecError("table() takes no `if`")
    test = need(compile_node(condition, scope), "bool") if condition is not None else None
    value = need(compile_node(body, scope), "bool" if kind in ("any", "all", "count") else "int")
    for name in names:
        del scope.bound[name]
    is_open = (is_open | value.open | (test.open if test else CLOSED)) - frozenset(names)
    step = 1 + value.cost + (test.cost if test else 0)
    integer = scope.ops.integer

    def values(env, depth=0):
        if depth == len(ranges):
            env.spend(step)
            if test is None or test.run(env):
                yield value.run(env)
            return
        name, low, high, extra, cost = ranges[depth]
        env.spend(cost)
        for i in range(integer(low(env)), integer(high(env)) + extra):
            env.bound[name] = i
            env.spend(1)
            yield from values(env, depth + 1)

    run = fold_runner(kind, values, scope.ops)
    if kind == "table":
        sizes = [max(0, high(Env()) + extra - low(Env())) for _, low, high, extra, _ in ranges]
        if math.prod(sizes) > MAX_STEPS:
            raise SpecError("a table of %s entries" % short(math.prod(sizes)))
        return Code(("table", math.prod(sizes)), is_open, 1 + step, run)
    return Code("int" if kind in ("sum", "min", "max", "count") else "bool", is_open, 1 + step, run)


def fold_runner(kind, values, ops):
    def total(env):
        result = 0
        for v in values(env):
            result = ops.add(result, v)
        return result

    def best(env):
        found = None
        for v in values(env):
            v = ops.plain(v)
            if found is None or (v < found if kind == "min" else v > found):
                found = v
        if found is None:
            raise SpecError("%s of an empty range" % kind)
        return found

    return {"sum": total, "min": best, "max": best, "any": lambda env: any(values(env)),
            "all": lambda env: all(values(env)), "count": lambda env: sum(1 for v in values(env) if v),
            "table": lambda env: tuple([ops.plain(v) for v in values(env)])}[kind]


def binomial(n, k):
    if n < 0:
        raise SpecError("binomial of %s" % short(n))
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    about = min(n, k * max(1, n.bit_length() - max(1, k).bit_length() + 2))     # C(n,k) < 2^n, (e n / k)^k
    if about > 2 * MAX_BITS:
        too_long(about)
    if about > MAX_BITS // 8:
        raise NotChecked("a binomial coefficient of about %d bits" % about)
    return math.comb(n, k)


def factorial(n):
    if n < 0:
        raise SpecError("factorial of %s" % short(n))
    if n * max(1, n.bit_length() - 3) > MAX_BITS:
        too_long(n * n.bit_length())
    return math.factorial(n)


def bits_of(s):
    """counting 1.1: ceil(log2 s)."""
    if s < 1:
        raise SpecError("bits of %s, expected at least 1" % short(s))
    return (s - 1).bit_length()


def compile_call(node, scope):
    _, function, arguments = node
    if function in ("get", "has", "received"):
        return compile_sight_call(function, arguments, scope)
    parts = [compile_node(argument, scope) for argument in arguments]
    ops, runs = scope.ops, [part.run for part in parts]
    is_open, cost = all_open(parts), 1 + sum(p.cost for p in parts)
    if len(parts) == 1 and is_table(parts[0]) and function in ("sum", "min", "max", "len"):
        return table_call(function, parts[0], cost, ops)
    for part in parts:
        need(part, "int")
    count = {"bits": 1, "factorial": 1, "abs": 1, "binomial": 2, "log2": 1}.get(function)
    if function in ("sum", "len") or (count is not None and len(parts) != count) or not parts:
        raise SpecError("wrong arguments of %s()" % function)
    integer, plain = ops.integer, ops.plain
    if function == "log2":
        if not ops.rational:
            raise SpecError("log2 is allowed in inequality claims only")
        return Code("int", is_open, cost, lambda env: ops.log2(runs[0](env)))
    run = {"bits": lambda env: bits_of(integer(runs[0](env))),
           "factorial": lambda env: factorial(integer(runs[0](env))),
           "binomial": lambda env: binomial(integer(runs[0](env)), integer(runs[1](env))),
           "abs": lambda env: abs(plain(runs[0](env))),
           "min": lambda env: min([plain(r(env)) for r in runs]),
           "max": lambda env: max([plain(r(env)) for r in runs])}[function]
    return Code("int", is_open, cost, run)


def table_call(function, part, cost, ops):
    length, get = part.type[1], part.run
    if function == "len":
        return Code("int", part.open, cost, lambda env: length)
    if function == "sum":
        def total(env):
            env.spend(length)
            return sum(get(env))
        return Code("int", part.open, cost, total)
    if length == 0:
        raise SpecError("%s of an empty table" % function)
    best = min if function == "min" else max

    def extreme(env):
        env.spend(length)
        return best(get(env))
    return Code("int", part.open, cost, extreme)


def compile_sight_call(function, arguments, scope):
    """has, get, received: strategies only (files 4)."""
    if scope.slots is None:
        raise SpecError("%s() is allowed in strategies only" % function)
    if function == "received":
        label = scope.sender if arguments is None else arguments
        if label not in scope.views:
            raise SpecError("the view of %s is not in sight" % short(label))
        stored = scope.views[label]
        return Code(("table", len(stored)), INPUT, 1 + len(stored),
                    lambda env: tuple([env.symbols[i] for i in stored]))
    if len(arguments) != (1 if function == "has" else 2) or arguments[0][0] != "slot":
        raise SpecError("wrong arguments of %s()" % function)
    name = arguments[0][1]
    present = name in scope.slots and name in scope.kept
    if function == "has":
        return constant_code(present)
    default = need(compile_node(arguments[1], scope), "int")
    return compile_slot(arguments[0], scope) if present else default


COMPILERS = {"int": compile_literal, "bool": compile_literal, "name": compile_name, "field": compile_field,
             "slot": compile_slot, "list": compile_list, "index": compile_index, "neg": compile_neg,
             "not": compile_not, "chain": compile_chain, "and": compile_junction, "or": compile_junction,
             "cmp": compile_cmp, "if": compile_if, "let": compile_let, "fold": compile_fold, "call": compile_call}


def substitute(text, constants):
    """Replace every {expression} by its decimal digits (files 1, "Braces")."""
    def digits(match):
        return str(constant_integer(match.group(1), constants))
    if "{" not in text and "}" not in text:
        return text
    result = re.sub(r"\{([^{}]*)\}", digits, text)
    if "{" in result or "}" in result:
        raise SpecError("unmatched brace in %s" % short(text))
    return result


def compile_text(text, scope):
    if not isinstance(text, str):
        raise SpecError("found %s, expected an expression in quotes" % short(text))
    return compile_node(Parser(substitute(text, scope.constants)).whole(), scope)


def constant_value(text, constants):
    """The value of a constant expression."""
    if is_decimal(text):
        return decimal_value(text)
    code = compile_text(text, Scope(constants))
    return code.run(Env())


def constant_integer(text, constants):
    value = constant_value(text, constants)
    if isinstance(value, bool) or not isinstance(value, int):
        raise SpecError("found %s, expected an integer in %s" % (short(value), short(text)))
    return value


def size_value(text, constants, what="size", least=1):
    value = constant_integer(text, constants)
    if value < least:
        raise SpecError("%s %s, expected at least %d" % (what, short(value), least))
    if value.bit_length() > MAX_BITS:
        too_long(value.bit_length())
    return value


def resolve_constants(raw):
    """The values of a `[let]` table: integers, or tuples of integers; used in any order, no cycle (files 1)."""
    if not isinstance(raw, dict):
        raise SpecError("`let` is not a table")
    values, active = {}, set()

    def evaluate(name):
        if name in values:
            return
        if name in active:
            raise SpecError("a cycle in `let` through %s" % short(name))
        active.add(name)
        entry = raw[name]
        if isinstance(entry, list):
            value = tuple([one(item) for item in entry])
            if any(isinstance(item, tuple) for item in value):
                raise SpecError("constant %s is a list of lists" % short(name))
        else:
            value = one(entry)
        values[name] = value

    def one(text):
        if not isinstance(text, str):
            raise SpecError("found %s, expected an integer or an expression" % short(text))
        for used in re.findall(NAME, text):
            if used in raw:
                evaluate(used)
        value = constant_value(text, values)
        if isinstance(value, bool):
            raise SpecError("found a truth value, expected an integer in %s" % short(text))
        return value

    for name in raw:
        if not is_name(name):
            raise SpecError("%s is not a name" % short(name))
        evaluate(name)
    return values


def constant_text(value):
    """A resolved constant in the resolved object (details 1)."""
    return [decimal_text(v) for v in value] if isinstance(value, tuple) else decimal_text(value)


def merge_constants(*groups):
    """Constants of several origins; no name may have two meanings (files 1)."""
    result = {}
    for group in groups:
        for name, value in group.items():
            if name in result:
                raise SpecError("`%s` has two meanings" % name)
            result[name] = value
    return result
