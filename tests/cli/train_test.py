"""Training from outside: it learns, resumes bit for bit, stops politely, and says when it goes wrong."""

import json
import shlex
import signal
import subprocess
import time
import unittest

from training import PLUMB, TrainingTest


class Training(TrainingTest):
    def test_it_learns_and_translates_and_scores(self):
        done = self.train("run", {"train.max_update": 250, "schedule.warmup_updates": 50, "optim.lr": 3e-3})
        self.assertEqual(done.returncode, 0, done.stderr)
        valid = [record["nll"] for record in self.records("run") if record["type"] == "valid"]
        self.assertLess(valid[-1], 0.5 * valid[0])
        source = "seven\n\nforty-two\nnine\x00\xff\n"
        run = subprocess.run([PLUMB, "generate", str(self.folder / "run"), "--beam", "2"], input=source.encode("latin-1"),
                             capture_output=True, cwd=self.folder, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.decode().split("\n")
        self.assertEqual(len(lines), 5)
        self.assertEqual(lines[1], "")

    def test_checkpoints_are_averaged_unless_one_is_named(self):
        done = self.train("run", {"train.max_update": 60, "train.save_interval": 20, "train.keep_last": 0,
                                  "generate.average": 3})
        self.assertEqual(done.returncode, 0, done.stderr)

        def evaluation(*extra):
            done = subprocess.run([PLUMB, "evaluate", "run", "--split", "valid", "--json", *extra], text=True,
                                  capture_output=True, cwd=self.folder, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        usual, mean = evaluation(), evaluation("--average", "2")
        last = evaluation("--checkpoint", "last", "--average", "1")
        self.assertEqual([(one["update"], one["average"]) for one in (usual, mean, last)], [(60, 3), (60, 2), (60, 1)])
        self.assertEqual(len({one["loss"] for one in (usual, mean, last)}), 3)
        named = evaluation("--checkpoint", "20")
        self.assertEqual((named["update"], named["average"]), (20, 1))
        self.assertEqual(evaluation("--checkpoint", "last"), last)

        def scored(*extra):
            done = subprocess.run([PLUMB, "generate", "run", "--beam", "2", "--nbest", "2", *extra], input="seven\n", text=True,
                                  capture_output=True, cwd=self.folder, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        self.assertEqual(scored(), scored("--average", "3"))
        self.assertEqual(scored("--checkpoint", "last"), scored("--average", "1", "--checkpoint", "last"))
        self.assertEqual(len({scored(*which) for which in ([], ["--checkpoint", "last"], ["--checkpoint", "20"])}), 3)

    def test_the_last_update_is_logged_and_validated_whatever_the_intervals(self):
        done = self.train("run", {"train.max_update": 5, "train.validate_interval": 2, "train.log_interval": 3})
        self.assertEqual(done.returncode, 0, done.stderr)

        def updates(kind="valid"):
            return [record["update"] for record in self.records("run") if record["type"] == kind]

        self.assertEqual(updates("train"), [3, 5])
        self.assertEqual(updates(), [2, 4, 5])
        done = self.train("run", {"train.max_update": 7, "train.validate_interval": 4}, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(updates(), [2, 4, 5, 7])

    def test_the_log_has_the_command_and_outputs_to_read(self):
        settings = {"train.max_update": 4, "train.validate_interval": 2, "train.validate_metric": "exact"}
        done = self.train("it's a run", settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = self.records("it's a run")
        typed = shlex.split(records[0]["command"])
        self.assertEqual(typed, ["plumb", *self.command("it's a run", settings)[1:]])
        samples = [record for record in records if record["type"] == "samples"]
        self.assertEqual([record["update"] for record in samples], [2, 4])
        for record in samples:
            self.assertEqual([len(record[side]) for side in ("source", "reference", "output")], [4, 4, 4])
            self.assertTrue(all(record["source"]) and all(record["reference"]))

    def test_a_damaged_newest_checkpoint_falls_back_to_the_one_before(self):
        settings = {"train.max_update": 30}
        self.assertEqual(self.train("run", settings).returncode, 0)
        expected = self.state("run", 30)
        model = self.folder / "run" / "checkpoints" / "30" / "model.safetensors"
        model.write_bytes(model.read_bytes()[:-5])
        done = self.train("run", settings, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trying the one before", done.stderr)
        self.assertEqual(self.state("run", 30), expected)

    def test_a_signal_saves_and_ends_with_its_number(self):
        process = subprocess.Popen(self.command("run", {"train.max_update": 100000}), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        for _ in range(600):
            time.sleep(0.1)
            if (self.folder / "run" / "checkpoints" / "10").exists():
                break
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(5), 128 + signal.SIGTERM)
        self.assertEqual(self.records("run")[-1]["outcome"], "interrupted")
        self.assertEqual(self.train("run", {"train.max_update": 100000}).returncode, 2)  # there is a run already

    def refusal(self, settings, *extra):
        """The one line that says why the run cannot be resumed."""
        done = self.train("run", settings, "--resume", *extra)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_changed_config_is_refused_by_name_unless_allowed(self):
        self.assertEqual(self.train("run", {"train.max_update": 10}).returncode, 0)
        error = self.refusal({"train.max_update": 20, "optim.lr": 5e-4})
        self.assertIn("run/checkpoints/10: was trained with another config (optim.lr was 0.001, is 0.0005). ", error)
        error = self.refusal({"threads": 2, "seed": 7, "model.dropout": 0.3, "optim.lr": 1, "train.update_freq": 3})
        self.assertIn("(seed was 1, is 7; model.dropout was 0.0, is 0.3; ", error)
        error = self.refusal({"model.width": 64, "model.dropout": 0.3, "optim.lr": 1, "train.update_freq": 3})
        self.assertIn("(model.width was 32, is 64; model.dropout was 0.0, is 0.3; train.update_freq was 1, is 3; "
                      "and 1 more)", error)
        allowed = self.train("run", {"train.max_update": 20, "optim.lr": 5e-4}, "--resume", "--allow-changes")
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        resumed = [record for record in self.records("run") if record.get("event") == "resumed"]
        self.assertEqual(resumed[-1]["changes"], ["optim.lr was 0.001, is 0.0005", "train.max_update was 10, is 20"])

    def test_a_longer_run_goes_on_as_if_it_had_always_been_so(self):
        self.assertEqual(self.train("whole", {"train.max_update": 20}).returncode, 0)
        self.assertEqual(self.train("run", {"train.max_update": 10}).returncode, 0)
        longer = {"train.max_update": 20, "train.log_interval": 3, "train.keep_last": 1, "generate.beam": 2,
                  "threads": 2}  # the number of threads changes no bit
        done = self.train("run", longer, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.state("run", 20), self.state("whole", 20))

    def test_a_longer_run_is_refused_where_the_learning_rate_would_take_another_course(self):
        linear = {"schedule.name": "linear", "schedule.warmup_updates": 2, "train.max_update": 10}
        self.assertEqual(self.train("run", linear).returncode, 0)
        error = self.refusal({**linear, "train.max_update": 20})
        self.assertIn("train.max_update was 10, is 20, where linear ends", error)
        kept = self.train("run", {**linear, "train.max_update": 12, "schedule.total_updates": 10}, "--resume")
        self.assertEqual(kept.returncode, 0, kept.stderr)

    def test_changed_data_is_refused_by_name_unless_allowed(self):
        words = "zero one two three four five six seven eight nine".split()
        lines = [f"{words[i // 10]} and {words[i % 10]}" for i in range(100)]
        text = {"data.corpus": "text", "data.vocab_size": 40, "train.max_update": 10, "train.max_tokens": 100}
        for split in ("train", "valid"):
            for side in ("source", "target"):
                text[f"data.{split}_{side}"] = f"{split}.{side}"
                (self.folder / f"{split}.{side}").write_text("\n".join(lines) + "\n")
        self.assertEqual(self.train("run", text).returncode, 0)

        error = self.refusal({**text, "data.vocab_size": 36})
        self.assertIn("was trained with another config (data.vocab_size was 40, is 36) and "
                      "on other data (the vocabulary had 40 tokens, has 36). ", error)
        (self.folder / "valid.target").write_text("\n".join(lines[::-1]) + "\n")
        error = self.refusal(text)
        self.assertIn("was trained on other data (the validation target (valid.target) has other lines). ", error)
        for side in ("source", "target"):
            (self.folder / f"train.{side}").write_text("\n".join(lines[:50]) + "\n")
        error = self.refusal(text)
        self.assertIn("the training source (train.source) had 100 lines, has 50; the training target", error)
        # The same bytes under another name are the same corpus.
        for split in ("train", "valid"):
            (self.folder / f"{split}.copy").write_text("\n".join(lines) + "\n")
        moved = {f"data.{split}_{side}": f"{split}.copy" for split in ("train", "valid")
                 for side in ("source", "target")}
        done = self.train("run", {**text, **moved, "data.cache": "another"}, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_allowed_changes_may_leave_fewer_batches_than_are_done(self):
        self.assertEqual(self.train("run", {"train.max_update": 30, "train.max_tokens": 200}).returncode, 0)
        done = self.train("run", {"train.max_update": 40, "train.max_tokens": 2000}, "--resume", "--allow-changes")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_divergence_is_a_result(self):
        done = self.train("run", {"train.max_update": 200, "train.log_interval": 1, "model.variant": "b2t_no_ln",
                                  "optim.name": "sgd", "optim.lr": 1e6, "schedule.name": "constant",
                                  "schedule.warmup_updates": 0})
        self.assertEqual(done.returncode, 5, done.stderr)
        events = {record["event"]: record for record in self.records("run") if record["type"] == "event"}
        self.assertIn("diverged", events)
        self.assertIn("nonfinite", events)
        self.assertTrue(events["nonfinite"]["tap"] or events["nonfinite"]["gradient_tap"])
        self.assertEqual(events["ended"]["outcome"], "diverged")
        losses = [record["loss"] for record in self.records("run") if record["type"] == "train"]
        self.assertNotIn(0, losses, "an interval without a mean has the loss that was refused")
        self.assertEqual(losses[-1], events["nonfinite"]["loss"])

    def test_a_run_that_does_not_learn_is_stuck(self):
        done = self.train("run", {"train.max_update": 60, "optim.lr": 1e-9, "train.stuck_updates": 50})
        self.assertEqual(done.returncode, 5, done.stderr)
        ended = self.records("run")[-1]
        self.assertEqual(ended["outcome"], "stuck")
        nll = [record["nll"] for record in self.records("run") if record["type"] == "valid"][-1]
        entropy = self.records("run")[0]["unigram_entropy"]
        self.assertAlmostEqual(ended["unigram_share"], nll / entropy)
        self.assertGreater(ended["unigram_share"], 0.9)
        self.assertIn(f"stuck after 50 updates, last validation NLL {100 * nll / entropy:.1f} % of the unigram entropy",
                      done.stderr)
        # Nothing is left to do, and no validation: what the last one was worth stands in the log.
        self.train("run", {"train.max_update": 50, "optim.lr": 1e-9, "train.stuck_updates": 50}, "--resume")
        again = self.records("run")[-1]
        self.assertEqual((again["event"], again["unigram_share"]), ("ended", ended["unigram_share"]))


if __name__ == "__main__":
    unittest.main()
