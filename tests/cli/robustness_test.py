"""Bad text from outside: one line that says where and what to do, or one line out for each line in; never a crash."""

import gzip
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")

WORDS = {"the": "der", "a": "ein", "dog": "Hund", "cat": "Katze", "house": "Haus", "runs": "läuft", "sees": "sieht",
         "big": "groß", "small": "klein", "red": "rot", "tree": "Baum", "under": "unter", "over": "über"}
MEGABYTE = 1 << 20
CONFIG = """
threads = 1
[data]
corpus = "text"
train_source = "train.en"
train_target = "train.de"
valid_source = "valid.en"
valid_target = "valid.de"
vocab_size = 60
cache = "cache"
[model]
width = 16
heads = 2
ffn_width = 32
encoder_layers = 1
decoder_layers = 1
[train]
max_update = 5
max_tokens = 400
tensorboard = false
"""


def text(lines):
    return "".join(line + "\n" for line in lines).encode()


def pairs(count, seed):
    draw = random.Random(seed)
    english = [[draw.choice(list(WORDS)) for _ in range(draw.randint(2, 7))] for _ in range(count)]
    return [" ".join(line) for line in english], [" ".join(WORDS[word] for word in line) for line in english]


def windows(content):
    return b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")


class Robustness(unittest.TestCase):
    """A folder with a small corpus and a model that has seen a little of it: one for all tests."""

    folder = None

    @classmethod
    def setUpClass(cls):
        if Robustness.folder is None:
            Robustness.prepare_folder()

    @classmethod
    def prepare_folder(cls):
        folder = tempfile.TemporaryDirectory(prefix="plumb_robustness_")
        unittest.addModuleCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.write("config.toml", CONFIG.encode())
        for name, count in (("train", 200), ("valid", 20)):
            english, german = pairs(count, seed=name)
            cls.write(f"{name}.en", text(english))
            cls.write(f"{name}.de", text(german))
        cls.english = pairs(200, seed="train")[0]
        cls.good = (cls.folder / "train.en").read_bytes()
        (cls.folder / "folder").mkdir()
        done = cls.run_plumb("train", "config.toml", "--out", "run")
        assert done.returncode == 0, done.stderr
        cls.model = str(next((cls.folder / "cache").glob("*.model")))

    @classmethod
    def write(cls, name, content):
        (cls.folder / name).write_bytes(content)
        return name

    @classmethod
    def run_plumb(cls, *arguments, stdin=b"", **options):
        if isinstance(stdin, bytes):
            options["input"] = stdin
        else:
            options["stdin"] = stdin
        return subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, cwd=cls.folder, timeout=240,
                              check=False, **options)

    def assert_error(self, done, code, *parts):
        said = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (code, b""), said)
        self.assertRegex(said, r"\Aplumb: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, said)

    def bad_files(self):
        """Name, exit code, and what the message must have, for each file that cannot be a side of the corpus."""
        lines = self.good.split(b"\n")
        spoilt = lambda line: b"\n".join(lines[:7] + [line] + lines[8:])
        return [
            (self.write("latin1", spoilt("die Größe".encode("latin-1"))), 2, ("latin1:8: byte 7 (0xF6)", "iconv")),
            (self.write("nul", spoilt(b"a\0b")), 2, ("nul:8: byte 2 is NUL", "iconv")),
            (self.write("utf16", self.good.decode().encode("utf-16")), 2, ("utf16:1: the file is UTF-16", "iconv")),
            (self.write("empty", b""), 2, ("empty", "lines")),
            (self.write("short", b"\n".join(lines[1:])), 2, ("short", "199", "200", "one line per sentence")),
            (self.write("cut.gz", gzip.compress(self.good)[:-30]), 3, ("cut.gz: begins as gzip but ends too early",)),
            ("folder", 2, ("folder: is a directory",)),
            ("none", 2, ("none: cannot be opened: No such file",)),
            (self.write("enormous", b"x" * (17 * MEGABYTE)), 2, ("enormous", "line")),
        ]

    def assert_unreadable_is_said(self, *arguments):
        """Runs a command that reads the file `secret`."""
        rights = []
        if os.geteuid() == 0:  # whom rights do not stop, unless it gives these two away
            without = "-dac_override,-dac_read_search"
            rights = ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}"]
            if not shutil.which("setpriv") or subprocess.run([*rights, "true"], check=False).returncode != 0:
                self.skipTest("nothing is unreadable for root")
        path = self.folder / "secret"
        path.write_bytes(self.good)
        path.chmod(0)
        self.addCleanup(path.unlink)
        done = subprocess.run([*rights, PLUMB, *arguments], capture_output=True, cwd=self.folder, timeout=60,
                              check=False)
        self.assert_error(done, 2, "secret: cannot be opened: Permission denied", "your right to read it")


class Prepare(Robustness):
    def prepare(self, **settings):
        given = [part for key, value in settings.items() for part in ("--set", f"data.{key}={value}")]
        return self.run_plumb("prepare", "config.toml", *given)

    def tokens(self, name, model=""):
        """The ids of a training source: what stands behind the fingerprint in its token file."""
        done = self.prepare(train_source=name, **({"source_model": model} if model else {}))
        self.assertEqual(done.returncode, 0, done.stderr)
        prepared = json.loads(done.stdout)
        model = (self.folder / prepared["source_tokenizer"]["model"]).read_bytes()
        return model, (self.folder / prepared["train"]["source"]["tokens"]).read_bytes()[88:]

    def test_a_file_that_cannot_be_used_is_named_and_nothing_is_left_behind(self):
        before = self.prepare().stdout
        for key in ("train_source", "train_target"):
            for name, code, parts in self.bad_files():
                with self.subTest(key=key, name=name):
                    self.assert_error(self.prepare(**{key: name}), code, *parts)
        for key in ("valid_source", "valid_target", "test_target"):
            settings = {"test_source": "valid.en", "test_target": "valid.de", key: "none"}
            self.assert_error(self.prepare(**settings), 2, "none: cannot be opened")
        self.assertEqual(self.prepare().stdout, before)
        kinds = {path.suffix for path in (self.folder / "cache").iterdir()}
        self.assertEqual(kinds, {".tokens", ".model", ".sha256"})
        for path in (self.folder / "cache").glob("*.tokens"):
            magic, sentences, ids = struct.unpack_from("<8sQQ", path.read_bytes())
            self.assertEqual((magic, path.stat().st_size), (b"PLUMBTK1", 152 + 8 * (sentences + 1) + 4 * ids))

    def test_a_file_without_the_right_to_read_it(self):
        self.assert_unreadable_is_said("prepare", "config.toml", "--set", "data.train_source=secret")

    def test_the_same_text_in_other_clothes_has_the_same_tokens(self):
        expected = self.tokens("train.en")
        for name, content in (("crlf", self.good.replace(b"\n", b"\r\n")), ("bom", b"\xef\xbb\xbf" + self.good),
                              ("unended", self.good[:-1]), ("packed", gzip.compress(windows(self.good)))):
            self.assertEqual(self.tokens(self.write(name, content)), expected, name)

    def test_unknown_characters_blank_lines_and_long_lines_are_lines(self):
        lines = list(self.english)
        lines[3:7] = ["", "日本語 🙂 \u200b", "漢" * (10 * MEGABYTE // 3), "the dog " * (10 * MEGABYTE // 8)]
        _, tokens = self.tokens(self.write("odd", text(lines)), self.model)
        offsets = struct.unpack_from("<201Q", tokens, 64)
        self.assertEqual(offsets[4] - offsets[3], 0)
        self.assertEqual(offsets[6] - offsets[5], 2)  # the space in front, and one unknown token
        self.assertGreater(offsets[7] - offsets[6], 2 * MEGABYTE)

    def test_a_cache_that_cannot_be_used(self):
        self.assert_error(self.prepare(cache="config.toml"), 4, "config.toml: cannot be created", "data.cache")
        self.write("numbers-999999-20000-1", b"a file where a folder should be")
        self.assert_error(self.prepare(corpus="numbers", cache="."), 4, "numbers-999999-20000-1", "data.cache")


class Paths(Robustness):
    """Names of files are bytes; those that are not UTF-8 are refused where they would have to become JSON."""

    ODD = os.fsdecode(b"caf\xe9")

    def test_a_cache(self):
        for command in (("prepare", "config.toml"), ("train", "config.toml", "--dry-run", "--json")):
            done = self.run_plumb(*command, "--set", f"data.cache={self.ODD}")
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(b"not UTF-8", done.stderr)

    def test_a_run(self):
        shutil.copytree(self.folder / "run", self.folder / self.ODD)
        done = self.run_plumb("evaluate", self.ODD, "--split", "valid", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertIn(b"not UTF-8", done.stderr)
        self.assertEqual(self.run_plumb("generate", self.ODD, stdin=b"the dog\n").returncode, 0)


class Train(Robustness):
    def train(self, out, *settings):
        given = [part for one in settings for part in ("--set", one)]
        return self.run_plumb("train", "config.toml", *given, "--out", out)

    def test_it_ends_before_it_begins_if_the_text_is_bad(self):
        long = self.write("long", text(["the dog"] * 3 + ["the dog " * 600] + ["the dog"] * 16))
        blank = self.write("blank", b"\n" * 200)
        cases = {
            "data.train_source=latin1": ("latin1:8: byte 7", "iconv"),
            "data.valid_target=none": ("none: cannot be opened",),
            f"data.valid_source={long}": ("long:4: ", "model.max_positions = 1024"),
            "model.max_positions=8": ("valid.", "model.max_positions = 8"),
            f"data.train_source={blank}": ("blank: no sentence pair",),
        }
        self.bad_files()
        for setting, parts in cases.items():
            with self.subTest(setting=setting):
                self.assert_error(self.train("bad", setting), 2, *parts)
                self.assertEqual([path for path in (self.folder / "bad").rglob("*") if path.is_file()], [])

    def test_odd_lines_are_left_out_or_learnt_from(self):
        lines = list(self.english)
        lines[3:6] = ["", "日本語 🙂", "the dog " * (10 * MEGABYTE // 8)]
        odd = self.write("odd.en", windows(text(lines))[:-2])
        done = self.train("odd_run", f"data.train_source={odd}", f"data.source_model={self.model}")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in (self.folder / "odd_run" / "log.jsonl").read_text().splitlines()]
        self.assertEqual((records[0]["train_examples"], records[0]["left_out"]), (198, 2))


class Generate(Robustness):
    def generate(self, data, *arguments, run="run"):
        return self.run_plumb("generate", run, "--beam", 2, *arguments, stdin=data)

    def lines(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == b"" or done.stdout.endswith(b"\n"))
        return done.stdout.decode().split("\n")[:-1]

    def test_each_line_gives_one_line_whatever_it_holds(self):
        plain = self.lines(self.generate(b"the dog\nthe cat sees\n"))
        self.assertEqual(len(plain), 2)
        done = self.generate(b"\xef\xbb\xbfthe dog\r\n\r\n\xff\xfe\na\0b\nx \xe2\x82\n \t \n"
                             + "日本\n".encode() + b"\nthe cat sees")
        found = self.lines(done)
        self.assertEqual(len(found), 9)
        self.assertEqual([found[0], found[8]], plain)
        self.assertEqual([found[1], found[5], found[7]], ["", "", ""])
        self.assertRegex(done.stderr.decode(), r"\Aplumb: stdin: in 3 of 9 lines, bytes [^\n]*U\+FFFD\n\Z")
        self.assertEqual(self.lines(self.generate(b"")), [])
        several = self.lines(self.generate(b"\nthe dog", "--nbest", 2))
        self.assertEqual(len(several), 4)
        self.assertEqual(several[:2], ["0.000000\t"] * 2)
        self.assertEqual(several[2].split("\t")[1], plain[0])

    def test_the_same_text_in_other_clothes_gives_the_same_output(self):
        source = text(self.english[:20])
        self.assertEqual(self.lines(self.generate(gzip.compress(windows(source)[:-2]))),
                         self.lines(self.generate(source)))

    def test_long_lines_are_cut_and_the_others_are_not_touched(self):
        long = [b"the dog " * (10 * MEGABYTE // 8), b"t" * (10 * MEGABYTE), "漢".encode() * (10 * MEGABYTE // 3)]
        short = text(self.english[:100])
        done = self.generate(short + b"\n".join([b"the dog", *long, b"the cat"]))
        found = self.lines(done)
        self.assertEqual(len(found), 105)
        self.assertEqual(found[:101] + found[104:], self.lines(self.generate(short + b"the dog\nthe cat\n")))
        self.assertRegex(done.stderr.decode(), r"\Aplumb: stdin:102: 3 of 105 lines [^\n]*1024 positions[^\n]*\n\Z")
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kB, of the largest process so far
        self.assertLess(most, 2_000_000)

    def test_options_that_forbid_everything_still_give_a_line(self):
        forbid = ("generate.no_repeat_ngram=1", "generate.min_length=500", "generate.max_len_b=900")
        for sampling in ("true", "false"):
            settings = [part for one in (*forbid, f"generate.sampling={sampling}") for part in ("--set", one)]
            self.assertEqual(len(self.lines(self.generate(b"the dog\n", *settings))), 1)

    def test_input_that_cannot_be_read(self):
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.assert_error(self.generate(folder), 2, "stdin: is a directory")
        self.assert_error(self.run_plumb("generate", "run", stdin=None, preexec_fn=lambda: os.close(0)), 2,
                          "stdin: is closed", "plumb generate RUN < FILE")
        cut = self.generate(gzip.compress(b"the dog\n" * 9)[:-9])  # there may be output for what could be unpacked
        self.assertEqual(cut.returncode, 3)
        self.assertRegex(cut.stderr.decode(), r"\Aplumb: stdin: begins as gzip but ends too early[^\n]*\n\Z")

    def test_a_run_that_cannot_be_used(self):
        self.assert_error(self.generate(b"a\n", run="none"), 2, "none: is not a run directory")
        self.assert_error(self.generate(b"a\n", run="config.toml"), 2, "config.toml: is not a run directory")
        self.assert_error(self.generate(b"a\n", "--checkpoint", "7"), 2, "there is no checkpoint 7", "last")
        state = self.folder / "run" / "checkpoints" / "5" / "state.json"
        whole = state.read_bytes()
        self.addCleanup(state.write_bytes, whole)
        for damaged in (b"", whole[:-20], b"{}"):
            state.write_bytes(damaged)
            self.assert_error(self.generate(b"a\n"), 3, "5/state.json: is missing or not whole")


class Score(Robustness):
    def score(self, metric, reference, hypotheses):
        return self.run_plumb("score", metric, "--ref", reference, "--hyp", hypotheses)

    def test_a_file_that_cannot_be_scored_is_named(self):
        for name, code, parts in self.bad_files():
            if name != "short":
                self.assert_error(self.score("bleu", name, "train.en"), code, *parts)
                self.assert_error(self.score("chrf", "train.en", name), code, *parts)
        self.assert_error(self.score("bleu", "train.en", "short"), 2, "short: has 199 lines, but train.en has 200")

    def test_a_file_without_the_right_to_read_it(self):
        self.assert_unreadable_is_said("score", "bleu", "--ref", "train.en", "--hyp", "secret")

    def test_the_same_text_in_other_clothes_has_the_same_score(self):
        other = self.write("other", text(self.english[:100] + self.english[:100]))
        for name, content in (("windows", windows(self.good)), ("unended", self.good[:-1]),
                              ("packed", gzip.compress(self.good))):
            done = self.score("bleu", self.write(name, content), other)
            self.assertEqual((done.returncode, done.stdout), (0, self.score("bleu", "train.en", other).stdout), name)

    def test_a_long_line_is_scored_or_refused_but_never_takes_days(self):
        lines = [*self.english[:7], "the dog " * (10 * MEGABYTE // 8), *self.english[8:]]
        long = self.write("long", text(lines))
        self.assertIn(b"BLEU = 100.00", self.score("bleu", long, long).stdout)
        self.assertEqual(self.score("wer", long, "train.en").returncode, 0)
        for metric in ("wer", "cer", "rouge"):
            self.assert_error(self.score(metric, long, long), 2, "long:8: ", metric, "Break the lines")


if __name__ == "__main__":
    unittest.main()
