"""plumb-engine from outside: the dry run, damaged weights, the demo."""

import json
import os
import resource
import struct
import subprocess
import tempfile
import unittest

BIN = os.environ["PLUMB_BIN_DIR"]
ROOT = os.environ["PLUMB_SOURCE_DIR"]
PLUMB = os.path.join(BIN, "plumb")
TINY = os.path.join(ROOT, "configs", "model", "tiny.toml")
MEGABYTE = 1 << 20


def run(*arguments, program=PLUMB):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300, check=False)


def peak_memory(*arguments):
    """Runs a command in a child of its own; gives its result and its peak resident size in bytes."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        done = run(*arguments)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        os.write(writer, json.dumps([done.returncode, done.stderr, peak]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


class DryRun(unittest.TestCase):
    def test_output_is_a_config_that_gives_the_same_output(self):
        first = run("train", TINY, "--set", "model.variant=b2t", "--dry-run")
        self.assertEqual(first.returncode, 0, first.stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(first.stdout)
            file.flush()
            second = run("train", file.name, "--dry-run")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(first.stdout, second.stdout)

    def test_parts_add_up_to_the_total(self):
        done = run("train", TINY, "--dry-run", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(sum(answer["parts"].values()), answer["parameters"])
        width, ffn, layers = 128, 256, 4
        self.assertEqual(answer["parts"]["encoder ffn"], layers * (2 * width * ffn + width + ffn))
        self.assertEqual(answer["parts"]["decoder encoder_attn"], layers * 4 * (width * width + width))

    def test_a_very_deep_model_is_counted_without_being_built(self):
        very_deep = os.path.join(ROOT, "configs/model/very_deep.toml")
        weights = json.loads(run("train", very_deep, "--dry-run", "--json").stdout)["memory"]["weights"]
        code, error, peak = peak_memory("train", very_deep, "--dry-run")
        self.assertEqual(code, 0, error)
        _, _, small = peak_memory("train", TINY, "--dry-run")
        # Two of its 72 layers are built, to measure what a step of each keeps.
        self.assertLess(peak - small, weights / 2)

    def test_memory_is_predicted(self):
        for recompute in ("false", "true"):
            with self.subTest(recompute=recompute), tempfile.TemporaryDirectory() as folder:
                numbers = ["train", os.path.join(ROOT, "configs/task/numbers.toml")]
                for setting in ["data.cache=" + os.path.join(folder, "cache"), "data.numbers_max=999999999",
                                "data.numbers_train=4000", "model.width=128", "model.ffn_width=512",
                                "train.max_tokens=4000", "train.max_update=8", "train.validate_interval=100",
                                "train.save_interval=100", "train.recompute=" + recompute]:
                    numbers += ["--set", setting]
                predicted = json.loads(run(*numbers, "--dry-run", "--json").stdout)["memory"]["total"]
                code, error, peak = peak_memory(*numbers, "--out", os.path.join(folder, "run"))
                self.assertEqual(code, 0, error)
                print(f"memory: predicted {predicted / MEGABYTE:.0f} MB, peak {peak / MEGABYTE:.0f} MB")
                self.assertLess(abs(predicted - peak), 0.1 * peak)

    def test_a_run_without_an_end_is_refused(self):
        done = run("train", TINY)
        self.assertEqual(done.returncode, 2)
        self.assertIn("train.max_update", done.stderr)

    def test_mistakes_are_one_line_and_exit_2(self):
        for arguments, wanted in [
            (["--set", "model.headz=4"], "model.heads"),
            (["--set", "model.heads=12"], "not divisible by 12"),
            (["--set", "model.variant=b2tt"], "b2t"),
            (["--set", "model.variant=admin", "--set", "model.placement=pre_ln"], "admin"),
            (["--set", "model.variant=b2t_no_ln", "--set", "model.final_norm=true"], "final norm"),
            (["--bogus"], "--bogus"),
        ]:
            done = run("train", TINY, "--dry-run", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(wanted, done.stderr)


class DamagedWeights(unittest.TestCase):
    """A file that is not what it says: one line, exit 3, no memory beyond the file's size plus 64 MB."""

    @classmethod
    def setUpClass(cls):
        code, error, cls.baseline = peak_memory("train", TINY, "--dry-run")
        assert code == 0, error

    def refuse(self, content, *wanted, exit_code=3):
        with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
            file.write(content)
            file.flush()
            code, error, peak = peak_memory("train", TINY, "--set", f"train.restore_file={file.name}", "--dry-run")
            self.assertEqual(code, exit_code, error)
            self.assertEqual(error.count("\n"), 1, error)
            self.assertIn(os.path.basename(file.name), error)
            for text in wanted:
                self.assertIn(text, error)
            self.assertLess(peak, self.baseline + len(content) + 64 * MEGABYTE)
            listed = run("inspect", file.name)
            return listed

    def test_truncated(self):
        whole = safetensors({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, bytes(16))
        for length in [0, 5, 8, 20, len(whole) - 1]:
            self.assertEqual(self.refuse(whole[:length]).returncode, 3)

    def test_oversized_header(self):
        self.assertEqual(self.refuse(safetensors({}, length=1 << 60)).returncode, 3)
        self.assertEqual(self.refuse(safetensors({}, length=99_999_999)).returncode, 3)

    def test_overlapping_offsets(self):
        entry = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
        other = {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]}
        self.assertEqual(self.refuse(safetensors({"a": entry, "b": other}, bytes(24))).returncode, 3)

    def test_overflowing_dimensions(self):
        entry = {"dtype": "F32", "shape": [1 << 32, 1 << 32], "data_offsets": [0, 0]}
        self.assertEqual(self.refuse(safetensors({"a": entry})).returncode, 3)
        entry = {"dtype": "F32", "shape": [1 << 61, 4], "data_offsets": [0, 16]}
        self.assertEqual(self.refuse(safetensors({"a": entry}, bytes(16))).returncode, 3)

    def test_unknown_type(self):
        entry = {"dtype": "F31", "shape": [4], "data_offsets": [0, 16]}
        self.assertEqual(self.refuse(safetensors({"a": entry}, bytes(16)), "F31").returncode, 3)

    def test_type_that_is_no_weight(self):
        name = "encoder.layers.0.self_attn.q_proj.bias"
        entry = {"dtype": "I64", "shape": [128], "data_offsets": [0, 1024]}
        self.assertEqual(self.refuse(safetensors({name: entry}, bytes(1024)), name, "I64").returncode, 0)

    def test_hostile_header(self):
        self.assertEqual(self.refuse(safetensors(b'{"a":' + b"[" * 20_000_000)).returncode, 3)
        self.assertEqual(self.refuse(safetensors(b'{"' + b"x" * 20_000_000)).returncode, 3)

    def test_weights_of_another_model_are_a_mistake_of_the_user(self):
        entry = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
        self.refuse(safetensors({"encoder.layers.0.fc1.biases": entry}, bytes(16)), "fc1.bias", exit_code=2)


class Demo(unittest.TestCase):
    def test_shows_every_variant(self):
        names = [row["name"] for row in json.loads(run("list", "variants", "--json").stdout)]
        self.assertGreaterEqual(len(names), 25)
        sizes = ["--set", "model.encoder_layers=2", "--set", "model.decoder_layers=3"]
        done = run("demo", "--starts", *sizes)
        self.assertEqual(done.returncode, 0, done.stderr)
        first_words = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
        for name in names:
            self.assertIn(name, first_words)
        self.assertNotIn("nan", done.stdout)


if __name__ == "__main__":
    unittest.main()
