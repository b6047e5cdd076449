"""The n-th call that changes the disk fails, finds no space, is the last one, or writes half; then the run is resumed."""

import errno
import re
from functools import cached_property

from attack import Attack, Failed
from lab import broken_checkpoints

FATES = (("once", errno.ENOSPC), ("once", errno.EIO), ("kill", 0), ("full", 0), ("short", 0))


def kind_of_call(operation, path):
    """Calls that differ only in numbers are of one kind: writing the ninth tensor is like writing the eighth."""
    return operation, re.sub(r"[0-9a-f]{12,}|\d+", "N", path)


class Disk(Attack):
    name = "disk"
    about = "n-th disk call fails (ENOSPC, EIO), stays full, is killed, or is a short write; then resume"
    share = 2.0
    short = 4

    def skip(self):
        return self.lab.no_shim()

    @cached_property
    def calls(self):
        """Every call of an undisturbed run from a cold cache, as (operation, path)."""
        folder, log = self.start()
        self.lab.train(folder, env=self.lab.shim.environment("count", folder, log)).check(0)
        return [(fields[0], fields[4]) for fields in (line.split("\t") for line in log.read_text().splitlines())]

    @cached_property
    def cases(self):
        """(fate, error, number of the call). Calls of rare kinds first: the n-th of each kind before any n+1-th."""
        draw, seen, ranked = self.draw("order"), {}, []
        numbered = list(enumerate(self.calls, 1))
        draw.shuffle(numbered)
        for number, (operation, path) in numbered:
            kind = kind_of_call(operation, path)
            for fate, error in FATES:
                if fate == "short" and operation != "write":
                    continue
                rank = seen[kind, fate, error] = seen.get((kind, fate, error), 0) + 1
                ranked.append((rank, draw.random(), fate, error, number))
        return [case[2:] for case in sorted(ranked)]

    def count(self):
        return len(self.cases)

    def start(self):
        folder = self.lab.folder()
        (folder / "tiny.toml").write_bytes((self.lab.prepared / "tiny.toml").read_bytes())
        return folder, self.lab.folder() / "log"  # outside of what the shim watches

    def run(self, case):
        fate, error, number = self.cases[case]
        folder, log = self.start()
        disturbed = self.lab.train(folder, env=self.lab.shim.environment(fate, folder, log, number, error))
        met = log.read_text().splitlines()
        operation, path = (met[0].split("\t")[0], met[0].split("\t")[4]) if met else ("nothing", "")
        path = path.replace(str(folder.resolve()) + "/", "")
        label = f"{fate} {errno.errorcode.get(error, '')} at call {number} ({operation} {path})"
        try:
            disturbed.check(*{"kill": (-9, 0), "short": (0,)}.get(fate, (0, 2, 4)), what="train")
            if disturbed.code == 0 and self.lab.final(folder) != self.lab.expected:
                raise Failed("silently wrong", "train exited 0 without the right last checkpoint")
            unsynced = operation == "fsync" and "checkpoints" in path and fate == "once"
            if unsynced and disturbed.code == 0 and not disturbed.complained():
                raise Failed("other", "a checkpoint that was not brought to the disk is not mentioned")
            for problem in broken_checkpoints(folder / "run"):
                raise Failed("other", f"a numbered checkpoint is not whole: {problem}")
            resumed = self.lab.train(folder).check(0, what="resume")
            if self.lab.final(folder) != self.lab.expected:
                raise Failed("silently wrong", f"resumed, but to other weights: {resumed.said()}")
        except Failed as failed:
            raise Failed(failed.kind, f"{label}: {failed}") from None
