"""The batches that all workers of a run share: seeded, and as free of padding as sorting by length can make them."""

import itertools
import json
import math
import random

EOS, FIRST_WORD = 2, 4
MEAN_LENGTH, SHORTEST, LONGEST, SIGMA = 22, 4, 100, 0.6
POOL, TARGET_TOKENS = 40000, 4096
BLOCKS, BLOCK = 8, 256
SOURCES = 32


def length_near(rng, log_mean, sigma):
    while True:
        length = round(rng.lognormvariate(log_mean, sigma))
        if SHORTEST <= length <= LONGEST:
            return length


def length_pairs(rng):
    """(target, source) lengths of a corpus, </s> counted: log-normal, a translation about as long as its text."""
    log_mean = math.log(MEAN_LENGTH) - SIGMA * SIGMA / 2
    sources = [length_near(rng, log_mean, SIGMA) for _ in range(POOL)]
    return [(length_near(rng, math.log(s), 0.15), s) for s in sources]


def pair_batches(rng, count):
    """A shuffled choice of the batches of a sorted corpus. Sorted by target and then by source, a batch has nearly no
    padding on either side."""
    batches = [[]]
    for pair in sorted(length_pairs(rng)):
        if sum(target for target, _ in batches[-1]) + pair[0] > TARGET_TOKENS:
            batches.append([])
        batches[-1].append(pair)
    return rng.sample(batches[:-1], count)


def source_batches(rng, count):
    """Neighbours in a corpus that is sorted by length, as one sorts it to translate it."""
    lengths = sorted(source for _, source in length_pairs(rng))
    starts = [rng.randrange(0, POOL - SOURCES) for _ in range(count)]
    return [lengths[start:start + SOURCES] for start in starts]


def sentence(rng, length, cumulative):
    words = rng.choices(range(FIRST_WORD, FIRST_WORD + len(cumulative)), cum_weights=cumulative, k=length - 1)
    return words + [EOS]


def make(kind, count, vocabulary, seed):
    """Batches of `kind` (see workloads.py), each {"source": sentences, "target": sentences}."""
    rng = random.Random(f"{kind}/{seed}")
    # Words are as frequent as in a text: the k-th about 1 / k.
    cumulative = list(itertools.accumulate(1 / (k + 2.7) for k in range(vocabulary - FIRST_WORD)))

    def sentences(lengths):
        return [sentence(rng, length, cumulative) for length in lengths]

    if kind == "blocks":
        return [{"source": [], "target": sentences([BLOCK] * BLOCKS)} for _ in range(count)]
    if kind == "sources":
        return [{"source": sentences(lengths), "target": []} for lengths in source_batches(rng, count)]
    pairs = pair_batches(rng, count)
    return [{"source": sentences(s for _, s in batch), "target": sentences(t for t, _ in batch)} for batch in pairs]


def tokens(batch):
    return sum(map(len, batch["source"])) + sum(map(len, batch["target"]))


def write(path, batches):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(batches, file)
