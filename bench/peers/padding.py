"""Sentences as padded tensors, time first: [T, B] needs no copy to become one matrix per head."""

import dataclasses
from typing import Optional

import torch

PAD, EOS = 1, 2


def padded(sentences):
    ids = torch.full((max(map(len, sentences)), len(sentences)), PAD, dtype=torch.long)
    for column, sentence in enumerate(sentences):
        ids[:len(sentence), column] = torch.tensor(sentence)
    return ids


@dataclasses.dataclass
class Batch:
    source: Optional[torch.Tensor]  # [S, B]; a language model has none
    target_in: Optional[torch.Tensor]  # [T, B], shifted: it starts with </s>
    target_rows: Optional[torch.Tensor]  # [N]: which of the T * B places hold a word to predict
    target_out: Optional[torch.Tensor]  # [N]: those words


def batch_of(sentences):
    """From {"source": lists, "target": lists}."""
    source, target = sentences["source"], sentences["target"]
    sources = padded(source) if source else None
    if not target:
        return Batch(sources, None, None, None)
    shifted = padded([[EOS] + sentence[:-1] for sentence in target])
    out = padded(target).flatten()
    rows = out.ne(PAD).nonzero().squeeze(1)
    return Batch(sources, shifted, rows, out[rows])
