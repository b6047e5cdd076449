"""Writes bpe.json: how subword-nmt's rules split words, worked out by search over all pairs.

Written from the description of the method (Sennrich et al. 2016) and of the two file versions, with no thought for speed,
so that the queue in src/plumb/text/bpe.cpp has something to agree with.

    python3 tests/golden/make_bpe.py
"""

import collections
import json
import pathlib
import random

END = "</w>"
TEXT = """der Hund und der Hut sind im Garten , und die Hunde bellen laut in den Gärten der Häuser
lower lowest newer newest wider widest slower slowest low new wide slow lowly newly widely slowly
banana bananas ananas anagram mississippi mississippis sippi hahaha haha ha hahahaha
Straße Straßen straßenbahn größer größte groß Größe fließen fließt Fluss Flüsse
日本語 日本 日本人 本日 東京 東京都 京都 京都府 привет приветы привет мир миры мирный""".split()


def start(word, version):
    """The symbols that a word begins as."""
    if version == "0.1":
        return [*word, END]
    return [*word[:-1], word[-1] + END]


def merge(symbols, pair):
    """Every occurrence of the pair made one, from left to right."""
    result, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            result.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def learn(words, count, version):
    """The merges: again and again the most frequent pair, the alphabetically last of equals."""
    table = collections.Counter(words)
    state = {word: start(word, version) for word in table}
    codes = []
    for _ in range(count):
        pairs = collections.Counter()
        for word, symbols in state.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += table[word]
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        codes.append(best)
        state = {word: merge(symbols, best) for word, symbols in state.items()}
    return codes


def unmerge(piece, final, codes, known):
    """Takes merges back until the vocabulary knows every piece."""
    if (piece if final else piece + "@@") in known:
        return [piece]
    whole = piece + END if final else piece
    origins = [pair for pair in codes if pair[0] + pair[1] == whole]
    if not origins:
        return [piece]
    left, right = origins[0]
    if final:
        right = right[:-len(END)]
    return unmerge(left, False, codes, known) + (unmerge(right, final, codes, known) if right else [])


def split(word, codes, version, known=None):
    if len(word) == 1:
        return [word]
    symbols = start(word, version)
    while True:
        present = [pair for pair in codes if pair in set(zip(symbols, symbols[1:]))]
        if not present:
            break
        symbols = merge(symbols, present[0])
    if symbols[-1] == END:
        symbols.pop()
    elif symbols[-1].endswith(END):
        symbols[-1] = symbols[-1][:-len(END)]
    if known is not None:
        last = len(symbols) - 1
        symbols = [part for i, piece in enumerate(symbols) for part in unmerge(piece, i == last, codes, known)]
    return [piece + "@@" for piece in symbols[:-1]] + symbols[-1:]


def odd_words(codes, draw):
    """Words that the merges were not learned from: their symbols in any order, repeated, and foreign characters."""
    symbols = sorted({symbol.replace(END, "") for pair in codes for symbol in pair} - {""})
    words = ["".join(draw.choices(symbols, k=draw.randint(1, 8))) for _ in range(300)]
    words += ["x" * n for n in range(1, 9)] + ["a" * 17, "ha" * 20, "ananan" * 5, "ß", "é", "🙂", "🙂🙂", "a🙂b", "</w>", "@@", "ab</w>"]
    return words


def case(name, version, codes, words, vocabulary=None, threshold=0):
    known = None
    if vocabulary is not None:
        known = {token for token, count in vocabulary.items() if count >= threshold}
    return {
        "name": name,
        "version": version,
        "codes": [" ".join(pair) for pair in codes],
        "vocabulary": vocabulary,
        "threshold": threshold,
        "words": {word: " ".join(split(word, codes, version, known)) for word in words},
    }


def main():
    draw = random.Random(7)
    cases = []
    for version in ("0.1", "0.2"):
        codes = learn(TEXT, 120, version)
        words = sorted(set(TEXT)) + odd_words(codes, draw)
        cases.append(case(f"learned {version}", version, codes, words))
        counts = collections.Counter(piece for word in TEXT for piece in split(word, codes, version))
        cases.append(case(f"vocabulary {version}", version, codes, words, dict(sorted(counts.items())), 2))
        # In an order that no learner gives: a merge may come before those that make its parts.
        shuffled = codes[:]
        draw.shuffle(shuffled)
        cases.append(case(f"shuffled {version}", version, shuffled, words))
    path = pathlib.Path(__file__).with_name("bpe.json")
    path.write_text(json.dumps(cases, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
