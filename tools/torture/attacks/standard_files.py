"""Standard input, output and error that are closed, full or die on the way: talk is lost, work is not."""

import fcntl
import json
import os
import pty
import signal
import termios
import time
from functools import partial

from attack import Failed, Listed

TRAIN = "$plumb train tiny.toml --out run"
GENERATE = "printf 'one\\n\\xff\\n' | $plumb generate run"
# Exit codes that are right, by what a command may lose. What goes to stdout is the result: it must not get lost unnoticed.
TALK = {
    "stderr is full": "2>/dev/full",
    "stderr is closed": "2>&-",
    "stdin and stderr are closed": "0<&- 2>&-",
    "all three are closed": "0<&- 1>&- 2>&-",
    "stdin and stdout are closed": "0<&- 1>&-",
    "stderr is only readable": "2</dev/null",
}
DEAD_READERS = {
    "the tee behind stderr has died": "( {} ; echo $? > code ) 2> >(head -n 1 > /dev/null)",
    "the tee behind both has died": "( {} ; echo $? > code ) 2>&1 | head -n 1 > /dev/null",
    "the reader never reads": "( {} ; echo $? > code ) 2>&1 | true",
}
OTHERS = (
    ("an unknown command with stderr full", "$plumb nosuch 2>/dev/full", (2,)),
    ("an unknown command with stderr closed", "$plumb nosuch 2>&-", (2,)),
    ("a warning with stderr full", GENERATE + " 2>/dev/full", (0,)),
    ("a warning with stderr closed", GENERATE + " 2>&-", (0,)),
    ("generate with stdout full", GENERATE + " 2>/dev/null >/dev/full", (4,)),
    ("generate with stdout closed", GENERATE + " 2>/dev/null >&-", (2, 4)),
    ("evaluate with stdout full", "$plumb evaluate run --json >/dev/full", (4,)),
    ("evaluate with stderr full", "$plumb evaluate run --json 2>/dev/full", (0,)),
    ("report with all three closed", "$plumb report run -o page.html 0<&- >&- 2>&-", (0, 4)),
    ("list with stdout full", "$plumb list variants >/dev/full", (4,)),
    ("prepare with stderr full", "$plumb prepare tiny.toml 2>/dev/full >/dev/null", (0,)),
    ("prepare with stdin and stderr closed", "$plumb prepare tiny.toml 0<&- 2>&- >/dev/null", (0,)),
    ("encode with stderr closed", "echo one | $plumb text encode --model run/vocabulary/source.model 2>&-", (0,)),
    ("encode with stdout full", "echo one | $plumb text encode --model run/vocabulary/source.model >/dev/full", (4,)),
)


class StandardFiles(Listed):
    name = "standard_files"
    about = "stdin, stdout, stderr closed, full, a dead tee, a terminal that goes away; then compare or resume"
    short = 3

    def listed(self):
        for label, how in TALK.items():
            yield f"train: {label}", self.train, f"{TRAIN} {how}"
        for label, how in DEAD_READERS.items():
            yield f"train: {label}", self.train, how.format(TRAIN)
        for label, script, codes in OTHERS:
            yield label, self.other, script, codes
        yield "train: its terminal goes away", self.terminal, False
        yield "train: its terminal goes away after nohup", self.terminal, True
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            yield f"train: {number.name} with stderr full", self.signalled, number

    def train(self, script):
        folder = self.lab.copy(self.lab.prepared)
        ended = self.lab.program.shell(script, folder)
        if (folder / "code").exists() and not ended.hung:
            ended.code = int((folder / "code").read_text() or 0)
        ended.check(0, what="train")
        self.compare(folder)

    def compare(self, folder):
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", "the run has other weights")
        only_data(folder / "run")

    def other(self, script, codes):
        folder = self.lab.copy(self.lab.whole)
        # A code above 128 in bash is a signal, and `set -e` is off: the last command of a pipe decides.
        self.lab.program.shell(script, folder).check(*codes)

    def begun(self, cwd, **options):
        """Training far from its end, which has made its first updates and has not saved."""
        intervals = ("max_update", "save_interval", "validate_interval")
        long = [part for key in intervals for part in ("--set", f"train.{key}=100000")]
        running = self.lab.program.start("train", "tiny.toml", "--out", "run", *long, cwd=cwd, **options)
        log, deadline = cwd / "run" / "log.jsonl", time.monotonic() + self.lab.program.limit
        while running.poll() is None and time.monotonic() < deadline:
            if log.exists() and b'"train"' in log.read_bytes():
                break
            time.sleep(0.01)
        return running

    def saved(self, folder, ended, code):
        ended.check(code, what="train")
        only_data(folder / "run")
        if not list((folder / "run" / "checkpoints").glob("[0-9]*")):
            raise Failed("other", f"nothing was saved: exit {ended.code}")

    def signalled(self, number):
        folder = self.lab.copy(self.lab.prepared)
        with open("/dev/full", "wb") as full:
            running = self.begun(folder, stderr=full)
            running.signal(number)
            self.saved(folder, running.wait(self.lab.program.limit), 128 + number)

    def terminal(self, nohup):
        folder = self.lab.copy(self.lab.prepared)
        master, slave = pty.openpty()

        def own_terminal():
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            if nohup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)

        files = {"stdin": slave, "stdout": slave, "stderr": slave, "preexec_fn": own_terminal}
        try:
            # With nohup nobody tells it to stop: a whole run, most of it without a terminal.
            start = self.begun if not nohup else partial(self.lab.program.start, *TRAIN.split()[1:])
            running = start(cwd=folder, **files)
        finally:
            os.close(slave)
            os.close(master)
        ended = running.wait(self.lab.program.limit)
        if nohup:
            ended.check(0, what="train")
            self.compare(folder)
        else:
            self.saved(folder, ended, 128 + signal.SIGHUP)


def only_data(run):
    """Status text must never end up in a file of the run."""
    for number, line in enumerate((run / "log.jsonl").read_bytes().splitlines(), 1):
        try:
            json.loads(line)
        except ValueError:
            raise Failed("other", f"log.jsonl, line {number} is not a record: {line[:80]!r}") from None
    for file in run.rglob("*"):
        if file.is_file() and file.suffix not in (".jsonl", ".log") and b"tok/s" in file.read_bytes():
            raise Failed("other", f"status text in {file.relative_to(run)}")
