#!/usr/bin/env python3
"""Scores of odd sentences under every metric, written down from the definitions; nothing of src/ and nothing installed.

Writes tests/golden/metric_scores.json: `cases` (one sentence each, some with several references), `corpus` (all of them
as one test set), `lowercase` (what Python makes of capitals), `stems` (of words made up of every ending). Run it after a change: python3 tests/golden/make_metric_scores.py
"""
import functools
import hashlib
import json
import math
import os
import re
import string
from collections import Counter

CASES = [  # name, hypothesis, references
    ("equal", "the cat sat on the mat", ["the cat sat on the mat"]),
    ("empty hypothesis", "", ["the cat sat on the mat"]),
    ("empty reference", "the cat", [""]),
    ("both empty", "", [""]),
    ("only spaces", "   \t ", ["a  b"]),
    ("one word", "cat", ["cat"]),
    ("one wrong word", "dog", ["cat"]),
    ("shorter", "the cat sat", ["the cat sat on the old mat ."]),
    ("longer", "the cat sat on the mat and slept there all day", ["the cat sat on the mat"]),
    ("repeated words", "the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"]),
    ("swapped", "on the mat sat the cat", ["the cat sat on the mat"]),
    ("no match", "alpha beta gamma delta", ["one two three four"]),
    ("case", "The CAT Sat ON the Mat", ["the cat sat on the mat"]),
    ("punctuation", "Well, well: (what) is \"this\"?! No...", ["Well, well; [what] was 'this'?? No."]),
    ("decimals", "It cost 1,000.50 euros, or 3.5 % more.", ["It cost 1,000.5 euros, or 3,5% more."]),
    ("digit and stop", "In 1999. Then 2000, and 7.", ["In 1999, then 2000. And 7"]),
    ("hyphens", "a well-known 5-year-old 1990-2000 test-", ["a well known 5-year old 1990-2000 test -"]),
    ("entities", "&quot;A &amp; B&quot; &lt;b&gt; &amp;lt; x", ["\"A & B\" <b> < x"]),
    ("skipped", "a <skipped>b c", ["a b c"]),
    ("slashes and symbols", "50$/100€ a+b=c #1 @home ~x^2_y|z`", ["50 $ / 100 € a + b = c # 1 @ home"]),
    ("stops in a row", "Wait... what,,, 1..2 .,. ok", ["Wait . . . what , , , 1..2 ok"]),
    ("apostrophes", "it's the cats' can't O'Neill", ["its the cat's cannot O'Neill"]),
    ("umlauts", "Die Größe überraschte Jürgen, ähnlich schön.", ["Die Grösse überraschte Jürgen; ähnlich schöner."]),
    ("accents at the end", "voilà déjà là à", ["voilà, déjà là. à"]),
    ("czech", "Příliš žluťoučký kůň úpěl ďábelské ódy.", ["Příliš žlutý kůň pěl ďábelské ódy!"]),
    ("chinese", "我们今天去北京。 天气很好，对吗？", ["我们明天去北京。 天气很好， 是吗？"]),
    ("japanese", "東京は\u3000日本の 首都です", ["東京は 日本の首都です"]),
    ("greek capitals", "ΟΔΥΣΣΕΥΣ ΚΑΙ Ο ΣΟΦΟΣ.", ["οδυσσευς και ο σοφοσ."]),
    ("turkish and german capitals", "İSTANBUL STRASSE ẞ ŠKODA", ["i̇stanbul straße ß škoda"]),
    ("emoji", "good 👍🏽 job 😀!", ["good 👍 job 😀 !"]),
    ("no-break space", "10\u00a0000 pieces\u2009: yes", ["10 000 pieces : yes"]),
    ("arabic", "مرحبا بالعالم، كيف حالك؟", ["مرحبا بكم، كيف حالك؟"]),
    ("several references", "The dog bit the man.", ["The dog had bit the man.", "A man was bitten.", "The dog bit him."]),
    ("equally close references", "a b c d", ["a b c d e", "a b c", "a x c d e f"]),
    ("stems", "Flies and dying ponies were hopping happily; relational conditions",
     ["The fly died, a pony hops, happy relation condition"]),
    ("rouge", "Police killed the gunman; 3 dead", ["the gunman was killed by police, 3 died", "3 dead: police"]),
]


# ---- BLEU (Papineni 2002; smoothing of Chen and Cherry 2014; tokens of mteval-v13a) ----

def tokens_13a(line):
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("quot", '"'), ("amp", "&"), ("lt", "<"), ("gt", ">")):
        line = line.replace(f"&{entity};", character)
    apart = "".join(c for c in string.punctuation + " " if c not in "'-.,")
    line = re.sub("([" + re.escape(apart) + "])", r" \1 ", f" {line} ")
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)
    return re.sub(r"([0-9])-", r"\1 - ", line).split()


def grams(sequence, n):
    return Counter(tuple(sequence[i:i + n]) for i in range(len(sequence) - n + 1))


def bleu_counts(hypothesis, references, tokens, lower):
    prepare = lambda text: tokens((text.lower() if lower else text).rstrip())
    words, others = prepare(hypothesis), [prepare(reference) for reference in references]
    counts = {"hyp_len": len(words), "ref_len": min((abs(len(o) - len(words)), len(o)) for o in others)[1]}
    allowed = [functools.reduce(lambda a, b: a | b, (grams(o, n) for o in others)) for n in (1, 2, 3, 4)]
    counts["correct"] = [sum((grams(words, n) & allowed[n - 1]).values()) for n in (1, 2, 3, 4)]
    counts["total"] = [max(0, len(words) - n + 1) for n in (1, 2, 3, 4)]
    return counts


def bleu(counts, smooth, value=None, effective=False):
    hyp_len, ref_len = counts["hyp_len"], counts["ref_len"]
    if not any(counts["correct"]):
        return 0.0
    if smooth == "add-k":
        k = 1 if value is None else value
        correct = [c + k * (n > 0) for n, c in enumerate(counts["correct"])]
        total = [t + k * (n > 0) for n, t in enumerate(counts["total"])]
    else:
        correct, total = list(counts["correct"]), counts["total"]
    orders = [n for n in range(4) if total[n] > 0] if effective else range(4)
    zeros, logs = 0, 0.0
    for n in orders:
        if correct[n] == 0 and total[n] > 0:
            zeros += 1
            correct[n] = {"exp": 0.5 ** zeros, "floor": 0.1 if value is None else value}.get(smooth, 0)
        if correct[n] == 0 or total[n] == 0:
            return 0.0
        logs += math.log(correct[n] / total[n])
    return 100 * math.exp(min(0, 1 - ref_len / hyp_len)) * math.exp(logs / len(orders))


def add_counts(many):
    return {key: [sum(c[key][n] for c in many) for n in range(4)] if key in ("correct", "total") else
            sum(c[key] for c in many) for key in many[0]}


# ---- chrF (Popović 2015, 2017), averaged over the orders that exist on both sides ----

def chrf_words(text):
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def chrf_counts(hypothesis, references, word_order, lower):
    def pair(hyp, ref):
        rows = [(grams("".join(hyp.split()), n), grams("".join(ref.split()), n)) for n in range(1, 7)]
        rows += [(grams(chrf_words(hyp), n), grams(chrf_words(ref), n)) for n in range(1, word_order + 1)]
        return [[sum(h.values()) if r else 0, sum(r.values()), sum((h & r).values())] for h, r in rows]

    if lower:
        hypothesis, references = hypothesis.lower(), [reference.lower() for reference in references]
    return max((pair(hypothesis, reference) for reference in references), key=chrf)  # the first of equals


def chrf(rows):
    rows = [(h, r, m) for h, r, m in rows if h and r]
    if not rows:
        return 0.0
    precision = sum(m / h for h, r, m in rows) / len(rows)
    recall = sum(m / r for h, r, m in rows) / len(rows)
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision else 0.0


# ---- edit distance: of the shortest edits those with the fewest insertions and deletions ----

def edits(hypothesis, reference):
    h, r = list(hypothesis), list(reference)
    best = {(0, 0): (0, 0, 0, 0, 0)}  # errors, gaps, substitutions, deletions, insertions
    for i in range(len(r) + 1):
        for j in range(len(h) + 1):
            ways = []
            if i and j:
                e, g, s, d, n = best[i - 1, j - 1]
                ways.append((e, g, s, d, n) if r[i - 1] == h[j - 1] else (e + 1, g, s + 1, d, n))
            if i:
                e, g, s, d, n = best[i - 1, j]
                ways.append((e + 1, g + 1, s, d + 1, n))
            if j:
                e, g, s, d, n = best[i, j - 1]
                ways.append((e + 1, g + 1, s, d, n + 1))
            if ways:
                best[i, j] = min(ways)
    return [*best[len(r), len(h)][2:], len(r)]


# ---- Porter's stems (Porter 1980) with the extensions of NLTK; in each step the longest ending that fits decides ----

IRREGULAR = {"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "innings": "inning",
             "outings": "outing", "cannings": "canning"}
IRREGULAR |= {word: word for word in ("news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")}
STEP_2 = {"ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "entli": "ent",
          "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
          "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "fulli": "ful"}
STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP_4 = dict.fromkeys("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize".split(), "")


def shape(word):
    """c for a consonant and v for a vowel, letter by letter."""
    letters = ""
    for letter in word:
        letters += "v" if letter in "aeiou" or (letter == "y" and letters.endswith("c")) else "c"
    return letters


def measure(word):
    return len(re.findall("v+c+", shape(word)))


def short(word):
    return bool(re.search("cvc$", shape(word)) and word[-1] not in "wxy") or shape(word) == "vc"


def exchange(word, endings, least):
    fitting = [ending for ending in endings if word.endswith(ending)]
    if not fitting:
        return word
    ending = max(fitting, key=len)
    rest = word[:len(word) - len(ending)]
    return rest + endings[ending] if measure(rest) > least else word


def stem(word):
    if word in IRREGULAR or len(word) < 3:
        return IRREGULAR.get(word, word)
    word = re.sub("^(.)ies$", r"\1ie", word)
    word = re.sub("sses$", "ss", re.sub("ies$", "i", word)) if re.search("sses$|ies$", word) else re.sub(
        "([^s])s$", r"\1", word)
    if word.endswith("ied"):
        word = re.sub("i$", "ie" if len(word) == 4 else "i", word[:-2])
    elif word.endswith("eed"):
        word = word[:-1] if measure(word[:-3]) else word
    else:
        cut = re.fullmatch("(.*)(ed|ing)", word)
        if cut and "v" in shape(cut[1]):
            word = cut[1]
            if re.search("(at|bl|iz)$", word):
                word += "e"
            elif re.search(r"(.)\1$", word) and shape(word).endswith("c"):
                word = word if word[-1] in "lsz" else word[:-1]
            elif measure(word) == 1 and short(word):
                word += "e"
    if re.search("..y$", word) and shape(word[:-1]).endswith("c"):
        word = word[:-1] + "i"
    while word.endswith("alli") and measure(word[:-4]):
        word = word[:-2]
    word = word[:-1] if word.endswith("logi") and measure(word[:-3]) else exchange(word, STEP_2, 0)
    word = exchange(word, STEP_3, 0)
    if re.search("[st]ion$", word):
        word = word[:-3] if measure(word[:-3]) > 1 else word
    else:
        word = exchange(word, STEP_4, 1)
    if word.endswith("e") and (measure(word[:-1]) > 1 or (measure(word[:-1]) == 1 and not short(word[:-1]))):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and measure(word[:-1]) > 1 else word


def stem_words():
    """Every ending behind stems of every shape, and some endings behind others."""
    endings = [*STEP_2, *STEP_3, *STEP_4, "s", "ss", "sses", "ies", "ied", "ed", "eed", "ing", "y", "ly", "ally", "ion", "logy", "e", "ll"]
    words = [first + ending for first in ("b", "tr", "oat", "yell", "hopp", "geo", "commun", "syzyg", "relativ", "x1")
             for ending in endings]
    words += [first + a + b for first in ("rat", "hous", "electr") for a in ("ion", "iv", "al", "iz", "ful", "able", "ical")
              for b in ("s", "ed", "ing", "ly", "ness", "ity", "ation", "er", "ement")]
    words += ["y", "yy", "yyy", "yyyy", "toy", "by", "say", "syrup", "ing", "ed", "ied", "ies", "ssss", "aaaa", "a1s", *IRREGULAR]
    return sorted(set(words))


# ---- ROUGE (Lin 2004) with the words of the package rouge-score, F1 ----

def rouge(hypothesis, reference, stems=False):
    h, r = (re.findall("[a-z0-9]+", text.lower()) for text in (hypothesis, reference))
    if stems:
        h, r = ([stem(word) if len(word) > 3 else word for word in words] for words in (h, r))

    def f1(common, ours, theirs):
        if common == 0:
            return 0.0
        precision, recall = common / ours, common / theirs
        return 100 * 2 * precision * recall / (precision + recall)

    @functools.lru_cache(None)
    def common_subsequence(i, j):
        if i == len(h) or j == len(r):
            return 0
        if h[i] == r[j]:
            return 1 + common_subsequence(i + 1, j + 1)
        return max(common_subsequence(i + 1, j), common_subsequence(i, j + 1))

    by_grams = [f1(sum((grams(h, n) & grams(r, n)).values()), len(h) - n + 1, len(r) - n + 1) for n in (1, 2)]
    return [*by_grams, f1(common_subsequence(0, 0), len(h), len(r))]


# name, tokens, smoothing, its value, lower case
BLEUS = [
    ("exp", tokens_13a, "exp", None, False),
    ("none", tokens_13a, "none", None, False),
    ("floor", tokens_13a, "floor", None, False),
    ("floor[0.5]", tokens_13a, "floor", 0.5, False),
    ("add-k", tokens_13a, "add-k", None, False),
    ("add-k[2]", tokens_13a, "add-k", 2, False),
    ("lowercase", tokens_13a, "exp", None, True),
    ("tokenised", str.split, "none", None, False),
    ("tokenised exp", str.split, "exp", None, False),
]
CHRFS = [("chrf", 0, False), ("chrf++", 2, False), ("chrf lowercase", 0, True), ("chrf++ lowercase", 2, True)]


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def main():
    out, sums = [], {}
    for name, hypothesis, references in CASES:
        case = {"name": name, "hypothesis": hypothesis, "references": references}
        case["tokens_13a"] = [tokens_13a(text) for text in (hypothesis, *references)]
        case["lowercase"] = hypothesis.lower()
        case["sentence_bleu"] = {}
        for key, tokens, smooth, value, lower in BLEUS:
            counts = bleu_counts(hypothesis, references, tokens, lower)
            sums.setdefault(key, []).append(counts)
            case["sentence_bleu"][key] = bleu(counts, smooth, value, effective=True)
            if key == "exp":
                case["bleu_statistics"] = counts
        case["chrf"] = {}
        for key, order, lower in CHRFS:
            rows = chrf_counts(hypothesis, references, order, lower)
            sums.setdefault(key, []).append(rows)
            case["chrf"][key] = chrf(rows)
        case["word_edits"] = edits(hypothesis.split(), references[0].split())
        case["character_edits"] = edits(hypothesis.strip(), references[0].strip())
        case["rouge"] = [max(column) for column in zip(*(rouge(hypothesis, reference) for reference in references))]
        case["rouge_stem"] = [max(column) for column in
                              zip(*(rouge(hypothesis, reference, True) for reference in references))]
        case["exact"] = any(hypothesis.strip() == reference.strip() for reference in references)
        out.append(case)

    corpus = {"bleu": {}, "chrf": {}, "rouge": mean([case["rouge"] for case in out]),
              "rouge_stem": mean([case["rouge_stem"] for case in out])}
    for key, tokens, smooth, value, lower in BLEUS:
        corpus["bleu"][key] = bleu(add_counts(sums[key]), smooth, value)
    for key, _, _ in CHRFS:
        corpus["chrf"][key] = chrf([[sum(column) for column in zip(*order)] for order in zip(*sums[key])])
    for key in ("word_edits", "character_edits"):
        *kinds, length = (sum(column) for column in zip(*(case[key] for case in out)))
        corpus[key] = {"edits": [*kinds, length], "rate": 100 * sum(kinds) / length}
    corpus["exact"] = 100 * sum(case["exact"] for case in out) / len(out)

    points = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    lowercase = {
        "sha256": hashlib.sha256("\n".join(chr(c).lower() for c in points).encode()).hexdigest(),
        "spaces": [c for c in points if chr(c).isspace()],
        "texts": [[text, text.lower()] for text in
                  ("ΣΑΣ ΣΣ, Σ", "ΌΣΟΣ'Σ ΟΣ'", "AΣ.", "AΣ.B", "Σ1", "1Σ", "İI", "ÀÉÎÕÜ ẞ Ǆǅ", "ПРИВЕТ ҐЇ", "")],
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "metric_scores.json")
    text = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    with open(path, "w", encoding="utf-8") as file:  # one case per line, for the diff
        file.write('{"cases":[\n' + ",\n".join(map(text, out)) + "],\n")
        file.write(f'"corpus":{text(corpus)},\n"lowercase":{text(lowercase)},\n')
        file.write(f'"stems":{text([[word, stem(word)] for word in stem_words()])}}}\n')


if __name__ == "__main__":
    main()
