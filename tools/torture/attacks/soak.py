"""2,000 updates with validations and saves: memory and open files do not grow."""

import os
import time
from pathlib import Path

from attack import Attack, Failed

UPDATES = 2000
MOST_GROWTH = 1024  # kB, after the first half
LONG = [part for setting in (f"max_update={UPDATES}", "validate_interval=50", "save_interval=20", "validate_metric=bleu",
                             "log_interval=10") for part in ("--set", f"train.{setting}")]


def resident(pid):
    """kB of memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class Soak(Attack):
    name = "soak"
    about = "2,000 updates with validation, BLEU and 100 saves: memory grows by at most 1 MB, open files stay as many"
    long_only = True

    def count(self):
        return 1

    def run(self, case):
        folder = self.lab.copy(self.lab.prepared)
        running = self.lab.program.start("train", "tiny.toml", "--out", "run", *LONG, cwd=folder)
        samples, log = [], folder / "run" / "log.jsonl"
        while running.poll() is None:
            try:
                seen = log.read_bytes().count(b'"type":"train"') * 10
                samples.append((seen, resident(running.process.pid), len(os.listdir(f"/proc/{running.process.pid}/fd"))))
            except OSError:  # not yet, or not any more
                pass
            time.sleep(0.2)
        running.wait(1).check(0, what="train")
        warm = [sample for sample in samples if UPDATES // 4 <= sample[0] < UPDATES]
        quarter = max(1, len(warm) // 4)
        early, late = (max(memory for _, memory, _ in part) for part in (warm[:quarter], warm[-quarter:]))
        files = sorted({count for _, _, count in warm})
        if late - early > MOST_GROWTH:
            raise Failed("other", f"memory grew from {early:,} to {late:,} kB between updates {warm[0][0]} and {warm[-1][0]}")
        # A validation or a save has a file or two open for a moment.
        if max(count for _, _, count in warm[-quarter:]) > max(count for _, _, count in warm[:quarter]) + 1:
            raise Failed("other", f"open files grew: between {files[0]} and {files[-1]}")
