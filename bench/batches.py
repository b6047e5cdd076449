"""The batches that all workers of a run share: seeded, and as free of padding as sorting by length can make them."""

import itertools
import json
import math
import random

EOS, FIRST_WORD = 2, 4
MEAN_LENGTH, SHORTEST, LONGEST, SIGMA = 22, 4, 100, 0.6
POOL, TARGET_TOKENS = 160000, 4096  # pairs of a usual corpus, and how many of their tokens make a batch
BUCKET_WIDTHS = (1.0, 1.02, 1.05, 1.1, 1.15, 1.2)
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


def snake(pairs, width):
    """Sorted by target length in buckets that are `width` times as long as they are short, and by source length within
    each, up and down in turns: neighbours are alike on both sides, also from one bucket to the next."""
    def bucket(pair):
        return pair[0] if width == 1 else int(math.log(pair[0]) / math.log(width))

    result = []
    for number, (_, group) in enumerate(itertools.groupby(sorted(pairs), key=bucket)):
        result += sorted(group, key=lambda pair: pair[1], reverse=number % 2 == 1)
    return result


def cut(pairs):
    """Into batches of about TARGET_TOKENS target tokens."""
    batches, size = [[]], 0
    for pair in pairs:
        if size + pair[0] > TARGET_TOKENS:
            batches.append([])
            size = 0
        batches[-1].append(pair)
        size += pair[0]
    return batches[:-1]


def padded_tokens(batches):
    return sum(len(batch) * (max(t for t, _ in batch) + max(s for _, s in batch)) for batch in batches)


def pair_batches(rng, count):
    """A random choice of the batches of a corpus, which is sorted in the way that leaves the least padding."""
    pairs = length_pairs(rng)
    return rng.sample(min((cut(snake(pairs, width)) for width in BUCKET_WIDTHS), key=padded_tokens), count)


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
