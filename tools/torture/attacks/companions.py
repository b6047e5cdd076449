"""Campaigns that are programs of their own: the fuzzers of our parsers and the runs of the divergence guard."""

import shutil
import subprocess
import sys
from pathlib import Path

from attack import Attack, Failed

HERE = Path(__file__).resolve().parent.parent
FUZZED = HERE.parents[1] / "tests" / "fuzz"
LONG_GUARD = 900  # seconds from which on every run of the guard's campaign is made, not every sixth


class Companion(Attack):
    """A script beside this package, if it is there; it has its own cases and says what it found."""

    script = ""
    long_only = True

    def skip(self):
        return None if (HERE / self.script).exists() else f"there is no tools/torture/{self.script}"

    def count(self):
        return 1

    def arguments(self):
        raise NotImplementedError

    def run(self, case):
        command = [sys.executable, str(HERE / self.script), *map(str, self.arguments())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout, flush=True)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
            raise Failed("other", f"tools/torture/{self.script} exited {done.returncode}: {said[-1][:300]}")


class Fuzz(Companion):
    name = "fuzz"
    about = "libFuzzer targets of every parser, with the address and undefined-behaviour sanitizers"
    script = "fuzz.py"
    share = 2.0

    def skip(self):
        return super().skip() or (None if shutil.which("clang++") else "there is no clang++, which libFuzzer is part of")

    def arguments(self):
        targets = len(list(FUZZED.glob("*.cpp")))
        return "--seconds", max(1, int(self.seconds / max(1, targets))), "--seed", self.lab.seed


class Guard(Companion):
    name = "guard"
    about = "runs that diverge are noticed, healthy ones are left alone"
    script = "guard_campaign.py"
    share = 2.0

    def arguments(self):
        return ["--plumb", self.lab.program.plumb, *(["--short"] if self.seconds < LONG_GUARD else [])]
