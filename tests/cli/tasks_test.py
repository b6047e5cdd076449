"""Every task learns its built-in data with eight wirings, in seconds; and nothing but its source tells the answer."""

import concurrent.futures
import json
import math
import os
import random
import shutil
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
CONFIGS = Path(os.environ["PLUMB_SOURCE_DIR"]) / "configs" / "task"
VARIANTS = ["post_ln", "pre_ln", "b2t", "admin", "deepnorm", "dlcl_pre", "t_fixup", "b2t_no_ln"]
COMMON = {
    "train.tensorboard": "false",
    "train.validate_metric": "",
    "train.log_interval": 1000,
    "train.validate_interval": 0,
    "train.label_smoothing": 0.0,
    "generate.beam": 1,
    "threads": 1,
}
# Smaller still than the configs: what minutes allow for all of them. Processors round differently, which is like
# another seed: with three seeds the worst of a task's wirings is well below the limit.
TASKS = {
    "numbers": {"data.numbers_max": 999, "data.numbers_train": 750, "data.numbers_valid": 80, "data.vocab_size": 64,
                "train.max_tokens": 400, "train.max_update": 300, "optim.lr": 5e-3, "schedule.name": "linear",
                "schedule.warmup_updates": 50},
    "headline": {"data.examples_train": 3000, "data.examples_valid": 80, "train.max_update": 650, "optim.lr": 3e-3,
                 "model.encoder_layers": 2, "model.decoder_layers": 2},
    "language_model": {"data.examples_train": 600, "data.examples_valid": 60, "train.max_update": 260},
    "masked_lm": {"data.numbers_max": 199, "data.examples_train": 400, "data.examples_valid": 120,
                  "train.max_update": 1200, "model.encoder_layers": 2, "model.heads": 2},
    "number_pairs": {"data.examples_train": 28000, "data.examples_valid": 1000, "data.vocab_size": 200,
                     "train.max_update": 2400, "model.encoder_layers": 2},
    "morse": {"data.examples_valid": 60, "train.max_update": 700, "model.encoder_layers": 2,
              "model.decoder_layers": 2},
}
MORE_UPDATES = {("headline", "deepnorm"): 900, ("masked_lm", "t_fixup"): 1800, ("number_pairs", "t_fixup"): 3000,
                ("morse", "pre_ln"): 1000}  # the one whose words are looked at
SHUFFLED = {"numbers": "exact", "headline": "rouge", "number_pairs": "accuracy", "morse": "wer"}


def plumb(*arguments, **options):
    done = subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, text=True, timeout=900, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}, **options)
    if done.returncode != 0:
        raise AssertionError(f"plumb {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def tensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: data[8 + size + one["data_offsets"][0] : 8 + size + one["data_offsets"][1]]
            for name, one in header.items()}


def records(run, kind):
    lines = (run / "log.jsonl").read_text().splitlines()
    return [record for record in map(json.loads, lines) if record["type"] == kind]


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="plumb_tasks_")
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def settings(self, task):
        chosen = {**COMMON, **TASKS[task], "data.cache": self.folder / "cache"}
        return [part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]

    def train(self, task, variant):
        run = self.folder / f"{task}_{variant}"
        if not run.exists():
            own = [f"model.variant={variant}"]
            if (task, variant) in MORE_UPDATES:
                own.append(f"train.max_update={MORE_UPDATES[task, variant]}")
            plumb("train", CONFIGS / f"{task}.toml", *self.settings(task),
                  *(part for one in own for part in ("--set", one)), "--out", run)
        return run

    def learns(self, task):
        plumb("prepare", CONFIGS / f"{task}.toml", *self.settings(task))  # once, before several want it
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            runs = list(pool.map(lambda variant: self.train(task, variant), VARIANTS))
        for variant, run in zip(VARIANTS, runs):
            with self.subTest(task=task, variant=variant):
                entropy = records(run, "event")[0]["unigram_entropy"]
                loss = records(run, "valid")[-1]["nll"]
                print(f"{task:15} {variant:10} loss {loss:5.3f} nats, unigram entropy {entropy:5.3f}", flush=True)
                self.assertLessEqual(loss, entropy / 2)
        if task in SHUFFLED:
            self.needs_its_source(task, runs[1])

    def needs_its_source(self, task, run):
        metric = SHUFFLED[task]
        test = json.loads(plumb("prepare", CONFIGS / f"{task}.toml", *self.settings(task)))["test"]
        lines = Path(test["source"]["text"]).read_text().splitlines()
        shuffled = lines[:]
        random.Random(1).shuffle(shuffled)

        def score(sources):
            output = plumb("generate", run, input="\n".join(sources) + "\n")
            return json.loads(plumb("score", metric, "--ref", test["target"]["text"], "--json", input=output))["score"]

        told, guessed = score(lines), score(shuffled)
        print(f"{task:15} {metric} {told:.1f}, with shuffled sources {guessed:.1f}", flush=True)
        if metric == "wer":
            self.assertLess(told, 50)
            self.assertGreater(guessed, 80)
        elif metric == "accuracy":
            self.assertGreater(told, 80)
            self.assertLess(guessed, 65)
        else:
            self.assertGreater(told, 60)
            self.assertLess(guessed, told / 2)

    def test_translation(self):
        self.learns("numbers")

    def test_summarisation(self):
        self.learns("headline")

    def test_language_model(self):
        self.learns("language_model")
        run = self.train("language_model", "pre_ln")
        valid = records(run, "valid")[-1]
        self.assertLess(valid["ppl_byte"], valid["ppl_word"])
        line = plumb("generate", run, "--set", "generate.max_len_b=12", input="two , four , six ,\n")
        self.assertTrue(line.startswith("two , four , six , "), line)

    def test_masked_lm(self):
        self.learns("masked_lm")

    def test_classification(self):
        self.learns("number_pairs")

    def test_speech(self):
        self.learns("morse")


class FineTuning(unittest.TestCase):
    def test_goes_over_checkpoints_settings_and_seeds_once(self):
        with tempfile.TemporaryDirectory(prefix="plumb_finetune_") as name:
            folder = Path(name)
            common = ["--set", f"data.cache={folder / 'cache'}", "--set", "data.numbers_max=199", "--set", "threads=1",
                      "--set", "data.examples_train=100", "--set", "data.examples_valid=20",
                      "--set", "train.tensorboard=false"]
            bert = folder / "bert"
            plumb("train", CONFIGS / "masked_lm.toml", *common, "--set", "train.max_update=120", "--set",
                  "train.save_interval=60", "--set", "train.validate_interval=60", "--set", "model.next_sentence=true",
                  "--set", "model.encoder_layers=2", "--out", bert)
            pairs = folder / "pairs.toml"  # the model comes from the run
            text = (CONFIGS / "number_pairs.toml").read_text()
            pairs.write_text(text[: text.index("[model]")] + text[text.index("[train]"):])
            command = ["finetune", pairs, *common, "--from", bert, "--checkpoints", "60,last",
                       "--seeds", 2, "--grid", "optim.lr=1e-4,1e-3", "--set", "train.max_update=70",
                       "--out", folder / "tuned"]
            results = json.loads(plumb(*command, "--json"))
            self.assertEqual(len(results), 8)
            self.assertEqual({(r["checkpoint"], tuple(r["settings"]), r["seed"]) for r in results},
                             {(c, (f"optim.lr={lr}",), s) for c in ("60", "120") for lr in ("1e-4", "1e-3")
                              for s in (1, 2)})
            for result in results:
                self.assertIn("accuracy", result["valid"])
                self.assertEqual(result["valid"]["accuracy.majority"], 50)
            runs = sorted(path for path in (folder / "tuned").iterdir() if path.is_dir())
            self.assertEqual(len(runs), 8)
            events = records(runs[0], "event")
            self.assertEqual(events[1]["event"], "pretrained")
            self.assertEqual(events[1]["new_parameters"], ["encoder.classifier.weight", "encoder.classifier.bias"])
            times = [(run / "log.jsonl").stat().st_mtime_ns for run in runs]
            table = plumb(*command)  # nothing is trained again
            self.assertEqual([(run / "log.jsonl").stat().st_mtime_ns for run in runs], times)
            self.assertIn("95 % interval", table)
            self.assertIn("most frequent label has 50.00", table)
            done = subprocess.run([PLUMB, *map(str, command), "--set", "optim.clip_norm=3"], capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)  # not somebody else's result
            self.assertIn("another config", done.stderr)
            shutil.rmtree(bert)  # a run stands by itself
            evaluation = json.loads(plumb("evaluate", runs[0], "--split", "valid", "--checkpoint", "last", "--json"))
            result = json.loads((runs[0] / "result.json").read_text())
            self.assertEqual(evaluation["loss"], result["valid"]["loss"])

    def test_starts_from_the_weights_of_the_run(self):
        with tempfile.TemporaryDirectory(prefix="plumb_finetune_") as name:
            folder = Path(name)
            common = ["--set", f"data.cache={folder / 'cache'}", "--set", "data.numbers_max=199", "--set", "threads=1",
                      "--set", "data.examples_train=100", "--set", "data.examples_valid=20",
                      "--set", "train.tensorboard=false", "--set", "schedule.warmup_updates=0"]
            bert, tuned = folder / "bert", folder / "tuned"
            plumb("train", CONFIGS / "masked_lm.toml", *common, "--set", "train.max_update=20", "--set",
                  "model.variant=admin", "--set", "model.encoder_layers=2", "--out", bert)
            plumb("train", CONFIGS / "number_pairs.toml", *common, "--set", f"train.pretrained={bert}@20", "--set",
                  "train.max_update=1", "--set", "optim.lr=1e-30", "--set", "model.encoder_layers=2", "--out", tuned)
            before, after = (tensors(run / "checkpoints" / update / "model.safetensors")
                             for run, update in ((bert, "20"), (tuned, "1")))
            shared = [name for name in after if "classifier" not in name and "pooler" not in name]
            self.assertGreater(len(shared), 20)
            self.assertTrue(any("skip_scale" in name for name in shared), shared)  # profiled once, then trained
            for name in shared:
                self.assertEqual(before[name], after[name], name)


class Resume(unittest.TestCase):
    """What a batch draws, masks of words or of sound, is the same after a resume, also across an epoch's end."""

    def same_bits(self, task, *settings):
        with tempfile.TemporaryDirectory(prefix="plumb_resume_") as name:
            folder = Path(name)
            common = ["--set", f"data.cache={folder / 'cache'}", "--set", "threads=1", "--set", "data.examples_valid=10",
                      "--set", "train.tensorboard=false", "--set", "schedule.name=constant", "--set",
                      "schedule.warmup_updates=0", "--set", "train.validate_metric=", "--set", "model.dropout=0.1",
                      "--set", "train.update_freq=2", *settings]
            config = CONFIGS / f"{task}.toml"
            plumb("train", config, *common, "--set", "train.max_update=12", "--out", folder / "whole")
            for updates in (5, 12):
                plumb("train", config, *common, "--set", f"train.max_update={updates}", "--out", folder / "parts",
                      "--resume")
            self.assertGreater(records(folder / "whole", "valid")[-1]["epoch"], 1)
            whole, parts = (tensors(folder / run / "checkpoints" / "12" / "model.safetensors")
                            for run in ("whole", "parts"))
            self.assertEqual(whole, parts)

    def test_of_masked_words(self):
        self.same_bits("masked_lm", "--set", "data.examples_train=60", "--set", "data.numbers_max=199",
                       "--set", "model.next_sentence=true", "--set", "train.validate_interval=12")

    def test_of_masked_sound(self):
        self.same_bits("morse", "--set", "data.examples_train=60", "--set", "speech.spec_augment=true",
                       "--set", "speech.time_width=20", "--set", "speech.frequency_width=8",
                       "--set", "train.validate_interval=12")


def wav(path, samples, rate=8000, channels=1, width=2):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        count = samples * channels
        values = (int(0.3 * math.sin(i * 0.4) * (1 << (8 * width - 1))) for i in range(count))
        file.writeframes(b"".join(value.to_bytes(width, "little", signed=True) for value in values))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plumb_bad_")
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def prepare(self, task, **files):
        settings = [f"task={task}", "data.corpus=text", f"data.cache={self.folder / 'cache'}", "data.subwords=character"]
        settings += [f"data.{key}={value}" for key, value in files.items()]
        config = self.folder / "config.toml"
        config.write_text("")
        arguments = [part for one in settings for part in ("--set", one)]
        return subprocess.run([PLUMB, "prepare", str(config), *arguments], capture_output=True, text=True, timeout=60,
                              check=False)

    def fails(self, done, *words):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def speech(self, *names):
        table = self.folder / "table.tsv"
        table.write_text("".join(f"{name}\tone two\n" for name in names))
        return self.prepare("speech", train_source=table, valid_source=table, audio_column=1, text_columns="[2]")

    def test_audio_of_every_kind_is_read(self):
        wav(self.folder / "mono.wav", 4000)
        wav(self.folder / "stereo.wav", 4000, channels=2)
        wav(self.folder / "wide.wav", 4000, width=3)
        wav(self.folder / "fast.wav", 24000, rate=48000)
        done = self.speech("mono.wav", "stereo.wav", "wide.wav", "fast.wav")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["source_rate"], 8000)

    def test_audio_that_is_none_is_named(self):
        (self.folder / "text.wav").write_text("this is not audio")
        self.fails(self.speech("text.wav"), "text.wav")
        wav(self.folder / "empty.wav", 0)
        self.fails(self.speech("empty.wav"), "empty.wav")
        wav(self.folder / "whole.wav", 4000)
        broken = bytearray((self.folder / "whole.wav").read_bytes())
        broken[8:12] = b"WXYZ"
        (self.folder / "broken.wav").write_bytes(broken)
        self.fails(self.speech("broken.wav"), "broken.wav")
        self.fails(self.speech("missing.wav"), "missing.wav")

    def test_a_table_without_a_column_names_the_line(self):
        table = self.folder / "pairs.tsv"
        table.write_text("1\tone sentence\tanother\n0\tonly one\n")
        self.fails(self.prepare("classification", train_source=table, valid_source=table), "pairs.tsv:2", "column 3")
        table.write_text("1\tone sentence\tanother\n0\t\tonly one\n")
        self.fails(self.prepare("classification", train_source=table, valid_source=table), "pairs.tsv:2", "empty")

    def test_a_label_that_was_never_trained_is_named(self):
        train, valid = self.folder / "train.tsv", self.folder / "valid.tsv"
        train.write_text("1\ta\tb\n0\tc\td\n")
        valid.write_text("1\ta\tb\n2\tc\td\n")
        self.fails(self.prepare("classification", train_source=train, valid_source=valid), ":2", "label")

    def test_empty_documents_are_passed_over_and_an_empty_text_is_an_error(self):
        text = self.folder / "text.txt"
        text.write_text("\n\none two three four\n\n\nfive six seven\n\n")
        self.assertEqual(self.prepare("masked_lm", train_source=text, valid_source=text).returncode, 0)
        text.write_text("")
        self.fails(self.prepare("masked_lm", train_source=text, valid_source=text), "text.txt", "no lines")


if __name__ == "__main__":
    unittest.main()
