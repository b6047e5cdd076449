"""Beam search in plain PyTorch: key/value caches, the encoder's keys and values shared by the beams of a sentence.

The length is fixed (no hypothesis may end before the last step), so that every program does the same work; this also
spares this one the bookkeeping of finished hypotheses.
"""

import math

import torch
from torch.nn import functional as F

from padding import EOS, PAD

FORBIDDEN = [0, PAD, EOS]  # <s>, padding and, before the end, </s>


class SelfCache:
    """Keys and values of what one layer has read: [T, N, H, K], time first, so that a step appends one slice."""

    def __init__(self, steps, rows, heads, size):
        self.buffers = [torch.empty(steps, rows, heads, size) for _ in range(4)]

    def attend(self, q, k, v, step):
        """q, k, v: [N, H, K]. Products and sums, because a batched product of single rows is slower."""
        keys, values = self.buffers[:2]
        keys[step], values[step] = k, v
        scores = (keys[:step + 1] * q).sum(-1)  # [t, N, H]
        weights = F.softmax(scores / math.sqrt(q.shape[-1]), 0)
        return (values[:step + 1] * weights[..., None]).sum(0)

    def reorder(self, rows, step):
        for i in (0, 1):
            torch.index_select(self.buffers[i][:step + 1], 1, rows, out=self.buffers[i + 2][:step + 1])
        self.buffers = self.buffers[2:] + self.buffers[:2]


class Step:
    """One layer of the decoder during a search."""

    def __init__(self, layer, memory, mask, beam, steps):
        self.layer, self.beam, self.mask = layer, beam, mask
        cross, sentences = layer.encoder_attn, memory.shape[1]
        # Contiguous: they are read once a step.
        self.keys, self.values = [x.contiguous() for x in cross.by_head(cross.kv(memory), 2)]
        self.cache = SelfCache(steps, sentences * beam, cross.heads, cross.size)

    def self_attention(self, x, step):
        attention = self.layer.self_attn
        q, k, v = attention.qkv(x).view(len(x), attention.heads, 3, attention.size).unbind(2)
        return attention.out(self.cache.attend(q, k, v, step).flatten(1))

    def cross_attention(self, x):
        attention = self.layer.encoder_attn
        # [N, D] -> [B * H, beam, K]: the beams of a sentence are the rows of one product.
        q = attention.q(x).view(-1, self.beam, attention.heads, attention.size).transpose(1, 2).flatten(0, 1)
        scores = torch.bmm(q, self.keys.transpose(1, 2)) / math.sqrt(attention.size)
        weights = F.softmax(scores if self.mask is None else scores + self.mask, -1)
        heads = torch.bmm(weights, self.values).view(-1, attention.heads, self.beam, attention.size)
        return attention.out(heads.transpose(1, 2).reshape(x.shape))

    def __call__(self, x, step):
        layer = self.layer
        x = layer.self_attn_norm(x + self.self_attention(x, step))
        x = layer.encoder_attn_norm(x + self.cross_attention(x))
        return layer.ffn_norm(x + layer.ffn(x))


@torch.inference_mode()
def search(model, source, beam, length):
    """Log-probability of the best hypothesis of each sentence and its `length` words; makes length + 1 steps."""
    memory, mask = model.encode(source)
    sentences = source.shape[1]
    layers = [Step(layer, memory, mask, beam, length + 1) for layer in model.decoder]
    scores = torch.full((sentences, beam), -math.inf)
    scores[:, 0] = 0  # at first all hypotheses are the same: one branches
    ids = torch.full((sentences * beam,), EOS)
    words = torch.empty(length, sentences * beam, dtype=torch.long)
    first_row = torch.arange(0, sentences * beam, beam)[:, None]
    for step in range(length + 1):
        x = model.embed(ids[None], step)[0]
        for layer in layers:
            x = layer(x, step)
        log_p = F.log_softmax(model.logits(x), -1)
        if step == length:
            scores += log_p[:, EOS].view(sentences, beam)
            break
        log_p[:, FORBIDDEN] = -math.inf
        # Each beam's best first: a short list is cheaper to sort than all words of all beams.
        best, candidates = log_p.topk(beam, sorted=False)
        scores, chosen = (best.view(sentences, beam, beam) + scores[:, :, None]).flatten(1).topk(beam)
        rows = (first_row + chosen // beam).flatten()
        ids = candidates.view(sentences, -1).gather(1, chosen).flatten()
        words[:step] = words[:step, rows]
        words[step] = ids
        for layer in layers:
            layer.cache.reorder(rows, step)
    best, place = scores.max(1)
    return best, words.t()[(first_row.squeeze(1) + place)]
