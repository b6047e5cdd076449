"""Several commands on one run: one trains, the others are refused or see whole checkpoints."""

import os
import signal
import time
from pathlib import Path

from attack import Failed, Listed

TRAIN = ("train", "tiny.toml", "--out", "run")
# A run that saves and prunes all the time, so that a reader meets it.
BUSY = ("--set", "train.max_update=400", "--set", "train.save_interval=1", "--set", "train.keep_last=1", "--set",
        "train.validate_interval=100", "--resume")
READERS = {
    "generate": ("generate", "run"),
    "generate --average": ("generate", "run", "--average", "3"),
    "evaluate": ("evaluate", "run", "--checkpoint", "last", "--split", "valid", "--json"),
    "report": ("report", "run", "-o", "page.html"),
}


class Concurrent(Listed):
    name = "concurrent"
    about = "several trains, prepares and sweeps in one place; readers beside a run that saves and prunes"
    short = 2

    def listed(self):
        for resume in ((), ("--resume",)):
            yield "four trains in one folder", self.trains, resume
            yield "four trains from a cold cache", self.trains, resume, False
        yield "a train that prepares while another trains and ends", self.slow_preparation
        yield "four prepares in one cache", self.prepares
        for reader in READERS:
            yield f"train beside {reader}", self.beside, reader

    def all(self, folder, commands):
        running = [self.lab.program.start(*command, cwd=folder) for command in commands]
        return [one.wait(2 * self.lab.program.limit) for one in running]

    def trains(self, resume, prepared=True):
        folder = self.lab.copy(self.lab.prepared)
        if not prepared:
            for file in sorted((folder / "cache").rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
        self.one_of(folder, self.all(folder, [(*TRAIN, *resume)] * 4), resume)

    def one_of(self, folder, ended, resume=()):
        """With --resume the slow may find a finished run, which is right; without, exactly one may train."""
        for one in ended:
            one.check(0, 2, what="train")
        done = sum(one.code == 0 for one in ended)
        if done == 0 or (done > 1 and not resume):
            raise Failed("other", f"{done} of {len(ended)} trains exited 0")
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", "the run has other weights")
        started = (folder / "run" / "log.jsonl").read_bytes().count(b'"event":"started"')
        if started != 1:
            raise Failed("other", f"the run was started {started} times")

    def slow_preparation(self):
        """The first one is held still while it prepares, until the second has ended."""
        folder = self.lab.copy(self.lab.prepared)
        slow = self.lab.program.start(*TRAIN, cwd=folder)
        held, deadline = [], time.monotonic() + self.lab.program.limit
        while not held and slow.poll() is None and time.monotonic() < deadline:
            held = [pid for pid in slow.session() if pid != slow.process.pid and stop_if(pid, b"prepare")]
        quick = self.lab.program.run(*TRAIN, cwd=folder)
        for pid in held:
            os.kill(pid, signal.SIGCONT)
        self.one_of(folder, [slow.wait(2 * self.lab.program.limit), quick])

    def prepares(self):
        folder = self.lab.folder()
        (folder / "tiny.toml").write_bytes((self.lab.prepared / "tiny.toml").read_bytes())
        ended = self.all(folder, [("prepare", "tiny.toml")] * 4)
        for one in ended:
            one.check(0, what="prepare")
        if len({one.out for one in ended}) != 1:
            raise Failed("silently wrong", "four prepares of one corpus differ")
        self.lab.train(folder).check(0, what="train")
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", "a run from their cache has other weights")

    def beside(self, reader):
        """Readers, one after the other, while the run goes on and deletes what they may be about to read."""
        folder = self.lab.copy(self.lab.half)
        training, read = self.lab.program.start(*TRAIN, *BUSY, cwd=folder), 0
        resumed, deadline = folder / "run" / "log.jsonl", time.monotonic() + self.lab.program.limit
        while training.poll() is None and b'"resumed"' not in resumed.read_bytes() and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            while training.poll() is None and read < 6:
                stdin = b"one\n" if READERS[reader][0] == "generate" else b""
                self.lab.program.run(*READERS[reader], cwd=folder, stdin=stdin).check(0, what=reader)
                read += 1
        finally:
            training.signal(signal.SIGTERM)
            ended = training.wait(self.lab.program.limit)
        ended.check(0, 128 + signal.SIGTERM, what="train")


def stop_if(pid, argument):
    """Stops a process if it was started with the argument."""
    try:
        if argument not in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            return False
        os.kill(pid, signal.SIGSTOP)
        return True
    except (OSError, ProcessLookupError):  # it has ended
        return False
