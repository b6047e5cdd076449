"""Sweeps from outside: killed at any moment they go on, failures stay failures, equal arms are equal."""

import hashlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tiny_runs import TINY

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
ROOT = Path(os.environ["PLUMB_SOURCE_DIR"])
KILLS = int(os.environ.get("PLUMB_KILLS", "5"))
KILL_SEED = int(os.environ.get("PLUMB_KILL_SEED", "5"))

HEAD = f"""
config = "{ROOT}/configs/task/numbers.toml"
threads = 1
%s
[set]
{TINY}"""
AA = HEAD % 'seeds = 2\nbaseline = "a"' + '[[arm]]\nname = "a"\noptim.lr = 3e-3\n[[arm]]\nname = "a again"\noptim.lr = 3e-3\n'
GRID = HEAD % 'test = "exact"' + """
train.label_smoothing = 0.0
[grid]
model.variant = ["post_ln", "pre_ln"]
optim.lr = [3e-3, 1e30]
"""


def without_times(value):
    """sweep.json but for what a clock decides."""
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in ("seconds", "tokens_per_second")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


class Sweeping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_sweep_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="s.toml"):
        (self.folder / name).write_text(text)

    def command(self, out, *extra):
        return [PLUMB, "sweep", "s.toml", "--out", out, "--cores", "2", *extra]

    def sweep(self, out="out", *extra):
        return subprocess.run(self.command(out, *extra), capture_output=True, text=True, cwd=self.folder, timeout=300,
                              check=False)

    def start(self, out="out"):
        return subprocess.Popen(self.command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                start_new_session=True)

    def results(self, out="out"):
        return json.loads((self.folder / out / "sweep.json").read_text())

    def logs(self, out="out"):
        return sorted((self.folder / out).glob("*/*/log.jsonl"))

    def events(self, out, name):
        """How often each run has such an event, by its folder."""
        counts = {}
        for log in self.logs(out):
            records = [json.loads(line) for line in log.read_text().splitlines()]
            counts[str(log.parent.relative_to(self.folder / out))] = sum(r.get("event") == name for r in records)
        return counts

    def weights(self, out):
        """A hash of the last model of each run."""
        files = sorted((self.folder / out).glob("*/*/checkpoints/60/model.safetensors"))
        return {str(f.relative_to(self.folder / out)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    def test_killed_at_random_moments_it_goes_on_with_no_run_lost_or_done_twice(self):
        self.write(AA)
        whole = self.sweep("whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        draw = random.Random(KILL_SEED)
        finished = {}
        for _ in range(KILLS):
            process = self.start("killed")
            time.sleep(draw.uniform(0.1, 2.5))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            now = self.events("killed", "ended")
            for run, count in finished.items():
                self.assertEqual(now[run], count, f"{run} was done again")
            finished = {run: count for run, count in now.items() if count > 0}
        last = self.sweep("killed")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(set(self.events("killed", "ended").values()), {1})
        self.assertEqual(len(self.weights("whole")), 4)
        self.assertEqual(self.weights("killed"), self.weights("whole"))
        self.assertEqual(without_times(self.results("killed")), without_times(self.results("whole")))

        # Equal arms, the same seeds: the same bits.
        results = self.results("whole")
        [pair] = results["comparisons"]
        self.assertEqual((pair["difference"], pair["interval"], pair["seeds"]), (0, [0, 0], 2))
        self.assertIn("equal in 2 of 2", whole.stdout)
        self.assertEqual(results["arms"][0]["values"], results["arms"][1]["values"])
        self.assertNotEqual(*results["arms"][0]["values"])

        # A third time: nothing is left to do.
        again = self.sweep("killed", "--json")
        self.assertEqual(json.loads(again.stdout), self.results("killed"))
        self.assertEqual(set(self.events("killed", "ended").values()), {1})

        # What a sweep left in its folder goes on there.
        stored = subprocess.run([PLUMB, "sweep", "killed/sweep.toml", "--json"], capture_output=True, text=True,
                                cwd=self.folder, timeout=300, check=False)
        self.assertEqual(json.loads(stored.stdout), {**self.results("killed"), "name": "s"}, stored.stderr)
        self.assertFalse((self.folder / "runs").exists())

        # In that folder, too.
        inside = subprocess.run([PLUMB, "sweep", "sweep.toml", "--json"], capture_output=True, text=True,
                                cwd=self.folder / "killed", timeout=300, check=False)
        self.assertEqual(inside.returncode, 0, inside.stderr)
        self.assertEqual(json.loads(inside.stdout)["arms"], results["arms"])
        self.assertFalse((self.folder / "killed" / "runs").exists())

        # Another setting in the same place is refused, and nothing happens to it.
        self.write(AA.replace("3e-3", "2e-3"))
        other = self.sweep("killed")
        self.assertEqual(other.returncode, 2)
        self.assertIn("optim.lr was 0.003, is 0.002", other.stderr)

    def test_an_arm_that_always_diverges_is_reported_as_such(self):
        self.write(GRID)
        plan = self.sweep("out", "--dry-run")
        self.assertIn("4 arms x 1 seed = 4 runs", plan.stdout)
        self.assertFalse((self.folder / "out").exists())
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        arms = {arm["name"]: arm for arm in self.results()["arms"]}
        for variant in ("post_ln", "pre_ln"):
            finished, diverged = arms[f"variant={variant} lr=0.003"], arms[f"variant={variant} lr=1e+30"]
            self.assertEqual(finished["finished"], 1)
            self.assertAlmostEqual(finished["mean"], finished["values"][0])
            self.assertEqual((diverged["failed"], diverged["mean"]), (1, None))
            self.assertEqual(diverged["outcomes"], {"diverged": 1})
        self.assertEqual(done.stdout.count("failed 1 of 1"), 2)
        tested = {run["arm"]: run.get("test", {}) for run in self.results()["runs"]}
        self.assertIn("exact", tested["variant=pre_ln lr=0.003"])
        self.assertEqual(tested["variant=pre_ln lr=1e+30"], {}, "what has diverged is not tested")
        for name in ("test.outputs.txt", "test.references.txt"):
            lines = (self.folder / "out" / "variant=pre_ln_lr=0.003" / "seed1" / name).read_text().splitlines()
            self.assertEqual(len(lines), 40)
        self.assertIn("variant \\ lr", done.stdout)
        self.assertIn("diverged✗", done.stdout)
        self.assertEqual(set(self.events("out", "started").values()), {1}, "a failure is a result, not to be tried again")

    def test_control_c_leaves_it_resumable(self):
        longer = HEAD.replace("max_update = 60", "max_update = 1000").replace("validate_interval = 20", "validate_interval = 250")
        self.write(longer.replace("save_interval = 5", "save_interval = 500") % "seeds = 2")
        process = self.start()
        deadline = time.time() + 60
        while time.time() < deadline and sum('"type":"train"' in log.read_text() for log in self.logs()) < 2:
            time.sleep(0.02)
        second = self.sweep()
        self.assertEqual(second.returncode, 2)
        self.assertIn("another process runs a sweep in it", second.stderr)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual({run["outcome"] for run in self.results()["runs"]}, {"interrupted"})
        self.assertFalse(self.results()["complete"])
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({run["outcome"] for run in self.results()["runs"]}, {"finished"})
        self.assertEqual(set(self.events("out", "started").values()), {1})
        self.assertEqual(set(self.events("out", "resumed").values()), {1})

    def test_data_that_is_not_there_is_found_before_anything_is_written(self):
        corpus = """
config = "base.toml"
test = true
[set]
data.corpus = "text"
data.train_source = "%s.en"
data.train_target = "train.de"
data.valid_source = "train.en"
data.valid_target = "train.de"
"""
        (self.folder / "base.toml").write_text("[train]\nmax_update = 2\n")
        for side in ("en", "de"):
            (self.folder / f"train.{side}").write_text("one two three\nfour five\n" * 20)
        for name, problem in (("absent", "absent.en"), ("train", "test: the data has no test set")):
            self.write(corpus % name)
            done = self.sweep()
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(problem, done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_the_mean_of_the_last_checkpoints_can_be_tested(self):
        self.write(HEAD % "test = true\naverage = 3")
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        [run] = self.results()["runs"]
        self.assertEqual(run["test"]["average"], 3)
        self.write(HEAD % "test = true")
        self.sweep()
        [alone] = self.results()["runs"]
        self.assertEqual(alone["test"]["average"], 1)
        self.assertNotEqual(alone["test"]["loss"], run["test"]["loss"])
        self.assertEqual(set(self.events("out", "started").values()), {1})

    def test_mistakes_are_one_line(self):
        cases = {
            "[grid]\noptim.lrr = [1.0]\n": "Did you mean optim.lr?",
            "[grid\n": "not valid TOML",
            "[[arm]]\nname = \"x\"\nmodel.variant = \"posd_ln\"\n": "post_ln",
            "[[arm]]\nname = \"x\"\nmodel.heads = 3\n": "arm x",
            "[[arm]]\nname = \"[]\"\n": "called []",
        }
        for text, hint in cases.items():
            with self.subTest(text=text):
                self.write(HEAD % "" + text)
                done = self.sweep()
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(hint, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertFalse((self.folder / "out").exists())
        self.write('"arm[x" = 1' + HEAD % "")
        self.write(HEAD % "", "file")
        for arguments in (["sweep"], ["sweep", "absent.toml"], ["sweep", "s.toml", "--cores", "0"], ["sweep", "s.toml"],
                          ["sweep", "file", "--out", "file"]):
            done = subprocess.run([PLUMB, *arguments], capture_output=True, text=True, cwd=self.folder, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
