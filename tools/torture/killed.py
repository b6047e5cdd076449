"""The commands that are killed: what each starts from, how it is started again, and what must be the same in the end."""

import hashlib
import json
import shutil
from functools import cached_property
from pathlib import Path

from lab import TINY, weights_and_state

PRETRAINED = """\
task = "masked_lm"
threads = 1
data = { corpus = "numbers", numbers_max = 199, examples_train = 60, examples_valid = 10, vocab_size = 60, cache = "cache" }
model = { width = 16, ffn_width = 32, heads = 2, encoder_layers = 2, max_positions = 128, next_sentence = true }
train = { max_update = 4, max_tokens = 200, tensorboard = false, save_interval = 4, validate_interval = 4 }
schedule = { name = "constant", warmup_updates = 0 }
"""
PAIRS = """\
task = "classification"
threads = 1
data = { corpus = "numbers", numbers_max = 199, examples_train = 60, examples_valid = 10, vocab_size = 60, cache = "cache" }
train = { max_update = 12, max_tokens = 200, tensorboard = false, save_interval = 3, validate_metric = "accuracy" }
optim = { lr = 2e-3 }
schedule = { name = "constant", warmup_updates = 0 }
"""
SWEEP = """\
config = "{config}"
threads = 1
[[arm]]
name = "slow"
optim.lr = 1e-3
[[arm]]
name = "fast"
optim.lr = 3e-3
"""
ENTRY = """\
id = "T-F1"
where = "Fig. 1"
title = "rates"
claim = "Both train."
[desk]
setting = "Tiny."
minutes = 0.1
sweeps = ["../sweep/tiny.toml"]
[[desk.probe]]
sweep = "tiny"
arm = "slow"
only = ["gradient_norm"]
[[expect]]
words = "the slow one trains"
rule = "outcome(slow) in {finished}"
[[expect]]
words = "the probe was made"
rule = "curve(slow, gradient_norm.loss) > 0"
"""
PROBE = {"threads": 1, "model.width": 16, "model.ffn_width": 32, "model.heads": 2, "model.encoder_layers": 2,
         "model.decoder_layers": 2, "model.source_vocab": 100, "model.target_vocab": 100, "probe.seeds": 1,
         "probe.batches": 1, "probe.batch_tokens": 60, "probe.curvature_pairs": 4, "probe.lanczos_steps": 80,
         "probe.lanczos_vectors": 1, "probe.curvature_blocks": "false", "probe.basis": "kept"}
CLOCK = ("seconds", "tokens_per_second", "made", "time")


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def without_times(value):
    """JSON but for what a clock decides."""
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in CLOCK}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def checkpoints(folder):
    """The newest checkpoint of every run below, by its path."""
    newest = {}
    for state in sorted(folder.rglob("checkpoints/[0-9]*/state.json"), key=lambda one: int(one.parent.name)):
        newest[str(state.parent.parent.relative_to(folder))] = state.parent.name + " " + weights_and_state(state.parent)
    return newest


class Killed:
    """One command: `arguments` start it and continue it; `outcome` is what has to be the same as without a kill."""

    name = ""
    arguments = ()
    saves_on_term = False  # whether SIGTERM ends it with 143 once it has begun

    def __init__(self, lab):
        self.lab = lab

    def prepare(self, folder):
        (folder / "tiny.toml").write_text(TINY)

    def outcome(self, folder, ended):
        raise NotImplementedError

    @cached_property
    def undisturbed(self):
        """(seconds, outcome) of a run that is left alone."""
        folder = self.fresh(self.name)
        ended = self.lab.good(*self.arguments, cwd=folder)
        return ended.seconds, self.outcome(folder, ended)

    @cached_property
    def start(self):
        folder = self.lab.folder(f"{self.name}-start")
        self.prepare(folder)
        return folder

    def fresh(self, name=""):
        folder = self.lab.folder(name)
        shutil.copytree(self.start, folder, dirs_exist_ok=True)
        return folder


class Train(Killed):
    name, saves_on_term = "train", True
    arguments = ("train", "tiny.toml", "--out", "run", "--resume")

    def outcome(self, folder, _):
        return checkpoints(folder)


class Prepare(Killed):
    name = "prepare"
    arguments = ("prepare", "tiny.toml")

    def outcome(self, folder, ended):
        kept = {str(file.relative_to(folder)): digest(file) for file in (folder / "cache").rglob("*")
                if file.is_file() and not file.name.startswith(".")}
        return kept, ended.out


class Sweep(Killed):
    name, saves_on_term = "sweep", True
    arguments = ("sweep", "s.toml", "--out", "out", "--cores", "1")

    def prepare(self, folder):
        shutil.copytree(self.lab.prepared, folder, dirs_exist_ok=True)
        (folder / "s.toml").write_text(SWEEP.format(config="tiny.toml"))

    def outcome(self, folder, _):
        return checkpoints(folder), without_times(json.loads((folder / "out" / "sweep.json").read_text()))


class Finetune(Killed):
    name, saves_on_term = "finetune", True
    arguments = ("finetune", "pairs.toml", "--from", "bert", "--seeds", "1", "--grid", "optim.lr=1e-4,1e-3", "--out",
                 "tuned", "--json")

    def prepare(self, folder):
        (folder / "bert.toml").write_text(PRETRAINED)
        (folder / "pairs.toml").write_text(PAIRS)
        self.lab.good("train", "bert.toml", "--out", "bert", cwd=folder)

    def outcome(self, folder, ended):
        return checkpoints(folder), without_times(json.loads(ended.out))


class Probe(Killed):
    name = "probe"
    arguments = ("probe", "tiny.toml", *(part for key, value in PROBE.items() for part in ("--set", f"{key}={value}")),
                 "--only", "curvature", "--json")

    def prepare(self, folder):
        (folder / "tiny.toml").write_text("")

    def outcome(self, _, ended):
        curves = json.loads(ended.out)["arms"][0]["probes"]["curvature"]["curves"]
        return [curve for curve in curves if "seconds" not in curve["number"]]


class Reproduce(Killed):
    name, saves_on_term = "reproduce", True
    arguments = ("reproduce", "T-F1", "--cores", "1", "--json")

    def prepare(self, folder):
        shutil.copytree(self.lab.prepared, folder, dirs_exist_ok=True)
        for name, text in (("sweep/tiny.toml", SWEEP.format(config="../../tiny.toml")), ("paper/T-F1.toml", ENTRY),
                           ("paper/paper.toml", 'title = "A paper"\ncitation = "Somebody 2020."\n')):
            file = Path(folder / "reproduce" / name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def outcome(self, folder, _):
        result = json.loads((folder / "docs" / "results" / "reproduce" / "T-F1.json").read_text())
        return checkpoints(folder), without_times(result)


ALL = (Train, Prepare, Sweep, Finetune, Probe, Reproduce)
