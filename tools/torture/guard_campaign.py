#!/usr/bin/env python3
"""Trains tiny runs, healthy ones and some made to diverge: one table of what the divergence guard made of them.

Bars: no healthy run ends as diverged; every run made to diverge does. Runs that never learn are shown without a bar:
they are stuck, not diverged. The rules are in docs/run-directory.md.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEALTHY, DIVERGING, NEVER_LEARNS = "healthy", "diverging", "never learns"

BASE = {
    "threads": 1,
    "train.log_interval": 1,
    "train.validate_interval": 50,
    "train.keep_last": 1,
    "train.tensorboard": False,
    "train.label_smoothing": 0.0,
    "data.subwords": "bpe",
    "data.vocab_size": 60,
    "model.width": 16,
    "model.ffn_width": 32,
    "model.heads": 2,
    "model.max_positions": 256,
    "model.dropout": 0.1,
    "train.max_tokens": 300,
    "optim.lr": 5e-3,
    "schedule.name": "constant",
    "schedule.warmup_updates": 20,
}
BOTH = {"model.encoder_layers": 2, "model.decoder_layers": 2}
ENCODER = {"model.encoder_layers": 2}
DECODER = {"model.decoder_layers": 2}
NUMBERS = {"data.corpus": "numbers", "data.numbers_max": 9999}
TASKS = {
    "translation": {**BOTH, **NUMBERS, "data.numbers_train": 4000, "data.numbers_valid": 100},
    "summarisation": {**BOTH, "data.corpus": "headline", "data.subwords": "word", "data.examples_train": 2000},
    "language_model": {**DECODER, **NUMBERS, "data.numbers_max": 999, "language_model.tokens_per_sample": 64},
    "masked_lm": {**ENCODER, **NUMBERS, "data.numbers_max": 999, "masked_lm.tokens_per_sample": 64},
    "classification": {**ENCODER, **NUMBERS, "data.examples_train": 4000},
    "speech": {**BOTH, "data.corpus": "morse", "data.examples_train": 300, "data.subwords": "character",
               "data.text_columns": [2], "speech.sample_rate": 8000, "speech.mel_bins": 16,
               "speech.normalise": "global", "speech.spec_augment": False, "model.subsampler_channels": 16,
               "model.scale_embedding": False, "model.max_positions": 1024, "train.max_tokens": 1000},
}
WIRINGS = ["admin", "pre_ln", "post_ln", "b2t"]


class Case:
    """A run: its settings, and the stretches that it is trained in: (updates, settings from there on)."""

    def __init__(self, kind, group, name, settings, *stretches, task="translation"):
        self.kind, self.group, self.name, self.task = kind, group, name, task
        self.settings = {**BASE, **TASKS[task], **settings}
        self.stretches = stretches
        self.changed_at = stretches[0][0] if len(stretches) > 1 else 0


def spike(kind, group, seed, wiring, start, factor, updates, then=300, task="translation", **more):
    """`factor` times the learning rate for so many updates, or until the end."""
    rate = BASE["optim.lr"]
    stretches = [(start, {}), (updates, {"optim.lr": rate * factor})]
    if then:
        stretches.append((then, {"optim.lr": rate}))
    name = f"{task} {wiring} x{factor} for {updates} at {start}, seed {seed}"
    return Case(kind, group, name, {"seed": seed, "model.variant": wiring, **more}, *stretches, task=task)


def report_cases():
    for seed in range(1, 13):
        settings = {"seed": seed, "model.variant": WIRINGS[seed % 4],
                    "model.dropout": [0.0, 0.3, 0.5, 0.7][seed // 3 % 4],
                    "train.max_tokens": [40, 60, 80, 100][seed // 2 % 4]}
        yield Case(HEALTHY, "wirings, dropout to 0.7, 40 to 100 tokens", f"seed {seed}", settings, (300, {}))


def task_cases():
    for number, task in enumerate(TASKS):
        length = 150 if task == "speech" else 300
        batch = TASKS[task].get("train.max_tokens", BASE["train.max_tokens"])
        small = 400 if task == "speech" else 70
        kinds = {
            "plain": {"train.max_tokens": 2 * batch},
            "small batches": {"train.max_tokens": small},
            "dropout 0.6": {"model.dropout": 0.6},
            "high rate": {"optim.lr": 0.03},
            "label smoothing 0.2, cosine": {"train.label_smoothing": 0.2, "schedule.name": "cosine"},
        }
        for name, settings in kinds.items():
            yield Case(HEALTHY, f"all tasks: {name}", task, {"seed": 20 + number, **settings}, (length, {}), task=task)


def learning_cases():
    """What the tiny models above hardly learn."""
    larger = {"model.width": 64, "model.ffn_width": 128, "model.heads": 4, "model.encoder_layers": 3,
              "model.dropout": 0.0, "train.max_tokens": 1024, "data.vocab_size": 120, "schedule.name": "linear"}
    for task, more in (("classification", {"data.examples_train": 16000, "optim.lr": 2e-3}),
                       ("masked_lm", {"optim.lr": 4e-3, "model.positions": "learned", "model.scale_embedding": False,
                                      "model.layernorm_embedding": True,
                                      "model.share_decoder_input_output_embed": True})):
        yield Case(HEALTHY, "larger models of two tasks", task, {"seed": 39, **larger, **more}, (500, {}), task=task)


def other_cases(variants):
    for number, variant in enumerate(variants):
        yield Case(HEALTHY, "every variant", variant, {"seed": 40 + number, "model.variant": variant, "optim.lr": 3e-3},
                   (150, {}))
    for seed in (61, 62, 63):
        tiny = {"seed": seed, "train.max_tokens": 40, "train.validate_interval": 100, "optim.lr": 2e-3}
        yield Case(HEALTHY, "one pair of sentences per batch", f"classification {seed}", tiny, (800, {}),
                   task="classification")
        yield Case(HEALTHY, "overfitting to 60 pairs", f"seed {seed}",
                   {"seed": seed, "data.numbers_train": 60, "model.width": 32, "model.dropout": 0.0}, (600, {}))
    for optimiser, rate in (("sgd", 0.5), ("adamw", 5e-3), ("radam", 5e-3)):
        for schedule in ("linear", "inverse_sqrt"):
            yield Case(HEALTHY, "optimisers and schedules", f"{optimiser} {schedule}",
                       {"seed": 64, "optim.name": optimiser, "optim.lr": rate, "schedule.name": schedule}, (300, {}))


def rate_cases():
    for seed in (71, 72):
        for wiring in ("admin", "pre_ln", "post_ln"):
            for rate in (0.02, 0.06):
                never = wiring == "post_ln" and rate > 0.05
                yield Case(NEVER_LEARNS if never else HEALTHY, "high rates without warm-up", f"{wiring} {rate} {seed}",
                           {"seed": seed, "model.variant": wiring, "optim.lr": rate, "schedule.warmup_updates": 0},
                           (400, {}))
    for seed in (74, 75):
        yield spike(HEALTHY, "rate x10, x30 that recovers", seed, "pre_ln", 300, 30, 300, then=0)
        yield spike(HEALTHY, "rate x10, x30 that recovers", seed, "b2t", 300, 30, 300, then=0)
        yield spike(HEALTHY, "rate x10, x30 that recovers", seed, "post_ln", 300, 10, 300, then=0)
        yield spike(HEALTHY, "rate x10, x30 that recovers", seed, "admin", 600, 10, 300, then=0)
        yield spike(HEALTHY, "spikes that recover", seed, "admin", 800, 100, 1)
        yield spike(HEALTHY, "spikes that recover", seed, "pre_ln", 800, 100, 1)
        yield spike(HEALTHY, "spikes that recover", seed, "post_ln", 800, 30, 1)
        yield spike(HEALTHY, "spikes that recover", seed, "pre_ln", 800, 30, 5)
        yield spike(HEALTHY, "spikes that recover", seed, "pre_ln", 300, 30, 1, task="language_model")


def data_cases(data):
    """Real text and speech, where it is at hand."""
    pairs = {"data.corpus": "text", "data.vocab_size": 500, "data.label_column": 1, "data.text_columns": [2, 3],
             "train.max_tokens": 400, "optim.lr": 1e-3}
    for name in ("mrpc", "rte"):
        files = {"data.train_source": str(data / name / "train.tsv"), "data.valid_source": str(data / name / "dev.tsv")}
        yield Case(HEALTHY, "real data", name, {**pairs, **files, "seed": 81}, (400, {}), task="classification")
    manifest = str(data / "fsdd" / "manifest.tsv")
    speech = {f"data.{split}_source": manifest for split in ("train", "valid", "test")}
    yield Case(HEALTHY, "real data", "fsdd", {**speech, "data.corpus": "text", "data.split_column": 1,
                                              "data.audio_column": 2, "data.text_columns": [5], "seed": 82}, (150, {}),
               task="speech")
    text = str(data / "tinyshakespeare" / "input.txt")
    yield Case(HEALTHY, "real data", "tinyshakespeare",
               {"data.corpus": "text", "data.train_source": text, "data.valid_source": text,
                "data.subwords": "character", "seed": 83, "train.validate_interval": 300}, (300, {}),
               task="language_model")


def diverging_cases():
    for seed, wiring, factor in ((91, "admin", 30), (92, "post_ln", 30), (91, "admin", 100), (92, "post_ln", 100),
                                 (93, "pre_ln", 100), (94, "b2t", 100)):
        yield spike(DIVERGING, f"rate x{factor} at update 300", seed, wiring, 300, factor, 300, then=0)
    for seed, wiring, factor in ((95, "post_ln", 30), (96, "admin", 30), (95, "pre_ln", 100), (96, "post_ln", 100)):
        yield spike(DIVERGING, f"rate x{factor} at update 1200", seed, wiring, 1200, factor, 300, then=0)
    for seed, wiring, start in ((97, "admin", 300), (98, "pre_ln", 300), (99, "post_ln", 1200)):
        yield spike(DIVERGING, "rate x1000", seed, wiring, start, 1000, 300, then=0)
    for seed, task in enumerate(("language_model", "summarisation", "speech"), start=102):
        yield spike(DIVERGING, "rate x100, other tasks", seed, "post_ln", 300, 100, 300, then=0, task=task)
    yield spike(DIVERGING, "10 updates at x30, then the old rate", 105, "post_ln", 300, 30, 10, then=290)
    yield spike(DIVERGING, "10 updates at x30, then the old rate", 106, "admin", 300, 30, 10, then=290)
    for seed, wiring in ((107, "admin"), (108, "pre_ln"), (109, "post_ln")):
        yield Case(DIVERGING, "rate 3 from the start", wiring, {"seed": seed, "model.variant": wiring, "optim.lr": 3.0},
                   (400, {}))
    for seed, rate in ((110, 1e38), (111, 1e6)):
        yield Case(DIVERGING, "overflow", f"sgd {rate:g}",
                   {"seed": seed, "model.variant": "b2t_no_ln", "optim.name": "sgd", "optim.lr": rate,
                    "schedule.warmup_updates": 0}, (200, {}))


def never_learning_cases():
    for seed, wiring in ((121, "admin"), (122, "post_ln")):
        yield Case(NEVER_LEARNS, "rate 0.3 from the start", wiring,
                   {"seed": seed, "model.variant": wiring, "optim.lr": 0.3}, (400, {}))
    yield Case(NEVER_LEARNS, "Post-LN 9-9 without warm-up", "post_ln",
               {"seed": 123, "model.variant": "post_ln", "model.encoder_layers": 9, "model.decoder_layers": 9,
                "optim.lr": 0.02, "schedule.warmup_updates": 0}, (200, {}))


def as_toml(value):
    return json.dumps(value)


def train(plumb, case, folder):
    """The outcome, and the updates after the change (or the start) at which the run ended."""
    config = folder / "config.toml"
    config.write_text(f'task = "{case.task}"\n')
    run, update, resume = folder / "run", 0, []
    settings = {**case.settings, "data.cache": str(folder.parent / "cache")}
    for updates, change in case.stretches:
        update += updates
        settings.update(change)
        settings.update({"train.max_update": update, "train.save_interval": update})
        command = [plumb, "train", config, "--out", run, *resume]
        command += [part for key, value in settings.items() for part in ("--set", f"{key}={as_toml(value)}")]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode not in (0, 5):
            return "failed", 0, done.stderr.strip().splitlines()[-1:]
        if done.returncode == 5:
            break
        resume = ["--resume", "--allow-changes"]
    events = [record for record in map(json.loads, (run / "log.jsonl").open()) if record["type"] == "event"]
    reason = next((event["reason"] for event in reversed(events) if "reason" in event), "")
    return events[-1]["outcome"], events[-1]["update"] - case.changed_at, [
        f"{100 * float(events[-1].get('unigram_share', 'NaN')):.0f} % of unigram at the end", reason]


def variants(plumb):
    listed = subprocess.run([plumb, "list", "variants", "--json"], capture_output=True, text=True, check=True).stdout
    return [row["name"] for row in json.loads(listed)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", type=Path, default=ROOT / "build" / "release" / "plumb", help="program to test")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="real data, if there is any")
    parser.add_argument("--only", choices=[HEALTHY, DIVERGING, NEVER_LEARNS], help="one kind of run")
    parser.add_argument("--short", action="store_true", help="every sixth run")
    parser.add_argument("--jobs", type=int, default=1, help="runs in parallel (default: 1)")
    parser.add_argument("--keep", type=Path, help="keep the run directories in this folder")
    return parser.parse_args()


def all_cases(given):
    cases = [*report_cases(), *task_cases(), *learning_cases(), *other_cases(variants(given.plumb)), *rate_cases()]
    if given.data.is_dir():
        cases += data_cases(given.data.resolve())
    cases += [*diverging_cases(), *never_learning_cases()]
    if given.only:
        cases = [case for case in cases if case.kind == given.only]
    return cases[::6] if given.short else cases


def table(results):
    rows = [f"{'runs':<46} {'kind':<13} {'tried':>5} {'diverged':>8} {'stuck':>5} {'after updates':>16}"]
    groups = {}
    for case, result in results:
        groups.setdefault((case.group, case.kind), []).append(result)
    for (group, kind), members in groups.items():
        after = sorted(update for outcome, update, _ in members if outcome == "diverged")
        span = f"{after[0]} to {after[-1]}" if after else ""
        stuck = sum(outcome == "stuck" for outcome, *_ in members)
        rows.append(f"{group:<46} {kind:<13} {len(members):>5} {len(after):>8} {stuck:>5} {span:>16}")
    return "\n".join(rows)


def main():
    given = arguments()
    cases = all_cases(given)
    given.plumb = given.plumb.resolve()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="guard-campaign-"))

    def attempt(numbered):
        number, case = numbered
        place = folder / str(number)
        place.mkdir(parents=True)
        result = train(given.plumb, case, place)
        print(f"{number + 1}/{len(cases)} {case.kind}: {case.group}: {case.name}: {result[0]} after {result[1]} "
              f"updates; {'; '.join(filter(None, result[2]))}", flush=True)
        if not given.keep:
            shutil.rmtree(place)
        return result

    with ThreadPoolExecutor(given.jobs) as pool:
        results = list(zip(cases, pool.map(attempt, enumerate(cases))))
    print("\n" + table(results))
    wrong = [(case, result) for case, result in results
             if result[0] == "failed" or (case.kind == HEALTHY and result[0] == "diverged")
             or (case.kind == DIVERGING and result[0] != "diverged")]
    for case, result in wrong:
        print(f"- {case.kind}: {case.group}: {case.name}: {result[0]}")
    caught = [result[1] for case, result in results if case.kind == DIVERGING and result[0] == "diverged"]
    healthy = sum(case.kind == HEALTHY for case, _ in results)
    alarms = sum(case.kind == HEALTHY and result[0] == "diverged" for case, result in results)
    tried = sum(case.kind == DIVERGING for case, _ in results)
    median = f", after {statistics.median(caught):.0f} updates (median)" if caught else ""
    print(f"\nguard: {alarms} false alarms in {healthy} healthy runs; {len(caught)} of {tried} caught{median}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
