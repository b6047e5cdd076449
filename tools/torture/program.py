"""Runs plumb under a time limit and says what must never happen to it: crash, hang, internal error."""

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from attack import Failed

# 0 done, 2 the user's input, 3 damaged file, 4 disk, 5 diverged or stuck. 1 is a mistake of the program.
CLEAN = (0, 2, 3, 4, 5)
LONGEST_MESSAGE = 4000  # characters of one line of stderr


@dataclass
class Ended:
    code: int  # negative: the signal that ended it
    out: bytes
    err: bytes
    hung: bool
    seconds: float

    def said(self):
        """Its last complaint, shortened for a table."""
        lines = [line for line in self.err.decode(errors="replace").splitlines() if line.strip()]
        ours = [line for line in lines if line.startswith("plumb: ")]
        return (ours or lines or ["nothing on stderr"])[-1][:300]

    def complained(self):
        return any(line.startswith(b"plumb: ") for line in self.err.splitlines())

    def check(self, *allowed, what="plumb"):
        """Raises Failed for what is never right, and for an exit code that is not among those allowed."""
        # A shell, or a parent that passes its child's end on, says 128 + signal.
        died = -self.code if self.code < 0 else self.code - 128 if self.code in (132, 134, 135, 136, 139, 141, 153) else 0
        if self.hung:
            raise Failed("hang", f"{what} did not end within {self.seconds:.0f} s")
        if b"internal error" in self.err:
            raise Failed("internal error", f"{what}: {self.said()}")
        if died and self.code not in allowed:
            raise Failed("crash", f"{what} ended by {signal.Signals(died).name}: {self.said()}")
        if self.code not in (allowed or CLEAN):
            kind = "internal error" if self.code == 1 else "other"
            raise Failed(kind, f"{what} exited {self.code}: {self.said()}")
        if max(map(len, self.err.splitlines()), default=0) > LONGEST_MESSAGE:
            raise Failed("other", f"{what} wrote a line of {max(map(len, self.err.splitlines()))} bytes to stderr")
        return self


class Running:
    """A process in a session of its own, with its output in files: nobody has to read a pipe."""

    def __init__(self, command, stdin=b"", **options):
        self.out, self.err, given = (tempfile.TemporaryFile() for _ in range(3))
        if isinstance(stdin, bytes):
            given.write(stdin)
            given.seek(0)
            stdin = given
        self.begin = time.monotonic()
        files = {"stdin": stdin, "stdout": self.out, "stderr": self.err, **options}
        self.process = subprocess.Popen(list(map(str, command)), start_new_session=True, **files)
        given.close()

    def poll(self):
        return self.process.poll()

    def signal(self, number):
        """To the process; SIGKILL to its whole group, as a crash of the machine would. Nothing if it has ended: its number
        may be another's by then."""
        if self.process.poll() is None:
            (os.killpg if number == signal.SIGKILL else os.kill)(self.process.pid, number)

    def session(self):
        """The processes of its session that are still there."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(fields[3]) == self.process.pid and fields[0] not in "ZX":
                found.append(int(stat.parent.name))
        return found

    def end_session(self):
        """Kills what is left of it, and returns when nothing is."""
        while left := self.session():
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.01)

    def wait(self, limit):
        hung = False
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            hung = True
            self.end_session()
            self.process.wait()
        seconds = time.monotonic() - self.begin
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Ended(self.process.returncode, *texts, hung, seconds)


class Program:
    """plumb of one build. A command that takes longer than the limit hangs."""

    def __init__(self, folder, limit):
        self.plumb = str(Path(folder) / "plumb")
        self.limit = limit

    def start(self, *arguments, cwd, **options):
        return Running([self.plumb, *arguments], cwd=cwd, **options)

    def run(self, *arguments, cwd, limit=None, **options):
        return self.start(*arguments, cwd=cwd, **options).wait(limit or self.limit)

    def shell(self, script, cwd, limit=None, **options):
        """A script of bash in which $plumb is the program."""
        environment = {**os.environ, "plumb": self.plumb, **options.pop("env", {})}
        return Running(["bash", "-c", script], cwd=cwd, env=environment, **options).wait(limit or self.limit)
