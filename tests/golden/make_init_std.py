#!/usr/bin/env python3
"""Standard deviation of every weight at initialisation, by row and regime, written down from the papers' formulas.

Independent of src/: this file knows the mathematics only (base regimes A-D, T, G, X and the multipliers of the rows).
Writes tests/golden/init_std.json: {row: {regime: {parameter: standard deviation}}} for the sizes below, in which the
encoder and the decoder have different depths. A row without multipliers is a string: the row that it starts like. Run it after a new row: python3 tests/golden/make_init_std.py
"""
import json
import math
import os

N, M, D, V = 2, 1, 128, 700  # encoder and decoder layers, width, vocabulary
FFN = {regime: D if regime == "T" else 2 * D for regime in "ABCDTGX"}  # the theory has a square feed-forward part
ROWS = """post_ln pre_ln admin admin_closed b2t b2t_rescaled b2t_past_norm b2t_no_ln dlcl_pre dlcl_post t_fixup deepnorm rezero
rezero_post_ln fixup look_linear ds_init sandwich residual_dual normformer sub_ln layer_scale mix_ln ln_scaling
hybrid_norm hybrid_norm_star olmo2 dyt""".split()
OWN_BASE = {"t_fixup": "B", "deepnorm": "X"}
BLOCKS = 2 * N + 3 * M
uniform = lambda bound: bound / math.sqrt(3)


def base(regime, role, depth, fan_out, fan_in):
    F = FFN[regime]
    if role in ("embedding", "output"):
        return 0.02 if regime == "G" else D ** -0.5
    bias = role.endswith("_bias")
    matrix = role.removesuffix("_bias")
    if regime in "ABC":
        if matrix in ("q", "k", "v"):
            if bias:
                return 0 if regime == "A" else uniform(fan_in ** -0.5)
            return math.sqrt(1 / (2 * D))
        if matrix == "o":
            return 0 if bias else math.sqrt(1 / D)
        if regime == "C":
            return math.sqrt(1 / (3 * fan_in))
        return 0 if bias else math.sqrt(2 / (D + F))
    if regime == "D":
        return math.sqrt(1 / (3 * fan_in))
    if bias:
        return 0
    if regime == "T":
        return 0 if matrix in ("q", "k") else math.sqrt(1 / fan_in)
    if regime == "G":
        return 0.02 / math.sqrt(2 * depth) if matrix in ("o", "2") else 0.02
    return math.sqrt(2 / (fan_out + fan_in))  # X


def multiplier(row, regime, stack, cross, layer, role):
    encoder = stack == "encoder"
    depth = N if encoder else M
    value_path = role in ("v", "o", "1", "2")
    weight = value_path or role in ("q", "k")
    if row == "t_fixup":
        if role == "embedding":
            return (9 * depth) ** -0.25
        if not value_path:
            return 1
        scale = 0.67 * N ** -0.25 if encoder else (9 * M) ** -0.25
        return scale * math.sqrt(2) if role == "v" and regime in "ABC" else scale
    if row == "deepnorm" and value_path:
        return 0.87 * (N ** 4 * M) ** (-1 / 16) if encoder else (12 * M) ** -0.25
    if row == "b2t_rescaled" and weight:
        return depth ** -0.5
    if row == "ds_init" and weight:
        return layer ** -0.5
    if row == "sub_ln" and value_path and not cross:
        return math.sqrt(math.log(3 * M) * math.log(2 * N) / 3) if encoder else math.sqrt(math.log(3 * M))
    if row == "fixup":
        if role in ("q", "k", "v"):
            return BLOCKS ** (-1 / 6)
        if role == "1":
            return BLOCKS ** -0.5
        return 0 if role in ("o", "2", "output") else 1
    if row == "ln_scaling" and regime == "G" and role in ("o", "2"):
        return math.sqrt(2 * depth)
    return 1


def tensors(row, regime):
    F = FFN[regime]
    biases = row != "fixup"
    for stack, depth in (("encoder", N), ("decoder", M)):
        yield f"{stack}.embed_tokens.weight", "embedding", stack, False, 1, V, D
        for i in range(depth):
            attentions = ["self_attn"] + (["encoder_attn"] if stack == "decoder" else [])
            for attention in attentions:
                for letter in "qkv" if regime == "T" else "qkvo":
                    name = f"{stack}.layers.{i}.{attention}.{'out' if letter == 'o' else letter}_proj"
                    cross = attention == "encoder_attn"
                    yield name + ".weight", letter, stack, cross, i + 1, D, D
                    if biases:
                        yield name + ".bias", letter + "_bias", stack, cross, i + 1, D, D
            for letter, rows, columns in (("1", F, D), ("2", D, F)):
                name = f"{stack}.layers.{i}.fc{letter}"
                yield name + ".weight", letter, stack, False, i + 1, rows, columns
                if biases:
                    yield name + ".bias", letter + "_bias", stack, False, i + 1, rows, columns
    yield "decoder.output_projection.weight", "output", "decoder", False, 1, V, D


def table(row, regime):
    depth = {"encoder": N, "decoder": M}
    return {
        name: base(regime, role, depth[stack], rows, columns) * multiplier(row, regime, stack, cross, layer, role)
        for name, role, stack, cross, layer, rows, columns in tensors(row, regime)
    }


SCALED = ("b2t_rescaled", "t_fixup", "deepnorm", "fixup", "ds_init", "sub_ln", "ln_scaling")


def main():
    rows = {}
    for row in ROWS:
        if row != "post_ln" and row not in SCALED:
            rows[row] = "post_ln"
            continue
        rows[row] = {"own": OWN_BASE.get(row, "A")}
        for regime in "ABCDTGX":
            rows[row][regime] = {name: float(f"{std:.6g}") for name, std in table(row, regime).items()}
    sizes = {"encoder_layers": N, "decoder_layers": M, "width": D, "vocabulary": V, "ffn_width": FFN}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "init_std.json")
    with open(path, "w") as file:
        json.dump({"sizes": sizes, "rows": rows}, file, separators=(",", ":"))
        file.write("\n")


main()
