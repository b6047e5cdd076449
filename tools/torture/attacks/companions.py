"""Campaigns that are programs of their own: the fuzzers of our parsers and the runs of the divergence guard."""

import subprocess
import sys
from pathlib import Path

from attack import Attack, Failed

HERE = Path(__file__).resolve().parent.parent


class Companion(Attack):
    """A script beside this package, if it is there; it has its own cases and says what it found."""

    script = ""
    long_only = True

    def skip(self):
        return None if (HERE / self.script).exists() else f"there is no tools/torture/{self.script}"

    def count(self):
        return 1

    def arguments(self):
        return ("--seed", str(self.lab.seed))

    def run(self, case):
        command = [sys.executable, str(HERE / self.script), *self.arguments()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
            raise Failed("other", f"tools/torture/{self.script} exited {done.returncode}: {said[-1][:300]}")


class Fuzz(Companion):
    name = "fuzz"
    about = "libFuzzer targets of every parser, with the address and undefined-behaviour sanitizers"
    script = "fuzz.py"
    share = 2.0

    def arguments(self):
        return ("--seconds", str(max(1, int(self.seconds))), *super().arguments())


class Guard(Companion):
    name = "guard"
    about = "runs that diverge are noticed, healthy ones are left alone"
    script = "guard_campaign.py"
    share = 2.0
