"""A small training run from outside, for the tests that need one."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
ROOT = Path(os.environ["PLUMB_SOURCE_DIR"])
CONFIG = str(ROOT / "configs" / "task" / "numbers.toml")
SMALL = {
    "data.numbers_train": 1500,
    "data.numbers_valid": 50,
    "data.numbers_max": 9999,
    "data.vocab_size": 60,
    "model.width": 32,
    "model.ffn_width": 64,
    "model.encoder_layers": 2,
    "model.decoder_layers": 2,
    "train.max_tokens": 400,
    "train.validate_interval": 25,
    "train.save_interval": 10,
    "train.log_interval": 10,
    "threads": 1,
}


def arguments(settings):
    return [part for key, value in {**SMALL, **settings}.items() for part in ("--set", f"{key}={value}")]


class TrainingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_train_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, out, settings, *extra):
        return [PLUMB, "train", CONFIG, *arguments(settings), "--out", str(self.folder / out), *extra]

    def train(self, out, settings, *extra):
        return subprocess.run(self.command(out, settings, *extra), capture_output=True, text=True, cwd=self.folder,
                              timeout=300, check=False)

    def records(self, out):
        return [json.loads(line) for line in (self.folder / out / "log.jsonl").read_text().splitlines()]

    def state(self, out, update):
        """One hash over weights, optimiser and the trainer's position."""
        folder = self.folder / out / "checkpoints" / str(update)
        total = hashlib.sha256()
        for name in ("model.safetensors", "optimizer.safetensors"):
            total.update((folder / name).read_bytes())
        state = json.loads((folder / "state.json").read_text())
        total.update(json.dumps([state["position"], state["guard"]], sort_keys=True).encode())
        return total.hexdigest()
