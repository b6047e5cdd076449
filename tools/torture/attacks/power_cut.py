"""The power fails: of what was not synced, each piece is on the disk or not or rubbish. Then the run is resumed."""

import json
import re
from functools import cached_property

from attack import Attack, Failed
from disk_state import DiskState, read_record, write_disk


class PowerCut(Attack):
    name = "power_cut"
    about = "power cut at any call: unsynced writes and folder entries kept, dropped or garbled; then resume"
    share = 4.0
    short = 5

    def skip(self):
        return self.lab.no_shim()

    def count(self):
        return 500

    @cached_property
    def calls(self):
        """The record of one undisturbed run from a cold cache, with four checkpoints and two that are pruned."""
        folder = self.lab.folder("recorded")
        (folder / "tiny.toml").write_bytes((self.lab.prepared / "tiny.toml").read_bytes())
        log = self.lab.folder("record") / "log"
        self.lab.train(folder, env=self.lab.shim.environment("record", folder, log)).check(0)
        calls = read_record(log, folder)
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("other", "the recorded run has other weights than the undisturbed one")
        return calls

    def promised(self, cut):
        """The newest checkpoint that was in its place, and its folder synced, before the cut; None if there is none."""
        newest, renamed = None, None
        for call in self.calls[:cut]:
            number = re.fullmatch(r"run/checkpoints/(\d+)", call.other)
            if call.operation == "rename" and number:
                renamed = int(number[1])
            if call.operation == "fsync" and call.path == "run/checkpoints":
                newest = renamed
        return newest

    def run(self, case):
        draw = self.draw(case)
        # Most calls write tensors; cuts next to renames, syncs and removals are the interesting ones.
        edges = [at for at, call in enumerate(self.calls, 1) if call.operation != "write"]
        cut = draw.choice(edges) if draw.random() < 0.7 else draw.randint(0, len(self.calls))
        state = DiskState()
        for call in self.calls[:cut]:
            state.apply(call)
        folder, promised = self.lab.folder(), self.promised(cut)
        write_disk(state, draw, folder)
        (folder / "tiny.toml").write_bytes((self.lab.prepared / "tiny.toml").read_bytes())
        try:
            self.judge(folder, promised)
        except Failed as failed:
            last = f"{self.calls[cut - 1].operation} {self.calls[cut - 1].other or self.calls[cut - 1].path}" if cut else ""
            where = f"after call {cut} of {len(self.calls)} ({last})"
            raise Failed(failed.kind, f"{where}: {failed}") from None

    def judge(self, folder, promised):
        resumed = self.lab.train(folder).check(0, 2, 3, what="resume")
        if resumed.code != 0:
            if promised is not None:
                raise Failed("other", f"checkpoint {promised} was saved, but resume exited {resumed.code}: {resumed.said()}")
            if not resumed.complained():
                raise Failed("other", f"resume exited {resumed.code} without a word")
            return
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", f"resume exited 0 with other weights: {resumed.said()}")
        begun = resumed_from(folder / "run" / "log.jsonl")
        if promised is not None and begun < promised:
            raise Failed("other", f"checkpoint {promised} was saved, but the run resumed at update {begun}")


def resumed_from(log):
    """The update that the last process began at: 0 unless the log says that it resumed."""
    begun = 0
    for line in log.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # cut off by the power, too
            continue
        if isinstance(record, dict) and record.get("event") in ("resumed", "started"):
            begun = record["update"]
    return begun
