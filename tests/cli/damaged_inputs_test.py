"""Files that others made, or that were changed since they were made: models, caches, recordings. Each is noticed, named
in one line or made again; none takes the program down or is used in silence."""

import json
import math
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

PLUMB = os.path.join(os.environ["PLUMB_BIN_DIR"], "plumb")
SHAPE = """
[model]
width = 16
heads = 2
ffn_width = 32
encoder_layers = 1
decoder_layers = 1
[train]
max_update = 4
max_tokens = 200
tensorboard = false
"""
NUMBERS = """
threads = 1
[data]
numbers_train = 60
numbers_valid = 10
numbers_max = 999
vocab_size = 60
subwords = "unigram"
cache = "cache"
""" + SHAPE
SPEECH = """
task = "speech"
threads = 1
[data]
corpus = "text"
train_source = "train.tsv"
valid_source = "valid.tsv"
audio_column = 1
text_columns = [2]
subwords = "character"
cache = "cache"
[speech]
sample_rate = 8000
mel_bins = 20
normalise = "utterance"
spec_augment = false
""" + SHAPE.replace("[train]", "subsampler_channels = 8\nmax_positions = 256\n[train]") + "validate_metric = \"\"\n"


def sound(path, samples=4000, step=0.4):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i * step))) for i in range(samples)))


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb_damaged_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plumb(self, *arguments, stdin=b""):
        return subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, cwd=self.folder, input=stdin,
                              timeout=240, check=False)

    def done(self, *arguments, stdin=b""):
        result = self.plumb(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout

    def refused(self, result, code, *parts):
        said = result.stderr.decode()
        self.assertEqual((result.returncode, result.stdout), (code, b""), said)
        self.assertRegex(said, r"\Aplumb: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, said)


class Models(Case):
    def hostile(self, name):
        """A model whose table of characters leads far out of itself, where nothing may be read."""
        (self.folder / "text").write_text("".join(f"the number {i} is spelt in words\n" for i in range(200)))
        self.done("text", "train", "--input", "text", "--model", "good.model", "--vocab-size", "60", "--type", "unigram")
        content = bytearray((self.folder / "good.model").read_bytes())
        # The table is by far the longest field: 0x12, its length in three bytes, the size of its trie.
        at = next(i for i in range(len(content) - 8) if content[i] == 0x12 and content[i + 1] & content[i + 2] & 0x80 and
                  struct.unpack_from("<I", content, i + 4)[0] in range(50_000, 400_000) and
                  struct.unpack_from("<I", content, i + 4)[0] % 1024 == 0)
        struct.pack_into("<I", content, at + 8, 0x7FFFFE00)  # the offset of the first unit
        (self.folder / name).write_bytes(content)

    def test_a_hostile_model_is_named_by_every_command_that_reads_it(self):
        self.hostile("bad.model")
        lines = "the number ﬁ ① 日本\n".encode() * 50
        for part in ("encode", "decode", "vocab"):
            self.refused(self.plumb("text", part, "--model", "bad.model", stdin=lines), 3, "bad.model", "table")
        (self.folder / "config.toml").write_text(NUMBERS.replace("vocab_size = 60", 'source_model = "bad.model"'))
        self.refused(self.plumb("prepare", "config.toml"), 3, "bad.model", "table")
        self.refused(self.plumb("train", "config.toml", "--out", "run"), 3, "bad.model", "table")
        self.assertFalse((self.folder / "run" / "checkpoints").exists())

    def test_a_run_with_a_hostile_model_is_refused_by_generate(self):
        self.hostile("bad.model")
        (self.folder / "config.toml").write_text(NUMBERS)
        self.done("train", "config.toml", "--out", "run")
        for side in ("source", "target"):
            shutil.copy(self.folder / "bad.model", self.folder / "run" / "vocabulary" / f"{side}.model")
        self.refused(self.plumb("generate", "run", stdin=b"one two\n"), 3, "run/vocabulary", "changed")


class Caches(Case):
    def damaged(self, config, pattern):
        """Prepares, damages each of the files in turn in two ways, and prepares again: the same bytes must be there."""
        (self.folder / "config.toml").write_text(config)
        before = self.done("prepare", "config.toml")
        files = sorted((self.folder / "cache").glob(pattern))
        self.assertTrue(files)
        for file in files:
            whole = file.read_bytes()
            for damage in (lambda: flip(file, len(whole) // 2), lambda: file.write_bytes(whole[:len(whole) // 2]),
                           lambda: file.write_bytes(b""), file.unlink):
                damage()
                self.assertEqual(self.done("prepare", "config.toml"), before, file)
                self.assertEqual(file.read_bytes(), whole, file)

    def test_damaged_text_of_the_cache_is_written_again(self):
        self.damaged(NUMBERS, "numbers-*/*.source")
        self.damaged(NUMBERS, "numbers-*/*.target")

    def test_a_damaged_model_of_the_cache_is_trained_again(self):
        self.damaged(NUMBERS, "spm-*.model")

    def test_a_damaged_dictionary_of_the_cache_is_counted_again(self):
        self.damaged(NUMBERS.replace('"unigram"', '"word"').replace("vocab_size = 60", "vocab_size = 40"), "*.dict.txt")

    def test_a_lost_checksum_costs_nothing_but_time(self):
        self.damaged(NUMBERS, "numbers-*/*.sha256")
        self.damaged(NUMBERS, "spm-*.sha256")

    def test_damaged_recordings_of_the_cache_are_made_again(self):
        morse = SPEECH.replace('corpus = "text"', 'corpus = "morse"\nexamples_train = 3\nexamples_valid = 2')
        for key in ("train_source", "valid_source"):
            morse = morse.replace(f'{key} = "{key[:5]}.tsv"\n', "")
        self.damaged(morse, "morse-*/train-1.wav")


class Recordings(Case):
    def setUp(self):
        super().setUp()
        for split, count in (("train", 6), ("valid", 2)):
            for i in range(count):
                sound(self.folder / f"{split}{i}.wav", 4000 + 400 * i)
            (self.folder / f"{split}.tsv").write_text("".join(f"{split}{i}.wav\tone two\n" for i in range(count)))
        (self.folder / "config.toml").write_text(SPEECH)

    def fingerprint(self):
        return json.loads(self.done("prepare", "config.toml"))["fingerprint"]

    def test_another_recording_under_the_same_name_is_other_data(self):
        before = self.fingerprint()
        self.assertEqual(self.fingerprint(), before)
        for split in ("train", "valid"):
            file = self.folder / f"{split}1.wav"
            whole, times = file.read_bytes(), os.stat(file)
            flip(file, 2000)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            self.assertNotEqual(self.fingerprint(), before, split)
            file.write_bytes(whole)
            self.assertEqual(self.fingerprint(), before, split)

    def test_recordings_may_move(self):
        before = self.fingerprint()
        (self.folder / "elsewhere").mkdir()
        for file in [*self.folder.glob("*.wav"), *self.folder.glob("*.tsv")]:
            file.rename(self.folder / "elsewhere" / file.name)
        (self.folder / "config.toml").write_text(SPEECH.replace('source = "', 'source = "elsewhere/'))
        self.assertEqual(self.fingerprint(), before)

    def test_resume_says_that_the_audio_is_another(self):
        self.done("train", "config.toml", "--out", "run")
        sound(self.folder / "train1.wav", 4400, step=0.7)
        again = ("train", "config.toml", "--out", "run", "--resume", "--set", "train.max_update=6")
        self.refused(self.plumb(*again), 2, "training audio", "recordings", "--allow-changes")
        self.done(*again, "--allow-changes")

    def test_one_unreadable_recording_takes_no_other_with_it(self):
        self.done("train", "config.toml", "--out", "run")
        paths = [str(self.folder / f"train{i}.wav") for i in range(4)]
        alone = self.done("generate", "run", stdin="".join(path + "\n" for path in paths).encode()).split(b"\n")
        (self.folder / "text.wav").write_text("this is no audio")
        whole = (self.folder / "train0.wav").read_bytes()
        (self.folder / "cut.wav").write_bytes(whole[:3000])
        (self.folder / "junk.mp3").write_bytes(b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\x44" + bytes(range(256)) * 40)
        sound(self.folder / "long.wav", 8000 * 15)
        bad = ["text.wav", "cut.wav", "junk.mp3", "long.wav", "missing.wav"]
        mixed = [paths[0], "text.wav", paths[1], "cut.wav", "", "junk.mp3", "long.wav", paths[2], "missing.wav", paths[3]]
        result = self.plumb("generate", "run", stdin="".join(path + "\n" for path in mixed).encode())
        self.assertEqual(result.returncode, 2)
        lines = result.stdout.split(b"\n")
        self.assertEqual(len(lines), len(mixed) + 1)
        self.assertEqual([lines[mixed.index(path)] for path in paths], alone[:4])
        said = result.stderr.decode().splitlines()
        self.assertEqual(len(said), len(bad), said)
        for path, line in zip(bad, said):
            self.assertEqual(lines[mixed.index(path)], b"")
            self.assertRegex(line, rf"\Aplumb: stdin:{mixed.index(path) + 1}: {path}: ")


if __name__ == "__main__":
    unittest.main()
