"""Probing from outside: numbers, verdict, comparison, files, a run's checkpoints, and what bad input gets."""

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
ROOT = Path(os.environ["PLUMB_SOURCE_DIR"])
SMALL = {"model.width": 32, "model.ffn_width": 64, "model.heads": 4, "model.encoder_layers": 4, "model.decoder_layers": 4,
         "probe.seeds": 2, "probe.batches": 2, "probe.batch_tokens": 60, "probe.depths": "[2,4,8]", "threads": 1}
SIZES = {"model.source_vocab": 200, "model.target_vocab": 200}
NUMBERS = {"data.numbers_train": 500, "data.numbers_valid": 20, "data.numbers_max": 9999, "data.vocab_size": 60}


def settings(*groups):
    return [part for group in groups for key, value in group.items() for part in ("--set", f"{key}={value}")]


class Probing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_probe_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "empty.toml").touch()

    def plumb(self, *arguments):
        return subprocess.run([PLUMB, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=300, check=False)

    def probe(self, *extra, sizes=SIZES):
        return self.plumb("probe", "empty.toml", *settings(SMALL, sizes), *extra)

    def refused(self, where, *arguments):
        done = self.plumb(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(where, done.stderr)

    def test_ends_with_a_verdict_whose_sentences_name_their_rules(self):
        done = self.probe("--out", "found")
        self.assertEqual(done.returncode, 0, done.stderr)
        for about in ("forecast", "gradient", "shift", "dependency", "warm-up", "rate", "wiring"):
            self.assertIn(f"\n{about} ", done.stdout)
        self.assertEqual(done.stdout.count("[measured: ") + done.stdout.count("[theory: ") +
                         done.stdout.count("[rule of thumb: "), 10)
        self.assertLess(done.stdout.count("\n"), 60)  # a page
        self.assertIn("peak memory", done.stderr)
        records = [json.loads(line) for line in (self.folder / "found" / "probe.jsonl").read_text().splitlines()]
        types = {record["type"] for record in records}
        self.assertEqual(types, {"subject", "reading", "curve", "verdict"})
        self.assertEqual({r["seed"] for r in records if r["type"] == "reading"}, {1, 2})

    def test_json_holds_what_the_terminal_says(self):
        answer = json.loads(self.probe("--json").stdout)
        verdict = answer["arms"][0]["verdict"]
        self.assertIn(verdict["will_train"], (True, False))
        self.assertGreater(verdict["largest_rate"], 0)
        shares = [c for c in answer["arms"][0]["probes"]["dependency"]["curves"] if c["number"] == "beta"]
        self.assertTrue(all(len(c["at"]) == len(c["mean"]) for c in shares))

    # A deep Post-LN model at a large rate is what everything here is about.
    def test_tells_a_wiring_that_will_fail_from_one_that_will_not(self):
        deep = {"model.encoder_layers": 12, "model.decoder_layers": 12, "optim.lr": 0.004, "schedule.name": "constant",
                "schedule.warmup_updates": 0}
        done = self.plumb("probe", "empty.toml", *settings(SMALL, SIZES, deep), "--compare", "post_ln,pre_ln", "--only",
                          "relative_gradient,step", "--json")
        post, pre = (arm["verdict"] for arm in json.loads(done.stdout)["arms"])
        self.assertFalse(post["will_train"])
        self.assertTrue(post["needs_warmup"])
        self.assertTrue(pre["will_train"])
        self.assertGreater(pre["largest_rate"], 3 * post["largest_rate"])

    def test_compares_side_by_side(self):
        done = self.probe("--compare", "post_ln,b2t", "--only", "relative_gradient")
        self.assertRegex(done.stdout, r"probe +number +of +post_ln +b2t")

    def test_reads_a_corpus_and_the_checkpoints_of_a_run(self):
        training = {"train.max_update": 20, "train.save_interval": 10, "train.tensorboard": "false", "model.max_positions": 128}
        done = self.plumb("train", "empty.toml", *settings(SMALL, NUMBERS, training), "--out", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.plumb("probe", "run", "--only", "update,gradient_norm", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        probes = json.loads(done.stdout)["arms"][0]["probes"]
        largest = max(value for c in probes["update"]["curves"] if c["number"] == "update" for value in c["mean"])
        self.assertAlmostEqual(largest, 1)
        trained = next(c for c in probes["gradient_norm"]["curves"] if c["number"] == "loss")["mean"][0]
        fresh = self.plumb("probe", "empty.toml", *settings(SMALL, NUMBERS), "--only", "gradient_norm", "--json")
        untrained = next(c for c in json.loads(fresh.stdout)["arms"][0]["probes"]["gradient_norm"]["curves"]
                         if c["number"] == "loss")["mean"][0]
        self.assertLess(trained, untrained)
        self.refused("--checkpoint", "probe", "run", "--checkpoint", "7", "--only", "similarity")
        self.refused("--compare", "probe", "run", "--compare", "post_ln")

    # Killed in the middle, it goes on from the vectors it has: the same numbers as in one go.
    def test_goes_on_with_a_spectrum_that_was_interrupted(self):
        tiny = {**SMALL, "probe.seeds": 1, "probe.curvature_pairs": 4, "probe.lanczos_steps": 30, "probe.lanczos_vectors": 1,
                "probe.curvature_blocks": "false"}
        command = ["probe", "empty.toml", *settings(tiny, SIZES), "--only", "curvature", "--json"]
        whole = self.plumb(*command)
        part = subprocess.Popen([PLUMB, *command, "--set", "probe.basis=kept"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder)
        states = self.folder / "kept"
        while part.poll() is None and not list(states.glob("*.json")):
            time.sleep(0.01)
        part.kill()
        part.communicate()
        again = self.plumb(*command, "--set", "probe.basis=kept")

        def number(done, name):
            curves = json.loads(done.stdout)["arms"][0]["probes"]["curvature"]["curves"]
            return next(c for c in curves if c["number"] == name)["mean"][0]

        for name in ("largest", "smallest", "adam_largest"):
            self.assertAlmostEqual(number(whole, name) / number(again, name), 1, places=5)

    def test_bad_input_gets_one_line(self):
        self.refused("--only", "probe", "empty.toml", "--only", "gradient")
        self.refused("update needs", "probe", "empty.toml", "--only", "update")
        self.refused("model.variant", "probe", "empty.toml", "--compare", "post_ln,prel")
        self.refused("probe.seeds", "probe", "empty.toml", "--set", "probe.seeds=0")
        self.refused("probe.depths", "probe", "empty.toml", "--set", "probe.depths=[4,0]")
        self.refused("nothing.toml", "probe", "nothing.toml")


if __name__ == "__main__":
    unittest.main()
