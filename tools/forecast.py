#!/usr/bin/env python3
"""Tests the verdict of `plumb probe` as a forecast: trains small configurations and compares what was foretold.

    tools/forecast.py train RUNS [--plumb BUILD/plumb]    trains what is not in RUNS yet
    tools/forecast.py probe RUNS                          asks the verdict about each
    tools/forecast.py table RUNS                          confusion matrices, for docs/results/verdict.md

A configuration belongs to the calibration half or to the held half by a hash of its name: thresholds were set on the
first alone. The form of the rule was changed once, after it had failed on the `unseen` set; `fresh` came after that.
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import subprocess
import sys

UPDATES = 300
# A run has trained if it ends below this share of the unigram entropy: it knows more than how often a token occurs.
TRAINED_BELOW = 0.7
SETTING = ["data.corpus=numbers", "data.numbers_max=99999", "data.vocab_size=90", "model.width=64", "model.ffn_width=128",
           "model.heads=4", "model.max_positions=128", "model.dropout=0.0", "model.share_all_embeddings=true",
           f"train.max_update={UPDATES}", "train.max_tokens=600", "train.label_smoothing=0.0", "train.log_interval=10",
           "train.tensorboard=false", "train.validate_interval=100", "train.save_interval=300", "train.keep_last=1",
           "schedule.name=constant", "threads=1"]


def configurations():
    """(variant, encoder layers, decoder layers, lr, warm-up)"""
    grid = list(itertools.product(("post_ln", "pre_ln", "b2t", "admin", "deepnorm"), ((3, 3), (12, 12)), (1e-3, 4e-3),
                                  (0, 100)))
    asymmetric = [(variant, depths, 2e-3, 0) for variant in ("post_ln", "pre_ln", "b2t")
                  for depths in ((2, 12), (12, 2))]
    deep = [(variant, (18, 18), 1e-3, warmup) for variant in ("post_ln", "pre_ln", "b2t") for warmup in (0, 100)]
    fast = [(variant, (6, 6), 2e-2, 0) for variant in ("post_ln", "pre_ln", "b2t", "deepnorm")]
    return [configuration(*one) for one in grid + asymmetric + deep + fast]


def unseen():
    """Chosen and trained after the first rule had been written down, which they refuted (balanced accuracy 0.58)."""
    wirings = ("post_ln", "pre_ln", "b2t", "admin", "deepnorm", "dlcl_pre", "residual_dual", "sandwich")
    return [configuration(variant, (8, 8), lr, 0) for variant in wirings for lr in (1.5e-3, 6e-3)]


def fresh():
    """Chosen and trained after the rule that stands: no eye had seen them."""
    wirings = ("post_ln", "b2t", "mix_ln", "t_fixup", "normformer", "hybrid_norm", "dlcl_post", "olmo2")
    return [configuration(variant, (9, 5), lr, 0) for variant in wirings for lr in (1e-3, 5e-3)]


def everything():
    return configurations() + unseen() + fresh()


def configuration(variant, depths, lr, warmup):
    return {"variant": variant, "encoder_layers": depths[0], "decoder_layers": depths[1], "lr": lr, "warmup": warmup}


def name_of(c):
    return f"{c['variant']}-{c['encoder_layers']}-{c['decoder_layers']}-lr{c['lr']:g}-w{c['warmup']}"


def half(c):
    """fresh, unseen, held or calibration"""
    if c in fresh():
        return "fresh"
    if c in unseen():
        return "unseen"
    return "held" if held(c) else "calibration"


def held(c):
    return hashlib.sha256(name_of(c).encode()).digest()[0] % 2 == 1


def settings(c):
    own = [f"model.variant={c['variant']}", f"model.encoder_layers={c['encoder_layers']}",
           f"model.decoder_layers={c['decoder_layers']}", f"optim.lr={c['lr']:g}", f"schedule.warmup_updates={c['warmup']}"]
    return list(itertools.chain.from_iterable(("--set", one) for one in SETTING + own))


def train(runs, plumb):
    for c in everything():
        run = runs / name_of(c)
        if (run / "done").exists():
            continue
        with open(runs / f"{name_of(c)}.log", "w", encoding="utf-8") as log:
            code = subprocess.run([plumb, "train", empty(runs), *settings(c), "--out", run, "--resume"], stdout=log,
                                  stderr=log, check=False).returncode
        if code not in (0, 5):
            sys.exit(f"{name_of(c)}: exit code {code}, see {log.name}")
        (run / "done").write_text(f"{code}\n", encoding="utf-8")


def empty(runs):
    """Everything is set on the command line."""
    file = runs / "forecast.toml"
    file.touch()
    return file


def records(file):
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def outcome(runs, c):
    """Whether it trained, the last validation loss, and the unigram entropy."""
    log = records(runs / name_of(c) / "log.jsonl")
    diverged = (runs / name_of(c) / "done").read_text(encoding="utf-8").strip() != "0"
    valid = [r["nll"] for r in log if r["type"] == "valid"]
    entropy = next(r["unigram_entropy"] for r in log if "unigram_entropy" in r)
    last = float("inf") if diverged or not valid else float(valid[-1])
    return last < TRAINED_BELOW * entropy, last, entropy


def probe(runs, plumb):
    for c in everything():
        file = runs / f"{name_of(c)}.probe.json"
        if file.exists():
            continue
        answer = subprocess.run([plumb, "probe", empty(runs), *settings(c), "--only",
                                 "gradient_norm,relative_gradient,step", "--json"], capture_output=True, text=True,
                                check=True)
        file.write_text(answer.stdout, encoding="utf-8")


def balanced_accuracy(pairs):
    """Of (foretold, happened): the mean of the shares that were right among those that trained and among the others."""
    shares = []
    for happened in (True, False):
        those = [foretold == happened for foretold, truth in pairs if truth == happened]
        if those:
            shares.append(sum(those) / len(those))
    return sum(shares) / len(shares)


def gradient_norm(answer):
    """The baseline: the norm of the whole gradient at the start."""
    curves = answer["arms"][0]["probes"]["gradient_norm"]["curves"]
    return sum(value ** 2 for curve in curves if curve["number"] == "layer" for value in curve["mean"]) ** 0.5


def best_threshold(values, trained):
    """Of all cuts, the one with the best balanced accuracy; foretold to train is what lies below it."""
    cuts = sorted(values)
    middles = [(a * b) ** 0.5 for a, b in zip(cuts, cuts[1:])] + [cuts[-1] * 2]
    return max(middles, key=lambda cut: balanced_accuracy([(v <= cut, t) for v, t in zip(values, trained)]))


def table(runs):
    rows = []
    for c in everything():
        answer = json.loads((runs / f"{name_of(c)}.probe.json").read_text(encoding="utf-8"))
        verdict = answer["arms"][0]["verdict"]
        trained, loss, entropy = outcome(runs, c)
        rows.append({"name": name_of(c), "half": half(c), "strain": verdict["strain"], "norm": gradient_norm(answer),
                     "foretold": verdict["will_train"], "trained": trained, "loss": loss / entropy})
    calibration = [row for row in rows if row["half"] == "calibration"]
    cut = best_threshold([row["norm"] for row in calibration], [row["trained"] for row in calibration])
    print("| configuration | half | strain | gradient norm | foretold | loss / unigram entropy | trained |")
    print("|---|---|---|---|---|---|---|")
    words = {True: "yes", False: "no"}
    for row in rows:
        print(f"| {row['name']} | {row['half']} | {row['strain']:.1f} | {row['norm']:.2f} | {words[row['foretold']]} | "
              f"{row['loss']:.2f} | {words[row['trained']]} |")
    print(f"\nbaseline: trains if the gradient norm is at most {cut:.3g}, the best cut of the calibration half\n")
    print("| half | rule | trained, foretold | trained, not foretold | failed, foretold to train | failed, foretold | "
          "balanced accuracy |")
    print("|---|---|---|---|---|---|---|")
    for name in ("calibration", "held", "unseen", "fresh"):
        those = [row for row in rows if row["half"] == name]
        for rule, says in (("verdict", lambda row: row["foretold"]), ("gradient norm", lambda row: row["norm"] <= cut)):
            pairs = [(says(row), row["trained"]) for row in those]
            count = [pairs.count(one) for one in ((True, True), (False, True), (True, False), (False, False))]
            print(f"| {name} | {rule} | {' | '.join(map(str, count))} | {balanced_accuracy(pairs):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("train", "probe", "table"))
    parser.add_argument("runs", type=pathlib.Path)
    parser.add_argument("--plumb", default="build/release/plumb")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    if options.action == "train":
        train(options.runs, options.plumb)
    if options.action == "probe":
        probe(options.runs, options.plumb)
    if options.action == "table":
        table(options.runs)


if __name__ == "__main__":
    main()
