"""Training from outside: it learns, resumes bit for bit, stops politely, and says when it goes wrong."""

import hashlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
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


class Training(unittest.TestCase):
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

    def test_it_learns_and_translates_and_scores(self):
        done = self.train("run", {"train.max_update": 250, "schedule.warmup_updates": 50, "optim.lr": 3e-3})
        self.assertEqual(done.returncode, 0, done.stderr)
        valid = [record["nll"] for record in self.records("run") if record["type"] == "valid"]
        self.assertLess(valid[-1], 0.5 * valid[0])
        source = "seven\n\nforty-two\nnine\x00\xff\n"
        run = subprocess.run([PLUMB, "generate", str(self.folder / "run"), "--beam", "2"], input=source.encode("latin-1"),
                             capture_output=True, cwd=self.folder, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.decode().split("\n")
        self.assertEqual(len(lines), 5)
        self.assertEqual(lines[1], "")

    def test_a_killed_run_resumes_bit_for_bit(self):
        settings = {"train.max_update": 60, "train.update_freq": 2, "model.dropout": 0.2, "model.attention_dropout": 0.1,
                    "model.activation_dropout": 0.1, "model.variant": "admin"}
        whole = self.train("whole", settings)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        kills = 0
        moments = random.Random(5)
        for _ in range(40):
            process = subprocess.Popen(self.command("killed", settings, "--resume"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, cwd=self.folder)
            try:
                self.assertEqual(process.wait(moments.uniform(0.9, 3.0)), 0)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        self.assertGreaterEqual(kills, 1)
        self.assertEqual(self.state("whole", 60), self.state("killed", 60), f"after {kills} kills")

    def test_a_damaged_newest_checkpoint_falls_back_to_the_one_before(self):
        settings = {"train.max_update": 30}
        self.assertEqual(self.train("run", settings).returncode, 0)
        expected = self.state("run", 30)
        model = self.folder / "run" / "checkpoints" / "30" / "model.safetensors"
        model.write_bytes(model.read_bytes()[:-5])
        done = self.train("run", settings, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trying the one before", done.stderr)
        self.assertEqual(self.state("run", 30), expected)

    def test_a_signal_saves_and_ends_with_its_number(self):
        process = subprocess.Popen(self.command("run", {"train.max_update": 100000}), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        for _ in range(600):
            time.sleep(0.1)
            if (self.folder / "run" / "checkpoints" / "10").exists():
                break
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(5), 128 + signal.SIGTERM)
        self.assertEqual(self.records("run")[-1]["outcome"], "interrupted")
        self.assertEqual(self.train("run", {"train.max_update": 100000}).returncode, 2)  # there is a run already

    def test_changes_are_refused_on_resume_unless_allowed(self):
        self.assertEqual(self.train("run", {"train.max_update": 10}).returncode, 0)
        changed = {"train.max_update": 20, "optim.lr": 5e-4}
        refused = self.train("run", changed, "--resume")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("another config", refused.stderr)
        self.assertEqual(self.train("run", changed, "--resume", "--allow-changes").returncode, 0)

    def test_divergence_is_a_result(self):
        done = self.train("run", {"train.max_update": 200, "model.variant": "b2t_no_ln", "optim.name": "sgd",
                                  "optim.lr": 1e6, "schedule.name": "constant", "schedule.warmup_updates": 0})
        self.assertEqual(done.returncode, 5, done.stderr)
        events = {record["event"]: record for record in self.records("run") if record["type"] == "event"}
        self.assertIn("diverged", events)
        self.assertIn("nonfinite", events)
        self.assertTrue(events["nonfinite"]["tap"] or events["nonfinite"]["gradient_tap"])
        self.assertEqual(events["ended"]["outcome"], "diverged")

    def test_a_run_that_does_not_learn_is_stuck(self):
        done = self.train("run", {"train.max_update": 60, "optim.lr": 1e-9, "train.stuck_updates": 50})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.records("run")[-1]["outcome"], "stuck")


if __name__ == "__main__":
    unittest.main()
