"""`plumb reproduce` from outside: a small entry of the test's own is run, judged, killed and resumed; the project's list and pages."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tiny_runs import TINY

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
ROOT = Path(os.environ["PLUMB_SOURCE_DIR"])

SWEEP = f"""
config = "{ROOT}/configs/task/numbers.toml"
seeds = 2

[set]
{TINY}
[[arm]]
name = "calm"
optim.lr = 3e-3

[[arm]]
name = "wild"
optim.lr = 1e30
"""
ENTRY = """
id = "A-F1"
where = "Fig. 1"
title = "rates"
claim = "A rate can be too large."

[desk]
setting = "Tiny."
minutes = 0.1
sweeps = ["../sweep/tiny.toml"]

[[desk.probe]]
sweep = "tiny"
arm = "calm"
seed = 2
only = ["gradient_norm"]

[[expect]]
words = "the small one trains"
rule = "outcome(calm) in {finished}"

[[expect]]
words = "the large one diverges"
rule = "outcome(wild) in {diverged}"

[[expect]]
words = "a diverged run stays in the mean"
rule = "mean(loss(wild)) < 1000"

[[expect]]
words = "the probe was made"
rule = "curve(calm, gradient_norm.loss) > 0"
"""


class Reproducing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_reproduce_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("sweep/tiny.toml", SWEEP), ("paper/A-F1.toml", ENTRY),
                           ("paper/paper.toml", 'title = "A paper"\ncitation = "Somebody 2020."\n')):
            file = self.folder / "reproduce" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def plumb(self, *arguments, cwd=None):
        return subprocess.run([PLUMB, "reproduce", *arguments], capture_output=True, text=True, cwd=cwd or self.folder,
                              timeout=600, check=False)

    def verdicts(self):
        return {row["id"]: row["verdict"] for row in json.loads(self.plumb("--list", "--json").stdout)}

    def logs(self):
        """What every run wrote, and when: a run that is done again changes it."""
        return {str(file): (file.stat().st_mtime_ns, file.read_bytes())
                for file in sorted((self.folder / "runs").rglob("*.jsonl"))}

    def test_an_entry_is_run_judged_and_not_run_again(self):
        self.assertEqual(self.verdicts(), {"A-F1": "not run"})
        first = self.plumb("A-F1", "--cores", "2", "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        result = json.loads((self.folder / "docs/results/reproduce/A-F1.json").read_text())
        self.assertEqual([rule["held"] for rule in result["rules"]], [True, True, False, True])
        self.assertEqual(result["verdict"], "partly")
        self.assertEqual([(run["arm"], run["seed"], run["outcome"]) for run in result["runs"]],
                         [("calm", 1, "finished"), ("calm", 2, "finished"), ("wild", 1, "diverged"), ("wild", 2, "diverged")])
        self.assertEqual({run["numbers"]["loss"] for run in result["runs"] if run["arm"] == "wild"}, {"Infinity"})
        self.assertEqual(self.verdicts(), {"A-F1": "partly"})

        before = self.logs()
        self.assertEqual(len(before), 5)  # four runs and the probe
        again = self.plumb("A-F1", "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout), json.loads(first.stdout))
        self.assertEqual(self.logs(), before)

        self.assertEqual(self.plumb("--render", "--check").returncode, 1)
        self.assertEqual(self.plumb("--render").returncode, 0)
        self.assertEqual(self.plumb("--render", "--check").returncode, 0)
        self.assertIn("Verdict: **partly** (3 of 4", (self.folder / "docs/papers/paper.md").read_text())

        entry = self.folder / "reproduce/paper/A-F1.toml"
        entry.write_text(ENTRY.replace("< 1000", "< 2000"))
        self.assertEqual(self.verdicts(), {"A-F1": "not run"})  # that rule was never judged
        self.assertEqual(self.plumb("--render", "--check").returncode, 1)

    def test_killed_at_any_moment_it_goes_on(self):
        for delay in (0.7, 1.6, 2.5):
            process = subprocess.Popen([PLUMB, "reproduce", "A-F1", "--cores", "1"], cwd=self.folder, start_new_session=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        done = self.plumb("A-F1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verdict: partly", done.stdout)
        for file in (self.folder / "runs/reproduce/tiny").rglob("log.jsonl"):
            ended = [line for line in file.read_text().splitlines() if '"ended"' in line]
            self.assertEqual(len(ended), 1, file)

    def test_an_entry_that_cannot_be_done_does_not_keep_the_others_from_it(self):
        records = self.folder / "records.jsonl"
        records.write_text('{"type":"curve","probe":"p","number":"n","variant":"x","mean":[1]}\n')
        judged = ENTRY.split("[desk]")[0].replace("A-F1", "A-F2") + \
            '[desk]\nrecords = ["../../records.jsonl"]\n[[expect]]\nwords = "it is so"\nrule = "curve(x, p.n) = 1"\n'
        (self.folder / "reproduce/paper/A-F2.toml").write_text(judged)
        (self.folder / "reproduce/sweep/tiny.toml").write_text(
            SWEEP.replace("[set]", '[set]\ndata.corpus = "text"\n' + "".join(
                f'data.{split}_{side} = "absent"\n' for split in ("train", "valid") for side in ("source", "target"))))
        done = self.plumb("--json")
        self.assertNotEqual(done.returncode, 0)
        first, second = json.loads(done.stdout)
        self.assertIn("absent", first["error"])
        self.assertEqual(second["verdict"], "reproduced")
        self.assertIn("plumb: A-F1: ", done.stderr)

    def test_bad_input_is_one_line(self):
        entry = self.folder / "reproduce/paper/A-F1.toml"
        for text, arguments, wanted in (
                (ENTRY, ["A-F2"], "A-F2: there is no such entry. Did you mean A-F1?"),
                (ENTRY.replace("claim", "clam"), ["--list"], "Did you mean claim?"),
                (ENTRY.replace("in {finished}", "in {finished"), ["--list"], "is not a rule"),
                (ENTRY, ["--check"], "Write --render --check"),
                (ENTRY, ["--list", "--render"], "does not go with --render"),
                (ENTRY, ["--render", "--results", "nowhere"], "nowhere: there is no such folder"),
                (ENTRY, ["--list", "--results", "reproduce/paper/paper.toml"], "is no folder"),
                (ENTRY, ["--entries", "nothing", "--list"], "holds no entries")):
            entry.write_text(text)
            done = self.plumb(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertFalse((self.folder / "docs").exists())

    def test_folders_that_cannot_be_made_are_found_before_the_runs(self):
        for arguments in (["A-F1", "--results", "reproduce/paper/paper.toml"],
                          ["--render", "--pages", "reproduce/paper/paper.toml"]):
            done = self.plumb(*arguments)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("reproduce/paper/paper.toml: cannot be created", done.stderr)
        self.assertFalse((self.folder / "runs").exists())

    def probing(self):
        """The processes that probe in the test's folder."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                here = os.readlink(process / "cwd") == str(self.folder)
                if here and b"\0probe\0" in (process / "cmdline").read_bytes():
                    found.append(process.name)
            except OSError:  # it has ended
                continue
        return found

    def test_a_probe_ends_with_its_parent(self):
        self.assertEqual(self.plumb("A-F1").returncode, 0)
        for end, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)):
            for probes in list((self.folder / "runs").rglob("probes")):
                shutil.rmtree(probes)
            process = subprocess.Popen([PLUMB, "reproduce", "A-F1"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 60
            while not self.probing() and time.monotonic() < deadline:
                time.sleep(0.002)
            process.send_signal(end)
            self.assertEqual(process.wait(60), code)
            while self.probing() and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(self.probing(), [])
        self.assertEqual(self.plumb("A-F1").returncode, 0)

    def test_the_projects_own_catalogue_is_listed_and_its_pages_are_current(self):
        listed = json.loads(self.plumb("--list", "--json", cwd=ROOT).stdout)
        self.assertGreaterEqual(len(listed), 45)
        kept = {file.stem for file in (ROOT / "docs/results/reproduce").glob("*.json")}
        for row in listed:
            # No verdict without a result.
            self.assertEqual(row["verdict"] != "not run" or row["stale"], row["id"] in kept, row["id"])
        current = self.plumb("--render", "--check", cwd=ROOT)
        self.assertEqual(current.returncode, 0, current.stderr + "run ./dev docs")


if __name__ == "__main__":
    unittest.main()
