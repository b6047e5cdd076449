"""A Post-LN Transformer in plain PyTorch, written for speed on a CPU: an encoder-decoder, or a decoder alone.

Tensors are [T, B, D]. Queries, keys and values come from one matrix whose rows are ordered by head first, so that
each head's part is a strided view: no copy before the batched products.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from padding import PAD


def sinusoids(length, width):
    """fairseq's: sines, then cosines; the first token stands at position 2."""
    half = width // 2
    rates = torch.exp(torch.arange(half, dtype=torch.double) * -(math.log(10000.0) / (half - 1)))
    angles = torch.arange(2, length + 2, dtype=torch.double)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], 1).float()


def dropout(x, p, training):
    """F.dropout, in half the time on a CPU, where bernoulli_() draws its numbers more slowly than rand() does."""
    if not training or p == 0:
        return x
    return x * torch.rand_like(x).ge_(p).mul_(1 / (1 - p))


class Attention(nn.Module):
    def __init__(self, width, heads, dropout, cross):
        super().__init__()
        self.heads, self.size, self.dropout = heads, width // heads, dropout
        if cross:
            self.q = nn.Linear(width, width)
            self.kv = nn.Linear(width, 2 * width)
        else:
            self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def by_head(self, x, parts):
        """[T, B, parts * D] -> `parts` views [B * H, T, K]."""
        x = x.view(x.shape[0], x.shape[1] * self.heads, parts, self.size)
        return [part.transpose(0, 1) for part in x.unbind(2)]

    def forward(self, x, mask, memory=None):
        if memory is None:
            q, k, v = self.by_head(self.qkv(x), 3)
        else:
            (q,), (k, v) = self.by_head(self.q(x), 1), self.by_head(self.kv(memory), 2)
        scale = 1 / math.sqrt(self.size)
        if mask is None:
            scores = torch.baddbmm(q.new_empty(1, 1, 1), q, k.transpose(1, 2), beta=0, alpha=scale)
        else:
            scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
        weights = dropout(F.softmax(scores, -1), self.dropout, self.training)
        heads = torch.bmm(weights, v)  # [B * H, T, K]
        return self.out(heads.transpose(0, 1).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, ffn, heads, dropouts, cross):
        super().__init__()
        self.dropout, attention_dropout, self.activation_dropout = dropouts
        self.self_attn = Attention(width, heads, attention_dropout, cross=False)
        self.self_attn_norm = nn.LayerNorm(width)
        self.encoder_attn = Attention(width, heads, attention_dropout, cross=True) if cross else None
        self.encoder_attn_norm = nn.LayerNorm(width) if cross else None
        self.fc1, self.fc2 = nn.Linear(width, ffn), nn.Linear(ffn, width)
        self.ffn_norm = nn.LayerNorm(width)

    def add(self, norm, x, branch):
        return norm(x + dropout(branch, self.dropout, self.training))

    def ffn(self, x):
        hidden = F.relu(self.fc1(x), inplace=True)
        return self.fc2(dropout(hidden, self.activation_dropout, self.training))

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.add(self.self_attn_norm, x, self.self_attn(x, mask))
        if self.encoder_attn is not None:
            x = self.add(self.encoder_attn_norm, x, self.encoder_attn(x, memory_mask, memory))
        return self.add(self.ffn_norm, x, self.ffn(x))


class Transformer(nn.Module):
    def __init__(self, settings):
        super().__init__()
        width, ffn, self.heads = settings["model.width"], settings["model.ffn_width"], settings["model.heads"]
        dropouts = [settings[f"model.{kind}dropout"] for kind in ("", "attention_", "activation_")]
        self.dropout, self.scale = dropouts[0], math.sqrt(width)
        translates = settings["model.form"] == "encoder_decoder"
        self.embedding = nn.Parameter(torch.empty(settings["model.target_vocab"], width))  # and the output's matrix
        self.register_buffer("positions", sinusoids(1024, width)[:, None])

        def layers(count, cross):
            return nn.ModuleList([Layer(width, ffn, self.heads, dropouts, cross) for _ in range(count)])

        self.encoder = layers(settings["model.encoder_layers"] if translates else 0, False)
        self.decoder = layers(settings["model.decoder_layers"], translates)

    def embed(self, ids, position=0):
        x = F.embedding(ids, self.embedding) * self.scale + self.positions[position:position + len(ids)]
        return dropout(x, self.dropout, self.training)

    def padding_mask(self, ids):
        """[B * H, 1, S]: minus infinity at padding; None if there is none."""
        padding = ids.eq(PAD)
        if not padding.any():
            return None
        mask = torch.zeros(padding.shape).masked_fill_(padding, -math.inf)
        return mask.t().repeat_interleave(self.heads, 0)[:, None]

    def encode(self, source):
        mask, x = self.padding_mask(source), self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def forward(self, batch):
        """Features of the places that have a word to predict, [N, D]."""
        memory, memory_mask = self.encode(batch.source) if len(self.encoder) else (None, None)
        x = self.embed(batch.target_in)
        # Padding stands after all words, where causality already forbids to look.
        causal = torch.full((len(x), len(x)), -math.inf).triu_(1)
        for layer in self.decoder:
            x = layer(x, causal, memory, memory_mask)
        rows = x.flatten(0, 1)
        return rows if len(batch.target_rows) == len(rows) else rows.index_select(0, batch.target_rows)

    def logits(self, features):
        return F.linear(features, self.embedding)


def loss_of(model, batch, smoothing):
    """Label-smoothed cross-entropy over all words, the mean over the tokens.

    With l the logits of a token and t its target, it is -log p_t + smoothing * (l_t - mean(l)). The second part is a
    product of the features with rows of the matrix: the logits are passed over for the plain cross-entropy alone.
    F.cross_entropy(..., label_smoothing=) passes over them once more, forward and backward.
    """
    features = model(batch)
    loss = F.cross_entropy(model.logits(features), batch.target_out)
    if smoothing == 0:
        return loss
    towards = F.embedding(batch.target_out, model.embedding) - model.embedding.mean(0)
    return loss + smoothing * (features * towards).sum() / len(features)
