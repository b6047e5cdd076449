"""Talk never ends a run: whatever happens to the standard files, training goes on, saves, and exits with its own code."""

import fcntl
import json
import os
import pty
import resource
import signal
import subprocess
import termios
import time
import unittest

from training import PLUMB, TrainingTest

# Two seconds of training, or as long as it takes to be interrupted.
SETTINGS = {"train.max_update": 30, "train.log_interval": 1, "model.width": 16, "model.heads": 2,
            "model.ffn_width": 32, "model.encoder_layers": 1, "model.decoder_layers": 1, "data.numbers_train": 400,
            "data.numbers_valid": 20, "train.validate_interval": 30, "train.save_interval": 0}
ENDLESS = {**SETTINGS, "train.max_update": 1000000, "train.validate_interval": 1000000, "train.log_interval": 10}


def closing(*numbers):
    """What a child does to be started without these standard files."""
    return lambda: [os.close(number) for number in numbers]


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


class TalkTest(TrainingTest):
    def run_plumb(self, *arguments, **options):
        return subprocess.run([PLUMB, *map(str, arguments)], cwd=self.folder, timeout=240, check=False,
                              **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options})

    def trained(self, out, **options):
        return self.run_plumb(*self.command(out, SETTINGS)[1:], **options)

    def assert_whole(self, out, update=30):
        """The run has its end and its checkpoint, and none of its files has a line that was meant for people."""
        self.assertEqual(self.records(out)[-1]["event"], "ended")  # and every line is JSON
        self.assertTrue((self.folder / out / "checkpoints" / str(update) / "state.json").exists())
        for path in (self.folder / out).rglob("*"):
            if path.is_file():
                self.assertNotIn(b"  epoch ", path.read_bytes(), path)


class Stderr(TalkTest):
    def test_that_cannot_be_written_does_not_end_a_run(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        for name, options in {
            "full": {"stderr": open("/dev/full", "wb")},
            "dead_tee": {"stderr": writer},
            "closed": {"preexec_fn": closing(2)},
            "closed_with_stdin": {"preexec_fn": closing(0, 2)},
            "all_closed": {"preexec_fn": closing(0, 1, 2)},
        }.items():
            with self.subTest(name):
                self.assertEqual(self.trained(name, **options).returncode, 0)
                self.assert_whole(name)

    def test_a_terminal_that_goes_away(self):
        controller, terminal = pty.openpty()
        process = subprocess.Popen(self.command("gone", SETTINGS), cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        os.read(controller, 1)  # it has said something
        os.close(controller)
        self.assertEqual(process.wait(240), 0)
        self.assert_whole("gone")

    def test_an_error_keeps_its_exit_code(self):
        for options in ({"stderr": open("/dev/full", "wb")}, {"preexec_fn": closing(2)}):
            self.assertEqual(self.run_plumb("nosuch", **options).returncode, 2)
            self.assertEqual(self.run_plumb("train", "none.toml", **options).returncode, 2)

    def test_a_warning_does_not_spoil_an_answer(self):
        self.assertEqual(self.trained("run", stderr=subprocess.DEVNULL).returncode, 0)
        done = subprocess.run([PLUMB, "generate", "run"], cwd=self.folder, input=b"one\nt\xffo\n", check=False,
                              stdout=subprocess.PIPE, stderr=open("/dev/full", "wb"), timeout=240)
        self.assertEqual((done.returncode, done.stdout.count(b"\n")), (0, 2))


class Stdout(TalkTest):
    def test_that_cannot_be_written_is_an_error(self):
        for options in ({"stdout": open("/dev/full", "wb")}, {"preexec_fn": closing(1), "stdout": None}):
            done = self.run_plumb("list", "variants", stderr=subprocess.PIPE, **options)
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stderr, rb"\Aplumb: stdout: cannot write [^\n]+\n\Z")

    def test_a_reader_who_has_seen_enough_is_not(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.run_plumb("list", "variants", stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, b""))


class Stdin(TalkTest):
    def test_closed(self):
        self.run_plumb("text", "dictionary", "--input", __file__, "--output", "dict.txt", stderr=subprocess.DEVNULL)
        for command in (("score", "bleu", "--ref", __file__),
                        ("text", "encode", "--dict", "dict.txt", "--subwords", "word")):
            done = self.run_plumb(*command, stdin=None, stderr=subprocess.PIPE, preexec_fn=closing(0))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rb"\Aplumb: stdin: is closed[^\n]+\n\Z")


class Signals(TalkTest):
    def start(self, out, settings=None, **options):
        process = subprocess.Popen(self.command(out, settings or ENDLESS), cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, **{"stderr": subprocess.DEVNULL, **options})
        self.addCleanup(process.kill)
        log = self.folder / out / "log.jsonl"
        until(lambda: process.poll() is not None or (log.exists() and '"train"' in log.read_text()))
        return process

    def assert_saved(self, out):
        last = self.records(out)[-1]
        self.assertEqual((last["event"], last["outcome"]), ("ended", "interrupted"))
        self.assert_whole(out, last["update"])

    def test_each_of_the_three_saves(self):
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                process = self.start(number.name)
                process.send_signal(number)
                self.assertEqual(process.wait(240), 128 + number)
                self.assert_saved(number.name)

    def test_a_closed_terminal_saves(self):
        controller, terminal = pty.openpty()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        process = self.start("hung_up", stderr=terminal, preexec_fn=take_terminal)
        os.close(terminal)
        os.close(controller)
        self.assertEqual(process.wait(240), 129)
        self.assert_saved("hung_up")

    def test_nohup(self):
        process = self.start("nohup", {**SETTINGS, "train.max_update": 300, "train.validate_interval": 300},
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(240), 0)
        self.assert_whole("nohup", 300)


class Limits(TalkTest):
    def test_on_file_sizes_is_a_full_disk(self):
        """The run's weights are larger than that; its log and its data are not."""
        self.assertEqual(self.trained("first", stderr=subprocess.DEVNULL).returncode, 0)  # the data is prepared
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
        done = self.trained("limited", stderr=subprocess.PIPE, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], rb"\Aplumb: [^\n]*File too large[^\n]*ulimit -f[^\n]*\Z")
        with open(self.folder / "page", "wb") as page:
            done = self.run_plumb("list", "config", stdout=page, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(done.returncode, 4, done.stderr)


class TensorBoard(TalkTest):
    def test_a_folder_that_cannot_be_made_is_one_line(self):
        (self.folder / "run").mkdir()
        (self.folder / "run" / "tensorboard").write_text("a file where a folder should be")
        done = self.trained("run", stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, rb"\Aplumb: [^\n]*run/tensorboard: cannot be created[^\n]+\n\Z")


class Json(TalkTest):
    def test_an_evaluation_is_a_line(self):
        self.assertEqual(self.trained("run", stderr=subprocess.DEVNULL).returncode, 0)
        done = self.run_plumb("evaluate", "run", "--split", "valid", "--json", stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout.count(b"\n"), done.stdout[-1:]), (0, 1, b"\n"))
        self.assertIn("loss", json.loads(done.stdout))


if __name__ == "__main__":
    unittest.main()
