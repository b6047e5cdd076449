"""Damaged checkpoints and edited runs: every reader refuses them in one line, a run falls back or refuses, nothing is lost."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from training import CONFIG, PLUMB, arguments

TINY = {"data.numbers_train": 300, "data.numbers_valid": 10, "data.numbers_max": 999, "data.vocab_size": 40, "model.width": 16,
        "model.heads": 2, "model.ffn_width": 16, "model.encoder_layers": 1, "model.decoder_layers": 1, "train.max_tokens": 200,
        "train.max_update": 15, "train.save_interval": 5, "train.validate_interval": 5, "train.keep_last": 0,
        "train.tensorboard": "false", "train.log_interval": 5}


def run_plumb(folder, *command, text=None):
    return subprocess.run([PLUMB, *map(str, command)], capture_output=True, text=True, cwd=folder, timeout=120, check=False,
                          input=text)


def train(folder, out, settings=None, *extra):
    return run_plumb(folder, "train", CONFIG, *arguments({**TINY, **(settings or {})}), "--out", out, *extra)


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="plumb_damage_")
        cls.addClassCleanup(folder.cleanup)
        cls.original = Path(folder.name)
        done = train(cls.original, "run")
        assert done.returncode == 0, done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_damage_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.folder / "run"
        shutil.copytree(self.original, self.folder, dirs_exist_ok=True)

    def checkpoint(self, update, name="model.safetensors"):
        return self.run_folder / "checkpoints" / str(update) / name

    def flip(self, update, name="model.safetensors", from_end=500):
        path = self.checkpoint(update, name)
        data = bytearray(path.read_bytes())
        data[-from_end] ^= 64
        path.write_bytes(data)

    def plumb(self, *command, text=None):
        return run_plumb(self.folder, *command, text=text)

    def generate(self, *extra):
        return self.plumb("generate", "run", *extra, text="seven\n")

    def assert_error(self, done, code, *parts):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def readers(self):
        """Every command that reads the weights of checkpoint 15."""
        restore = ["--set", "train.restore_file=run/checkpoints/15/model.safetensors"]
        pretrained = ["--set", "train.pretrained=run@15"]
        small = arguments({**TINY, "train.max_update": 1})
        yield "generate", self.generate("--checkpoint", "last")
        yield "average", self.generate("--average", "2")
        yield "evaluate", self.plumb("evaluate", "run", "--checkpoint", "last", "--split", "valid")
        yield "probe", self.plumb("probe", "run", "--only", "similarity")
        yield "restore_file", self.plumb("train", CONFIG, *small, *restore, "--out", "restored")
        yield "pretrained", self.plumb("train", CONFIG, *small, *pretrained, "--out", "tuned")

    def test_every_reader_refuses_a_flipped_bit_of_a_weight(self):
        for name, done in self.readers():
            self.assertEqual(done.returncode, 0, (name, done.stderr))
        for folder in ("restored", "tuned"):
            shutil.rmtree(self.folder / folder)
        self.flip(15)
        for name, done in self.readers():
            with self.subTest(name):
                self.assert_error(done, 3, "checkpoints/15/model.safetensors: does not match its checksum")

    def test_a_run_of_an_older_version_is_read_and_verified(self):
        path = self.checkpoint(15, "state.json")
        state = json.loads(path.read_text())
        del state["checksum"], state["xxh64"]
        path.write_text(json.dumps(state))
        whole = self.generate("--checkpoint", "15")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.flip(15)
        self.assert_error(self.generate("--checkpoint", "15"), 3, "does not match its checksum")

    def test_weights_of_another_checkpoint_are_refused(self):
        shutil.copy(self.checkpoint(10), self.checkpoint(15))
        self.assert_error(self.generate("--checkpoint", "15"), 3, "15/model.safetensors: does not match its checksum")
        self.assertEqual(self.generate("--checkpoint", "10").returncode, 0)

    def test_an_edited_config_is_refused_by_its_key(self):
        config = self.run_folder / "config.toml"
        text = config.read_text()
        edits = {"heads = 2": "heads = 4", 'activation = "relu"': 'activation = "gelu"', "norm_eps = 0.0": "norm_eps = 0.001",
                 "scale_embedding = true": "scale_embedding = false", "max_positions = 128": "max_positions = 64"}
        for before, after in edits.items():
            with self.subTest(after):
                self.assertIn(before, text)
                config.write_text(text.replace(before, after, 1))
                key = "model." + before.split()[0]
                self.assert_error(self.generate(), 2, f"{key} is ", "but checkpoint 15 was trained with ")
        config.write_text(text)
        done = self.plumb("evaluate", "run", "--split", "valid", "--set", "model.heads=4")
        self.assert_error(done, 2, "run: model.heads is 4, but checkpoint 15 was trained with 2")
        allowed = text.replace("beam = 5", "beam = 2", 1).replace("max_update = 15", "max_update = 99", 1)
        config.write_text(allowed.replace("\ndropout = 0.0", "\ndropout = 0.2", 1))
        self.assertEqual(self.generate().returncode, 0)

    def test_another_vocabulary_is_refused(self):
        model = self.run_folder / "vocabulary" / "source.model"
        data = bytearray(model.read_bytes())
        data[len(data) // 2] ^= 1
        model.write_bytes(data)
        self.assert_error(self.generate(), 3, "run/vocabulary: the source vocabulary changed since checkpoint 15")

    def test_a_state_that_is_anything_else_falls_back(self):
        expected = self.checkpoint(15).read_bytes()
        state = self.checkpoint(15, "state.json")
        whole = state.read_bytes()

        def batch(text):
            return json.dumps({**json.loads(text), "position": {**json.loads(text)["position"], "batch": -1}}).encode()

        makers = {"a pipe": lambda: os.mkfifo(state), "/dev/zero": lambda: state.symlink_to("/dev/zero"),
                  "a folder": state.mkdir, "batch": lambda: state.write_bytes(batch(whole))}
        for name, make in makers.items():
            with self.subTest(name):
                if state.is_dir():
                    state.rmdir()
                state.unlink(missing_ok=True)
                make()
                self.assert_error(self.generate("--checkpoint", "last"), 3, "15/state.json: ")
                done = train(self.folder, "run", {}, "--resume")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("trying the one before", done.stderr)
                self.assertEqual(self.checkpoint(15).read_bytes(), expected)

    def test_resume_refuses_a_run_without_a_whole_checkpoint_until_told_to_restart(self):
        expected = self.checkpoint(15).read_bytes()
        for update in (5, 10, 15):
            self.flip(update, "optimizer.safetensors")
        done = train(self.folder, "run", {}, "--resume")
        self.assertEqual(done.returncode, 3, done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertIn("no checkpoint is whole", last)
        for part in ("15/optimizer.safetensors", "10/optimizer.safetensors", "5/optimizer.safetensors", "--restart"):
            self.assertIn(part, last)
        self.assertEqual(self.checkpoint(15).read_bytes(), expected)  # the weights are all there
        self.assert_error(train(self.folder, "run"), 2, "holds a run already", "--restart")
        self.assert_error(train(self.folder, "run", {}, "--restart", "--resume"), 2, "--restart")
        done = train(self.folder, "run", {}, "--restart")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("run/checkpoints-1", done.stderr)
        self.assertEqual(self.checkpoint(15).read_bytes(), expected)
        for update in (5, 10, 15):
            self.assertTrue((self.run_folder / "checkpoints-1" / str(update) / "model.safetensors").exists())

    def test_what_was_just_saved_stays_though_a_damaged_one_has_a_higher_number(self):
        for update in (10, 15):
            self.flip(update)
        done = train(self.folder, "run", {"train.max_update": 7, "train.keep_last": 1}, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        left = {path.name for path in (self.run_folder / "checkpoints").iterdir()}
        self.assertIn("7", left)
        self.assertEqual(self.generate("--checkpoint", "7").returncode, 0)

    def test_a_run_that_another_process_prepares_is_taken(self):
        folder = self.folder / "new"
        folder.mkdir()
        lock = os.open(folder, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Before its data is looked at: there is none.
        done = train(self.folder, "new", {"data.corpus": "text", "data.train_source": "none", "data.train_target": "none",
                                          "data.valid_source": "none", "data.valid_target": "none"})
        self.assert_error(done, 2, "new: another process is training in it")

    def test_a_run_that_cannot_be_prepared_leaves_no_folder(self):
        done = train(self.folder, "new", {"data.corpus": "text", "data.train_source": "none", "data.train_target": "none",
                                          "data.valid_source": "none", "data.valid_target": "none"})
        self.assert_error(done, 2, "none")
        self.assertFalse((self.folder / "new").exists())


if __name__ == "__main__":
    unittest.main()
