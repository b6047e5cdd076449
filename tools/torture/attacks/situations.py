"""Situations that have gone wrong before, each set up by hand: nothing lost, nothing silently wrong, no internal error."""

import re
import shutil
import signal
import time

from attack import Failed, Listed
from attacks.audio import speech_run, tone
from lab import HALF, weights_and_state

NAN = ("optim.name=sgd", "optim.lr=1e38", "schedule.warmup_updates=0", "train.validate_interval=1", "train.save_interval=1",
       "train.max_update=8", "train.nonfinite_steps=50")
FOREVER = ("train.max_update=100000", "train.save_interval=100000", "train.validate_interval=100000", "train.keep_last=1")
TRAIN = ("train", "tiny.toml", "--out", "run", "--resume")


def spoil(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 64
    file.write_bytes(content)


def settings(pairs):
    return [part for one in pairs for part in ("--set", one)]


def numbered(folder):
    return sorted(int(one.name) for one in (folder / "run" / "checkpoints").glob("[0-9]*"))


class Situations(Listed):
    name = "situations"
    about = "every checkpoint damaged, pruning beside a damaged one, values not finite, replaced audio, links in reports"
    short = 2

    def listed(self):
        for name in ("model.safetensors", "optimizer.safetensors", "state.json"):
            yield f"{name} of every checkpoint is damaged", self.all_damaged, name
            yield f"{name} of the newest is damaged while pruning", self.pruning, name
        for command in ("resume", "generate", "evaluate"):
            yield f"a run that is not finite from its first validation on, {command}", self.not_finite, command
        yield "audio is replaced before resuming", self.replaced_audio
        yield "a report of a run whose config is a link", self.linked_report, "config.toml"
        yield "a report of a run whose log is a link", self.linked_report, "log.jsonl"

    def all_damaged(self, name):
        folder = self.lab.copy(self.lab.half)
        before = numbered(folder)
        for update in before:
            spoil(folder / "run" / "checkpoints" / str(update) / name)
        ended = self.lab.train(folder).check(0, 2, 3, what="resume")
        if ended.code == 0:
            raise Failed("other", f"resume exited 0 from nothing: {ended.said()}")
        if not set(before) <= set(numbered(folder)):
            raise Failed("other", f"checkpoints {before} became {numbered(folder)}")

    def pruning(self, name):
        """A damaged checkpoint has a higher number than the one that a signal saves: the new one has to stay."""
        folder = self.lab.copy(self.lab.half)
        checkpoints = folder / "run" / "checkpoints"
        shutil.copytree(checkpoints / str(HALF), checkpoints / "90000")
        spoil(checkpoints / "90000" / name)
        running = self.lab.program.start(*TRAIN, *settings(FOREVER), cwd=folder)
        log, deadline = folder / "run" / "log.jsonl", time.monotonic() + self.lab.program.limit
        while running.poll() is None and b'"update":20,' not in log.read_bytes() and time.monotonic() < deadline:
            time.sleep(0.01)
        running.signal(signal.SIGTERM)
        running.wait(self.lab.program.limit).check(128 + signal.SIGTERM, what="train at SIGTERM")
        saved = [update for update in numbered(folder) if HALF < update < 90000]
        if not saved:
            raise Failed("other", f"what SIGTERM saved is gone; there are {numbered(folder)}")

    def not_finite(self, command):
        folder = self.lab.copy(self.lab.prepared)
        self.lab.train(folder, *settings(NAN)).check(0, 5, what="train")
        if command == "resume":
            self.lab.train(folder, *settings(NAN)).check(0, 2, 3, 5, what="resume")
        elif numbered(folder):
            ended = self.lab.read(command, folder).check(0, 2, 3, 5, what=command)
            # NaN as the loss of evaluate speaks for itself; empty lines of generate do not.
            if ended.code == 0 and command == "generate" and re.search(rb"-inf\b|\bnan\b", ended.out) and not ended.complained():
                raise Failed("silently wrong", "generate printed lines with a score of -inf, exit 0, without a word")

    def replaced_audio(self):
        folder = self.lab.copy(speech_run(self.lab))
        for number in (0, 1):
            (folder / f"a{number}.wav").write_bytes(tone(number + 7, frames=3000 + 400 * number))
        last = folder / "run" / "checkpoints" / "3"
        before = weights_and_state(last)
        arguments = ("train", "speech.toml", "--out", "run", "--resume", "--set", "train.max_update=6")
        ended = self.lab.program.run(*arguments, cwd=folder).check(0, 2, what="resume")
        if ended.code == 0:
            raise Failed("silently wrong", "resumed with other recordings, exit 0, without a word")
        if weights_and_state(last) != before:
            raise Failed("other", "the refused resume changed the checkpoint")

    def linked_report(self, name):
        folder = self.lab.copy(self.lab.half)
        secret = folder / "secret"
        secret.write_text('{"type": "secret of somebody else"}\nsecret of somebody else\n')
        (folder / "run" / name).unlink()
        (folder / "run" / name).symlink_to(secret)
        self.lab.program.run("report", "run", "-o", "page.html", cwd=folder).check(0, 2, 3, what="report")
        page = folder / "page.html"
        if page.exists() and b"secret of somebody else" in page.read_bytes():
            raise Failed("other", f"the page shows what {name} links to")
