"""Runs that are killed at any moment and resumed end with the same bits as those that never were."""

import os
import random
import subprocess
import time
import unittest
from collections import Counter

from training import TrainingTest

# By number, as docs/run-directory.md has them; 0 is a process that has no trainer yet.
PHASES = ("starting", "preparing", "step", "accumulation", "validation", "checkpoint", "pruning", "ended")
MUST_BE_HIT = {"step", "accumulation", "validation", "checkpoint"}
KILLS = int(os.environ.get("PLUMB_KILLS", "10"))
MOST_AIMED_KILLS = 40  # each waits for its phase: if that many miss it, something else than bad luck is at work
KILL_SEED = int(os.environ.get("PLUMB_KILL_SEED", "5"))


class Kills(TrainingTest):
    def start(self, out, settings):
        """Starts or resumes a run that shows its phase, and waits for its trainer: loading LibTorch proves nothing."""
        (self.folder / "phase").unlink(missing_ok=True)
        environment = {**os.environ, "PLUMB_PHASE_FILE": str(self.folder / "phase")}
        with open(self.folder / "stderr", "wb") as stderr:
            process = subprocess.Popen(self.command(out, settings, "--resume"), stdout=subprocess.DEVNULL,
                                       stderr=stderr, cwd=self.folder, env=environment)
        while process.poll() is None and self.phase()[0] == "starting":
            time.sleep(0.005)
        return process

    def phase(self):
        """What the process of start() does, or did when it was killed, and at which update."""
        file = self.folder / "phase"
        word = int.from_bytes(file.read_bytes(), "little") if file.exists() else 0
        return PHASES[word % 256], word // 256

    def wait_for(self, process, phase):
        """Returns when the process has ended, and raises TimeoutExpired, as its wait() does, once it is in the phase."""
        while process.poll() is None:
            if self.phase()[0] == phase:
                raise subprocess.TimeoutExpired(process.args, 0)

    def ended_well(self, process):
        self.assertEqual(process.wait(300), 0, (self.folder / "stderr").read_text())

    def test_a_killed_run_resumes_bit_for_bit(self):
        """Kills runs at PLUMB_KILLS random moments (10; the longer mode is 50), then in each phase those did not hit.

        A run that reaches its end is compared with one that was never killed, and the next one begins. The shares of
        the phases depend on the machine (a slow disk gives half the time to checkpoints), so chance alone may miss a
        short one however often it is tried.
        """
        settings = {"train.max_update": 40, "train.update_freq": 2, "train.max_tokens": 200,
                    "train.validate_interval": 4, "train.save_interval": 1, "data.numbers_valid": 200,
                    "model.variant": "admin", "model.dropout": 0.2, "model.attention_dropout": 0.1,
                    "model.activation_dropout": 0.1, "schedule.name": "step", "schedule.step_epochs": "[0.3, 0.6]",
                    "schedule.warmup_updates": 5}
        process, begin, seen = self.start("whole", settings), time.monotonic(), Counter()
        while process.poll() is None:
            seen[self.phase()[0]] += 1
            time.sleep(0.002)
        self.ended_well(process)
        span = time.monotonic() - begin
        shares = ", ".join(f"{phase} {100 * count / seen.total():.0f} %" for phase, count in seen.most_common())
        print(f"\n{span:.1f} s without a kill: {shares}; PLUMB_KILL_SEED={KILL_SEED}")
        expected = self.state("whole", 40)
        moments, hit, whole_runs = random.Random(KILL_SEED), Counter(), 0
        while hit.total() < KILLS or not MUST_BE_HIT <= hit.keys():
            self.assertLess(hit.total(), KILLS + MOST_AIMED_KILLS, f"of {MUST_BE_HIT} only {dict(hit)} were hit")
            aim = min(MUST_BE_HIT - hit.keys()) if hit.total() >= KILLS else None
            process = self.start(f"killed_{whole_runs}", settings)
            try:
                if aim:
                    self.wait_for(process, aim)
                else:
                    process.wait(moments.uniform(0, span / 2))
                self.ended_well(process)
                self.assertEqual(self.state(f"killed_{whole_runs}", 40), expected, f"after {hit.total()} kills")
                whole_runs += 1
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                phase, update = self.phase()
                if phase != "ended":  # too late to prove anything
                    hit[phase] += 1
                    print(f"kill {hit.total():2}: {phase}, update {update}" + (f", aimed at {aim}" if aim else ""))
        process = self.start(f"killed_{whole_runs}", settings)
        self.ended_well(process)
        self.assertEqual(self.state(f"killed_{whole_runs}", 40), expected, f"after {hit.total()} kills")
        print(f"{hit.total()} kills, {whole_runs + 1} runs, all as without a kill: {dict(hit)}")


if __name__ == "__main__":
    unittest.main()
