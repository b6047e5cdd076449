"""The installed package from outside: it is installed into an empty prefix, the examples are built against it and run."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["PLUMB_BIN_DIR"])
SOURCE = Path(os.environ["PLUMB_SOURCE_DIR"])
TINY = ["model.width=16", "model.ffn_width=32", "model.heads=2", "model.encoder_layers=1", "model.decoder_layers=1"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def setting_of(key):
    cache = (BIN / "CMakeCache.txt").read_text()
    return next((line.split("=", 1)[1] for line in cache.splitlines() if line.startswith(f"{key}:")), "")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="plumb_examples_test_")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix, cls.build = Path(folder.name) / "prefix", Path(folder.name) / "build"
        run("cmake", "--install", BIN, "--prefix", cls.prefix)
        # A sanitizer's library can only be linked into a program that has the same one.
        sanitize = setting_of("PLUMB_SANITIZE")
        flags = f"-fsanitize={sanitize}" if sanitize not in ("", "OFF") else ""
        run("cmake", "-G", "Ninja", "-S", SOURCE / "examples", "-B", cls.build, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DCMAKE_CXX_FLAGS=-O0 " + flags)
        run("cmake", "--build", cls.build, "-j1")
        cls.environment = {**os.environ, "PATH": f"{cls.prefix}/bin:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}

    def test_programs_find_each_other_and_their_documents_are_there(self):
        self.assertRegex(run(self.prefix / "bin/plumb", "--version"), r"\Aplumb \d+\.\d+\.\d+")
        self.assertIn("usage: plumb train", run(self.prefix / "bin/plumb", "train", "--help").lower())
        self.assertTrue((self.prefix / "share/man/man1/plumb.1").exists())
        self.assertTrue((self.prefix / "share/bash-completion/completions/plumb").exists())
        self.assertTrue((self.prefix / "share/plumb/configs/model/tiny.toml").exists())

    def test_public_headers_are_installed_and_documented(self):
        document = (SOURCE / "docs/library.md").read_text()
        for line in (SOURCE / "cmake/public_headers.txt").read_text().splitlines():
            if header := line.split("#")[0].strip():
                self.assertTrue((self.prefix / "include/plumb" / header).exists(), header)
                self.assertIn(f"`{header}`", document)

    def test_a_training_step_lowers_the_loss(self):
        self.assertRegex(run(self.build / "train_step", env=self.environment), r"loss \d\.\d+ nats at the first step")

    def test_a_run_generates_what_plumb_generates(self):
        out = self.build / "run"
        sets = [word for pair in (*TINY, "train.max_update=2", "data.numbers_train=200", "data.numbers_valid=20",
                                  "data.vocab_size=60", "threads=1", f"data.cache={self.build}/cache")
                for word in ("--set", pair)]
        run(self.prefix / "bin/plumb", "train", SOURCE / "configs/task/numbers.toml", "--out", out, *sets,
            env=self.environment)
        lines = "one hundred two\nseven\n"
        ours = run(self.build / "generate", out, input=lines, env=self.environment)
        theirs = run(self.prefix / "bin/plumb", "generate", out, input=lines, env=self.environment)
        self.assertEqual(ours, theirs)
        self.assertEqual(len(ours.splitlines()), 2)

    def test_a_config_is_probed(self):
        config = self.prefix / "share/plumb/configs/model/tiny.toml"
        words = run(self.build / "probe", config, *TINY, "model.source_vocab=50", "model.target_vocab=50",
                    env=self.environment)
        self.assertIn("will train: yes", words)


class SubProject(unittest.TestCase):
    def test_it_gives_the_same_targets_and_configures_no_tests(self):
        with tempfile.TemporaryDirectory(prefix="plumb_sub_project_") as name:
            (Path(name) / "main.cpp").write_text("int main() {}\n")
            (Path(name) / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(Other LANGUAGES C CXX)\n"
                f"add_subdirectory({SOURCE} plumb)\nadd_executable(other main.cpp)\n"
                "target_link_libraries(other PRIVATE Plumb::plumb)\n")
            run("cmake", "-G", "Ninja", "-S", name, "-B", f"{name}/build")
            targets = run("ninja", "-C", f"{name}/build", "-t", "targets", "all")
            compiled = run("ninja", "-C", f"{name}/build", "-t", "commands", "other")
        self.assertNotIn("_test:", targets)
        self.assertNotIn("plumb-bench", targets)
        ours = next(line for line in compiled.splitlines() if line.endswith("main.cpp"))
        self.assertNotIn("-Wall", ours)  # its warnings are its own affair


if __name__ == "__main__":
    unittest.main()
