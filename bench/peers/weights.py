"""Puts Plumb's weights into the PyTorch model."""

import torch

import safetensors


def interleaved(parts, heads):
    """Matrices (or biases) of one attention, [D, ..] each, joined so that the parts of a head are neighbours."""
    parts = [part.view(heads, -1, *part.shape[1:]) for part in parts]
    return torch.cat(parts, 1).flatten(0, 1)


def load(model, path):
    arrays = {name: torch.from_numpy(array) for name, array in safetensors.load(path).items()}
    used = set()

    def take(name):
        used.add(name)
        return arrays[name]

    def linear(module, *names):
        for kind in ("weight", "bias"):
            getattr(module, kind).copy_(interleaved([take(f"{name}.{kind}") for name in names], model.heads)
                                        if len(names) > 1 else take(f"{names[0]}.{kind}"))

    def attention(module, name):
        if hasattr(module, "qkv"):
            linear(module.qkv, *(f"{name}.{part}_proj" for part in "qkv"))
        else:
            linear(module.q, f"{name}.q_proj")
            linear(module.kv, *(f"{name}.{part}_proj" for part in "kv"))
        linear(module.out, f"{name}.out_proj")

    with torch.no_grad():
        for stack, layers in (("encoder", model.encoder), ("decoder", model.decoder)):
            for index, layer in enumerate(layers):
                name = f"{stack}.layers.{index}"
                attention(layer.self_attn, f"{name}.self_attn")
                linear(layer.self_attn_norm, f"{name}.self_attn_layer_norm")
                if layer.encoder_attn is not None:
                    attention(layer.encoder_attn, f"{name}.encoder_attn")
                    linear(layer.encoder_attn_norm, f"{name}.encoder_attn_layer_norm")
                linear(layer.fc1, f"{name}.fc1")
                linear(layer.fc2, f"{name}.fc2")
                linear(layer.ffn_norm, f"{name}.final_layer_norm")
        model.embedding.copy_(take("encoder.embed_tokens.weight" if len(model.encoder) else
                                   "decoder.embed_tokens.weight"))
    unused = set(arrays) - used
    if unused:
        raise SystemExit(f"{path}: the PyTorch model has no place for {', '.join(sorted(unused))}")
