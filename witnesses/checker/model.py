"""Claims about the state of a model (docs/design/004-models.md): the ledger, computed again from the configuration."""

import re
from fractions import Fraction

from .outcome import Rejection, SpecError
from .canonical import decimal_value
from .shape import EVIDENCE_SHAPES, STATEMENT_SHAPES, as_count, as_list, as_text, shape_fields
from .kinds import ALLOWED, CHECKS
from .counting import largest_copy, largest_length


LARGEST, MOST_LAYERS = 2 ** 32, 2 ** 14
ROLES = ("recurrent", "conv", "token_shift", "window")
BOUNDS = ("equals", "at_least", "at_most")


# ---- the configuration

def plain(value):
    """A value of `spec` as it was in the file: strings that are numbers in lowest terms are numbers."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, str):
        match = re.fullmatch(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?", value)
        if match and value != "-0":
            number = Fraction(int(match[1]), int(match[2] or 1))
            if str(number) == value:
                return number
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return value


def walk(node, path):
    for key in path.split("."):
        if not isinstance(node, dict) or key not in node:
            return None, False
        node = node[key]
    return node, True


class Config:
    def __init__(self, root):
        self.root = root
        inner = root.get("text_config")
        self.inner = inner if isinstance(inner, dict) else None

    def get(self, path):
        top, at_top = walk(self.root, path)
        inner, inside = walk(self.inner, path) if self.inner else (None, False)
        if at_top and inside and top != inner and path != "model_type":
            raise SpecError("%s: two values" % path)
        return inner if inside else top

    def mentions(self, path):
        return walk(self.root, path)[1] or bool(self.inner) and walk(self.inner, path)[1]

    def need(self, *names):
        found = [value for value in map(self.get, names) if value is not None]
        if not found:
            raise SpecError("%s: missing" % names[0])
        if any(value != found[0] for value in found):
            raise SpecError("%s: disagrees" % names[0])
        return found[0]

    def size(self, *names):
        return whole(self.need(*names), 1)

    def maybe(self, name):
        value = self.get(name)
        return None if value is None else whole(value, 1)

    def truth(self, *names):
        value = self.need(*names)
        if not isinstance(value, bool):
            raise SpecError("%s: not a truth value" % names[0])
        return value

    def times(self, base, *names):
        factor = self.need(*names)
        if not isinstance(factor, Fraction) or not 0 < factor <= LARGEST:
            raise SpecError("%s: not a factor" % names[0])
        product = factor * base
        if product.denominator != 1:
            raise SpecError("%s: not whole" % names[0])
        return int(product)

    def layers(self):
        layers = self.size("num_hidden_layers")
        if layers > MOST_LAYERS:
            raise SpecError("num_hidden_layers: too many")
        return layers


def whole(value, least):
    if not isinstance(value, Fraction) or value.denominator != 1 or not least <= value <= LARGEST:
        raise SpecError("not a whole number from %d" % least)
    return int(value)


def items(value):
    if not isinstance(value, list) or len(value) > MOST_LAYERS:
        raise SpecError("not a list of layers")
    return value


def divide(total, parts):
    if total % parts:
        raise SpecError("%d does not divide %d" % (parts, total))
    return total // parts


def agree(a, b):
    if a != b:
        raise SpecError("%d, but %d" % (a, b))
    return a


def positions(value, first, end):
    found = [whole(item, 0) - first for item in items(value)]
    if any(not 0 <= i < end for i in found) or len(set(found)) != len(found):
        raise SpecError("positions outside, or twice")
    return set(found)


# ---- layers: {role: distinct numbers}, and numbers stored

def layer(recurrent=0, conv=0, conv_stored=None, shift=0, stored=None):
    parts = {"recurrent": recurrent, "conv": conv, "token_shift": shift, "window": 0}
    if conv_stored is None:
        conv_stored = conv
    return parts, (recurrent if stored is None else stored) + conv_stored + shift


def convolved(recurrent, kernel, width, **more):
    return layer(recurrent, (kernel - 1) * width, kernel * width, **more)


def mamba(inner, state, kernel):
    return convolved(inner * state, kernel, inner)


def mamba2(inner, state, groups, kernel, matrices=(1, 1)):
    size = inner * state
    return convolved(size * matrices[0], kernel, inner + 2 * groups * state, stored=size * matrices[1])


def delta_rule(key_heads, value_heads, key, value, kernel, matrices=(1, 1)):
    size = value_heads * key * value
    if kernel is None:
        return layer(size * matrices[0], stored=size * matrices[1])
    width = 2 * key_heads * key + value_heads * value
    return convolved(size * matrices[0], kernel, width, stored=size * matrices[1])


class Window(dict):
    """The parts of a sliding window: bounded, but no recurrent layer, whatever its size."""


def window_layer(window, heads, size):
    parts = Window(recurrent=0, conv=0, token_shift=0, window=2 * (window - 1) * heads * size)
    return parts, 2 * window * heads * size


def recurrent_rows(rows):
    return [row for row in rows if not isinstance(row[1], Window)]


# ---- patterns

WORDS = {"full_attention": "F", "attention": "F", "linear_attention": "R", "mamba": "R", "conv": "R", "recurrent": "R",
         "sliding_attention": "W", "hybrid": "H", "mlp": "", "moe": ""}


def layer_list(config, extra=()):
    words = {**WORDS, **dict(extra)}

    def read(value):
        try:
            return [words[item] for item in items(value)]
        except (KeyError, TypeError):
            raise SpecError("an unknown layer type") from None
    found = [read(value) for value in (config.get("layer_types"), config.get("layers_block_type")) if value is not None]
    if not found:
        return None
    if any(slots != found[0] for slots in found):
        raise SpecError("two lists that disagree")
    check_length(config, found[0])
    return found[0]


def check_length(config, slots):
    layers = config.maybe("num_hidden_layers")
    if not slots or layers is not None and layers != len(slots):
        raise SpecError("another number of layers")


def full_at(layers, is_full):
    return ["F" if is_full(i) else "R" for i in range(layers)]


def at_indices(config, name):
    value = config.get(name)
    if value is None:
        return None
    layers = config.layers()
    full = positions(value, 0, layers)
    return full_at(layers, lambda i: i in full)


def first_of(*choices):
    for slots in choices:
        if slots is not None:
            return slots
    raise SpecError("no layer pattern")


def placed(config, slots, own, window_key="sliding_window", hybrid=None):
    """Rows (letter, parts, stored) of a pattern."""
    rows = []
    window = None
    if "W" in slots:
        window = window_layer(config.size(window_key), config.size("num_key_value_heads"), head_size(config))
    for slot in slots:
        if slot == "F":
            rows.append(("F", *layer()))
        elif slot == "R":
            rows.append(("R", *own))
        elif slot == "W":
            rows.append(("R", *window))
        elif slot == "H":
            if hybrid is None:
                raise SpecError("hybrid, which this model type does not have")
            rows.extend(hybrid)
    if not rows:
        raise SpecError("no layer that mixes tokens")
    if any(letter != "R" for letter, _, _ in rows):
        attention(config)
    return rows


def head_size(config):
    for name in ("head_dim", "attention_head_dim"):
        size = config.maybe(name)
        if size is not None:
            return size
    return divide(config.size("hidden_size"), config.size("num_attention_heads"))


def attention(config):
    """(H d, stream) of the full layers; None when the file does not say."""
    if config.get("num_attention_heads") is None or config.get("hidden_size") is None:
        return None
    return config.size("num_attention_heads") * head_size(config), config.size("hidden_size")


# ---- readers

def qwen(config):
    slots = layer_list(config)
    interval = config.get("full_attention_interval")
    if slots is None or interval is not None and config.mentions("num_hidden_layers"):
        every = whole(config.need("full_attention_interval"), 1)
        by_interval = full_at(config.layers(), lambda i: (i + 1) % every == 0)
        slots = by_interval if slots is None else slots
    return placed(config, slots, linear_heads(config))


def linear_heads(config):
    return delta_rule(*(config.size("linear_" + name) for name in (
        "num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim", "conv_kernel_dim")))


def olmo(config):
    return placed(config, first_of(layer_list(config)), linear_heads(config))


def kimi(config):
    types = layer_list(config)
    full, linear = (config.get("linear_attn_config." + name) for name in ("full_attn_layers", "kda_layers"))
    lists = None
    if full is not None or linear is not None:
        if full is None or linear is None:
            raise SpecError("one list without the other")
        layers = config.layers()
        f, r = positions(full, 1, layers), positions(linear, 1, layers)
        if f & r or f | r != set(range(layers)):
            raise SpecError("the lists do not cover every layer once")
        lists = full_at(layers, lambda i: i in f)
    slots = first_of(types, lists)
    heads = config.size("linear_attn_config.num_heads", "linear_num_heads")
    size = config.size("linear_attn_config.head_dim", "linear_head_dim")
    kernel = config.size("linear_attn_config.short_conv_kernel_size", "linear_conv_kernel_dim")
    rows = placed(config, slots, delta_rule(heads, heads, size, size, kernel))
    if any(letter == "F" for letter, _, _ in rows):
        for name in ("num_attention_heads", "qk_nope_head_dim", "qk_rope_head_dim", "hidden_size"):
            config.size(name)
    return rows


def jamba(config):
    slots = layer_list(config)
    if slots is None or config.get("attn_layer_period") is not None:
        period, offset = whole(config.need("attn_layer_period"), 1), whole(config.need("attn_layer_offset"), 0)
        if offset >= period:
            raise SpecError("attn_layer_offset: not below the period")
        by_period = full_at(config.layers(), lambda i: i % period == offset)
        slots = by_period if slots is None else slots
    inner = config.times(config.size("hidden_size"), "mamba_expand")
    return placed(config, slots, mamba(inner, config.size("mamba_d_state"), config.size("mamba_d_conv")))


def zamba2(config):
    slots = first_of(layer_list(config, {"m": "R", "g": "H"}.items()))
    hidden = config.size("hidden_size")
    own = mamba2(config.times(hidden, "mamba_expand"), config.size("mamba_d_state"), config.size("mamba_ngroups"),
                 config.size("mamba_d_conv"))
    rows = []
    for slot in slots:
        if slot == "W":
            raise SpecError("sliding_attention, which this model type does not have")
        if slot in ("F", "H"):
            rows.append(("F", *layer()))
        if slot in ("R", "H"):
            rows.append(("R", *own))
    if not rows:
        raise SpecError("no layer that mixes tokens")
    if any(letter == "F" for letter, _, _ in rows):
        divide(2 * hidden, config.size("num_attention_heads"))
    return rows


def bamba_layer(config, inner):
    heads, size = config.maybe("mamba_n_heads"), config.get("mamba_d_head")
    if heads is not None:
        if size is None or size == "auto":
            divide(inner, heads)
        else:
            agree(heads * whole(size, 1), inner)
    return mamba2(inner, config.size("mamba_d_state"), config.size("mamba_n_groups"), config.size("mamba_d_conv"))


def bamba(config):
    by_index = at_indices(config, "attn_layer_indices")
    if by_index is None and config.mentions("attn_layer_indices"):
        by_index = full_at(config.layers(), lambda i: False)
    slots = first_of(layer_list(config), by_index)
    return placed(config, slots, bamba_layer(config, config.times(config.size("hidden_size"), "mamba_expand")))


def granite(config):
    slots = first_of(layer_list(config))
    return placed(config, slots, bamba_layer(config, config.times(config.size("hidden_size"), "mamba_expand")))


def falcon(config):
    slots = layer_list(config)
    if slots is not None and set(slots) != {"H"}:
        raise SpecError("every layer of this model type is hybrid")
    inner = config.maybe("mamba_d_ssm")
    if inner is None:
        inner = config.times(config.size("hidden_size"), "mamba_expand")
    own = bamba_layer(config, inner)
    attention(config)
    return [("P", *own)] * config.layers()


def nemotron(config):
    text, by_text = config.get("hybrid_override_pattern"), None
    if text is not None:
        if not isinstance(text, str) or not set(text) <= set("M*-E") or len(text) > MOST_LAYERS:
            raise SpecError("hybrid_override_pattern: other letters")
        by_text = [{"M": "R", "*": "F", "-": "", "E": ""}[letter] for letter in text]
        check_length(config, by_text)
    by_list = layer_list(config)
    if by_text is not None and by_list is not None and by_text != by_list:
        raise SpecError("two patterns that disagree")
    inner = config.size("mamba_num_heads") * config.size("mamba_head_dim")
    own = mamba2(inner, config.size("ssm_state_size"), config.size("n_groups", "mamba_n_groups"),
                 config.size("conv_kernel", "mamba_d_conv"))
    return placed(config, first_of(by_text, by_list), own)


def minimax(config):
    value, by_number = config.get("attn_type_list"), None
    if value is not None:
        numbers = [whole(item, 0) for item in items(value)]
        if not set(numbers) <= {0, 1}:
            raise SpecError("attn_type_list: other numbers")
        by_number = ["F" if number else "R" for number in numbers]
        check_length(config, by_number)
    slots = first_of(by_number, layer_list(config))
    return placed(config, slots, layer(config.size("num_attention_heads") * config.size("head_dim") ** 2))


def lfm2(config):
    slots = first_of(layer_list(config), at_indices(config, "full_attn_idxs"))
    return placed(config, slots, convolved(0, config.size("conv_L_cache"), config.size("hidden_size")))


def recurrent_gemma(config):
    cycle = items(config.need("block_types"))
    if not cycle or not all(word in ("recurrent", "attention") for word in cycle):
        raise SpecError("block_types: other words")
    slots = [{"recurrent": "R", "attention": "W"}[cycle[i % len(cycle)]] for i in range(config.layers())]
    width = config.maybe("lru_width") or config.size("hidden_size")
    conv = (config.size("conv1d_width") - 1) * width
    return placed(config, slots, layer(width, conv), "attention_window_size")


def rwkv4(config):
    hidden = config.size("hidden_size")
    inner = config.maybe("attention_hidden_size") or hidden
    return [("R", *layer(3 * inner, shift=2 * hidden))] * config.layers()


def rwkv6(config):
    hidden, heads = config.size("hidden_size"), config.size("num_heads")
    key, value = (divide(config.times(hidden, name), heads) for name in ("expand_k", "expand_v"))
    return with_attention(config, lambda i: layer(heads * key * value, shift=2 * hidden))


def rwkv7(config):
    hidden = config.size("hidden_size")
    size, heads = config.maybe("head_dim"), config.maybe("num_heads")
    if heads is not None:
        by_heads = divide(hidden, heads)
        size = by_heads if size is None else agree(size, by_heads)
    size = config.size("head_dim") if size is None else size
    divide(hidden, size)
    layers, widths = config.layers(), config.get("value_dim")
    if widths is None:
        widths = [hidden] * layers
    elif isinstance(widths, list):
        if len(widths) != layers:
            raise SpecError("value_dim: another number of layers")
        widths = [whole(width, 1) for width in widths]
    else:
        widths = [whole(widths, 1)] * layers
    for width in widths:
        divide(width, hidden)
    return with_attention(config, lambda i: layer(size * widths[i], shift=2 * hidden))


def mamba_one(config):
    stated = config.maybe("intermediate_size")
    if config.get("expand") is None and stated is not None:
        inner = stated
    else:
        inner = config.times(config.size("hidden_size"), "expand")
        if stated is not None:
            agree(stated, inner)
    own = mamba(inner, config.size("state_size"), config.size("conv_kernel"))
    return with_attention(config, lambda i: own)


def inner_of_two(config):
    size, heads = config.size("head_dim"), config.maybe("num_heads")
    by_expand = None
    if config.get("expand") is not None:
        by_expand = config.times(config.size("hidden_size"), "expand")
    if heads is None:
        if by_expand is None:
            raise SpecError("num_heads: missing")
        divide(by_expand, size)
        return by_expand
    return heads * size if by_expand is None else agree(heads * size, by_expand)


def mamba_two(config, matrices=(1, 1)):
    own = mamba2(inner_of_two(config), config.size("state_size"), config.size("n_groups"), config.size("conv_kernel"),
                 matrices)
    return with_attention(config, lambda i: own)


def native(config):
    kind = config.need("ssm_cfg.layer")
    if kind not in ("Mamba1", "Mamba2"):
        raise SpecError("ssm_cfg.layer: another layer")
    inner = config.times(config.size("d_model"), "ssm_cfg.expand")
    kernel, state = config.size("ssm_cfg.d_conv"), config.size("ssm_cfg.d_state")
    own = mamba(inner, state, kernel) if kind == "Mamba1" else mamba2(inner, state, config.size("ssm_cfg.ngroups"), kernel)
    layers = config.size("n_layer")
    if layers > MOST_LAYERS:
        raise SpecError("n_layer: too many")
    value = config.get("attn_layer_idx")
    full = set() if value is None else positions(value, 0, layers)
    return [("F", *layer()) if i in full else ("R", *own) for i in range(layers)]


def with_attention(config, own):
    """The model's own layer, and attention where `attn` says so (a window is bounded)."""
    layers, attn, others = config.layers(), config.get("attn"), {}
    objects = [] if attn is None else attn if isinstance(attn, list) else [attn]
    for entry in objects:
        if not isinstance(entry, dict):
            raise SpecError("attn: not an object")
        hidden = config.size("hidden_size")
        if entry.get("num_heads") is None or entry.get("layers") is None:
            raise SpecError("attn: num_heads and layers decide")
        heads = whole(entry["num_heads"], 1)
        size = whole(entry["head_dim"], 1) if entry.get("head_dim") is not None else divide(hidden, heads)
        row = ("F", *layer())
        if entry.get("window_size") is not None:
            if entry.get("num_kv_heads") is None:
                raise SpecError("attn: num_kv_heads decides")
            row = ("R", *window_layer(whole(entry["window_size"], 1), whole(entry["num_kv_heads"], 1), size))
        for i in positions(entry["layers"], 0, layers):
            if i in others:
                raise SpecError("attn: a layer twice")
            others[i] = row
    return [others[i] if i in others else ("R", *own(i)) for i in range(layers)]


def short_conv(config):
    return config.size("conv_size") if config.truth("use_short_conv") else None


def heads_of(config):
    hidden, heads = config.size("hidden_size"), config.size("num_heads")
    groups = config.maybe("num_kv_heads") or heads
    divide(heads, groups)
    key = divide(config.times(hidden, "expand_k", "exapnd_k"), heads)
    value = divide(config.times(hidden, "expand_v", "exapnd_v"), heads)
    return heads, groups, key, value


def matrices_layer(config, heads, groups, key, value, distinct, stored):
    kernel, width = short_conv(config), heads * key + groups * (key + value)
    own = layer(distinct, stored=stored) if kernel is None else convolved(distinct, kernel, width, stored=stored)
    return with_attention(config, lambda i: own)


def gla(config):
    heads, groups, key, value = heads_of(config)
    return matrices_layer(config, heads, groups, key, value, groups * key * value, heads * key * value)


def retnet(config):
    heads, groups, key, value = heads_of(config)
    return matrices_layer(config, heads, groups, key, value, heads * key * value, None)


def slots_layer(config):
    heads, groups, key, value = heads_of(config)
    each = config.size("num_slots") * (key + value)
    return matrices_layer(config, heads, groups, key, value, groups * each, heads * each)


def linear(config):
    heads, groups, key, value = heads_of(config)
    factor = {"elementwise_product": 1, "relu": 1, "elu": 1, "identity": 1, "t2r": 1, "hedgehog": 2}
    name = config.need("feature_map")
    if not isinstance(name, str) or name not in factor:
        raise SpecError("feature_map: another one")
    key *= factor[name]
    each = key * value + (key if config.truth("norm_feature_map", "do_feature_map_norm") else 0)
    return with_attention(config, lambda i: layer(groups * each, stored=heads * each))


def delta(config):
    heads, _, key, value = heads_of(config)
    own = delta_rule(heads, heads, key, value, short_conv(config))
    return with_attention(config, lambda i: own)


def gated(config, matrices=(1, 1)):
    heads, key = config.size("num_heads"), config.size("head_dim")
    value = config.times(key, "expand_v")
    value_heads = config.maybe("num_v_heads") or heads
    divide(value_heads, heads)
    own = delta_rule(heads, value_heads, key, value, short_conv(config), matrices)
    return with_attention(config, lambda i: own)


def fenwick(config):
    """The most matrices at any boundary up to the context length, and how many are allocated."""
    longest = context(config)
    if longest is None:
        raise SpecError("max_position_embeddings: missing")
    return (longest + 1).bit_length() - 1, (longest - 1).bit_length() + 1


def hgrn(config):
    width = config.times(config.size("hidden_size"), "expand_ratio")
    kernel = short_conv(config)
    own = layer(width) if kernel is None else convolved(width, kernel, 2 * width)
    return with_attention(config, lambda i: own)


def hgrn2(config):
    hidden, ratio, heads = config.size("hidden_size"), config.maybe("expand_ratio"), config.maybe("num_heads")
    if heads is not None:
        by_heads = divide(hidden, heads)
        ratio = by_heads if ratio is None else agree(ratio, by_heads)
    elif ratio is None:
        raise SpecError("expand_ratio: missing")
    else:
        heads = divide(hidden, ratio)
    kernel, size = short_conv(config), heads * ratio * divide(hidden, heads)
    own = layer(size) if kernel is None else convolved(size, kernel, 2 * heads * ratio + hidden)
    return with_attention(config, lambda i: own)


def mesa(config):
    heads, size = config.size("num_heads"), config.size("head_dim")
    kernel = short_conv(config)
    total = heads * 2 * size * size
    own = layer(total) if kernel is None else convolved(total, kernel, 2 * heads * size)
    return with_attention(config, lambda i: own)


def unbounded(config):
    hidden, heads = config.size("hidden_size"), config.size("num_heads")
    if config.maybe("head_dim") is None:
        divide(hidden, heads)
    return [("F", *layer())] * config.layers()


READERS = {
    "qwen3_next": qwen, "qwen3_5": qwen, "qwen3_5_text": qwen, "qwen3_5_moe": qwen, "qwen3_5_moe_text": qwen,
    "olmo_hybrid": olmo, "kimi_linear": kimi, "jamba": jamba, "zamba2": zamba2, "bamba": bamba,
    "granitemoehybrid": granite, "falcon_h1": falcon, "nemotron_h": nemotron, "minimax_text_01": minimax,
    "minimax": minimax, "lfm2": lfm2, "lfm2_moe": lfm2, "recurrent_gemma": recurrent_gemma, "rwkv": rwkv4,
    "rwkv6": rwkv6, "rwkv7": rwkv7, "rwkv7_fla": rwkv7, "mamba": mamba_one, "falcon_mamba": mamba_one,
    "samba": mamba_one, "mamba2": mamba_two, "log_linear_mamba2": lambda config: mamba_two(config, fenwick(config)),
    "gla": gla, "retnet": retnet, "linear_attn": linear, "delta_net": delta, "gated_deltanet": gated,
    "gated_deltaproduct": gated, "comba": gated, "gdn2": gated, "kda": gated,
    "log_linear_gated_deltanet": lambda config: gated(config, fenwick(config)),
    "h_gated_deltanet": lambda config: gated(config, fenwick(config)),
    "hgrn": hgrn, "hgrn2": hgrn2, "gsa": slots_layer, "abc": slots_layer, "mesa_net": mesa, "nsa": unbounded,
    "moba": unbounded,
}


def context(config):
    for name in ("max_position_embeddings", "context_length"):
        value = config.get(name)
        if value is not None:
            return whole(value, 1)
    return None


def check_dtype(config):
    for name in ("mamba_ssm_dtype", "mamba_ssm_cache_dtype"):
        word = config.get(name)
        if word is None:
            continue
        if not isinstance(word, str):
            raise SpecError("%s: not a string" % name)
        word = word.removeprefix("torch.")
        if word == "auto":
            continue
        if word not in ("float64", "float32", "bfloat16", "float16"):
            raise SpecError("%s: an unknown number type" % name)
        return


def read_model(root):
    """The rows of a configuration, in order, and the configuration."""
    if not isinstance(root, dict):
        raise SpecError("not an object")
    config = Config(root)
    inner = config.inner.get("model_type") if config.inner else None
    reader = None
    for name in (inner, root.get("model_type")):
        if reader is None and isinstance(name, str):
            reader = READERS.get(name)
    if reader is None and not isinstance(root.get("model_type"), str) and "d_model" in root and "n_layer" in root:
        reader = native
    if reader is None:
        raise SpecError("an unknown model type")
    rows = reader(config)
    context(config)
    check_dtype(config)
    return rows, config


# ---- the ledger

def run_lengths(rows):
    runs = []
    for letter, parts, stored in rows:
        if runs and runs[-1][1] == (letter, parts, stored):
            runs[-1][0] += 1
        else:
            runs.append([1, (letter, parts, stored)])
    return [{"count": str(count), "letter": letter, "stored": str(stored),
             **{role: str(parts[role]) for role in ROLES}} for count, (letter, parts, stored) in runs]


def layout_runs(rows):
    runs = []
    for letter, _, _ in rows:
        for single in {"F": "F", "R": "R", "P": "FR"}[letter]:
            if runs and runs[-1][0] == single:
                runs[-1][1] += 1
            else:
                runs.append([single, 1])
    return runs


def layout_text(runs):
    if sum(count for _, count in runs) <= 64:
        return "".join(letter * count for letter, count in runs)
    return "".join(letter if count == 1 else "%s^%d" % (letter, count) for letter, count in runs)


def layout_of(text):
    runs = []
    for letter, count in re.findall(r"([FR])(?:\^([0-9]+))?", text):
        number = 1 if count == "" else int(count)
        if number and runs and runs[-1][0] == letter:
            runs[-1][1] += number
        elif number:
            runs.append([letter, number])
    return runs


def bits_of(rows, recurrent, other):
    return sum(parts["recurrent"] * recurrent + (parts["conv"] + parts["token_shift"] + parts["window"]) * other
               for _, parts, _ in rows)


def signature(rows):
    after = [0]
    for letter, _, _ in rows:
        if letter != "R":
            after.append(0)
        if letter != "F":
            after[-1] += 1
    return after


def theorem_steps(rows):
    after = signature(rows)
    full = len(after) - 1
    if not full:
        raise Rejection("/statement/model/of", "malformed", "no full layer", "a number of this model")
    if after[0]:
        return full + 2
    return full + 1 if after[1] else full


def number_of(rows, key, recurrent, other):
    own = recurrent_rows(rows)
    bounded = bits_of(rows, recurrent, other)
    if key.startswith("largest_n.copy."):
        return largest_copy(int(key[len("largest_n.copy."):]), bounded)
    if key.startswith("largest_n."):
        return largest_length(key[len("largest_n."):], bounded)
    if key.startswith("all_"):
        width = int(key[4:6])
        return bits_of(own if key.endswith("recurrent_state_bits") else rows, width, width)
    if key == "scalars":
        return sum(sum(parts.values()) for _, parts, _ in own)
    if key == "stored_scalars":
        return sum(stored for _, _, stored in own)
    if key == "recurrent_state_bits":
        return bits_of(own, recurrent, other)
    if key == "recurrent_tensor_bits":
        return sum(parts["recurrent"] for _, parts, _ in own) * recurrent
    if key == "window_scalars":
        return sum(parts["window"] for _, parts, _ in rows)
    if key == "window_bits":
        return bounded - bits_of(own, recurrent, other)
    if key == "bounded_state_bits":
        return bounded
    if key == "layout.full_layers":
        return len(signature(rows)) - 1
    steps = theorem_steps(rows)
    return {"hybrid_theorem.steps": steps, "hybrid_theorem.exponent_log2": 4 * steps + 2,
            "hybrid_theorem.max_run": max(signature(rows))}[key]


NUMBERS = {
    "scalars", "stored_scalars", "recurrent_state_bits", "recurrent_tensor_bits", "window_scalars", "window_bits",
    "bounded_state_bits", "all_16_bit.recurrent_state_bits", "all_16_bit.bounded_state_bits",
    "all_32_bit.recurrent_state_bits", "all_32_bit.bounded_state_bits", "layout.full_layers", "hybrid_theorem.steps",
    "hybrid_theorem.exponent_log2", "hybrid_theorem.max_run", "largest_n.eva", "largest_n.percom",
    "largest_n.two_sum_n2", "largest_n.two_sum_n2_all", "largest_n.two_sum_n",
}


def is_number(key):
    match = re.fullmatch(r"largest_n\.copy\.([1-9][0-9]*)", key)
    return key in NUMBERS or bool(match) and 2 <= int(match[1]) <= LARGEST


def as_bits(value, at):
    if not 1 <= as_count(value, at) <= 1024:
        raise Rejection(at, "malformed", value, "1 to 1024 bits")


def as_layout(value, at):
    text = as_text(value, at)
    if not re.fullmatch(r"(?:[FR](?:\^[0-9]+)?)*", text) or layout_text(layout_of(text)) != text:
        raise Rejection(at, "malformed", text, "a layout word in canonical form")


def as_number_key(value, at):
    if not is_number(as_text(value, at)):
        raise Rejection(at, "malformed", value, "a numeric key of state")


def shape_model(body, at):
    widths = {"other_bits": as_bits, "recurrent_bits": as_bits}
    if isinstance(body, dict) and "layout" in body:
        shape_fields(body, at, {**widths, "layout": as_layout})
        return
    given = [key for key in BOUNDS if isinstance(body, dict) and key in body]
    if len(given) != 1:
        raise Rejection(at, "malformed", given, "one of equals, at_least, at_most, or layout")
    shape_fields(body, at, {**widths, "of": as_number_key, given[0]: as_count})


def shape_row(value, at):
    counts = {key: as_count for key in ("conv", "count", "recurrent", "stored", "token_shift", "window")}
    shape_fields(value, at, {**counts, "letter": as_text})


def check_ledger(claim, body, at):
    if claim.attached:
        claim.expect_no_files()
    try:
        rows, _ = read_model(plain(claim.doc["spec"]["config"]))
    except SpecError as error:
        raise Rejection("/spec/config", "malformed", str(error), "a configuration that can be read") from None
    statement = claim.body
    recurrent, other = (decimal_value(statement[key]) for key in ("recurrent_bits", "other_bits"))
    own = recurrent_rows(rows)
    layout = layout_text(layout_runs(rows))
    if "layout" in statement:
        found, holds = layout, layout_of(statement["layout"]) == layout_runs(rows)
    else:
        bound = next(key for key in BOUNDS if key in statement)
        number = number_of(rows, statement["of"], recurrent, other)
        stated = decimal_value(statement[bound])
        found = str(number)
        holds = {"equals": number == stated, "at_least": number >= stated, "at_most": number <= stated}[bound]
    right = {"rows": run_lengths(rows), "recurrent_state_bits": str(bits_of(own, recurrent, other)),
             "bounded_state_bits": str(bits_of(rows, recurrent, other)), "layout": layout, "found": found}
    expect_equal(body, right, at)
    if holds != (claim.verdict == "established"):
        raise Rejection("/statement/model", "bound", found, "what makes the statement " + claim.verdict)
    return "ledger of %d rows: %s" % (len(right["rows"]), found)


def expect_equal(found, right, at):
    """The first place where they differ: `size` for lists of another length, else `arithmetic`."""
    if isinstance(right, dict) and isinstance(found, dict):
        for key in sorted(right):
            expect_equal(found.get(key), right[key], at + "/" + key)
    elif isinstance(right, list) and isinstance(found, list):
        if len(found) != len(right):
            raise Rejection(at, "size", "%d rows" % len(found), "%d rows" % len(right))
        for i, pair in enumerate(zip(found, right)):
            expect_equal(*pair, "%s/%d" % (at, i))
    elif found != right:
        raise Rejection(at, "arithmetic", found, right)


STATEMENT_SHAPES["model"] = shape_model
EVIDENCE_SHAPES["ledger"] = ({
    "bounded_state_bits": as_count, "found": as_text, "layout": as_text, "recurrent_state_bits": as_count,
    "rows": lambda value, at: as_list(value, at, shape_row)}, {})
ALLOWED["model", "established"] = ALLOWED["model", "refuted"] = [["ledger"]]
CHECKS["ledger"] = check_ledger
