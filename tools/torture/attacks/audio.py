"""Mutated audio files: left out with a word, or refused by name; in a list, the others still get their lines."""

import io
import math
import struct
import threading
import wave
from functools import cached_property

from attack import Attack, Failed

SPEECH = """\
task = "speech"
threads = 1
speech = { sample_rate = 8000, mel_bins = 20, spec_augment = false }
train = { max_update = 3, max_tokens = 2000, validate_interval = 3, save_interval = 3, tensorboard = false }
generate = { max_len_a = 0.0, max_len_b = 8 }

[data]
corpus = "text"
train_source = "list.tsv"
valid_source = "list.tsv"
audio_column = 1
text_columns = [2]
subwords = "character"
cache = "cache"

[model]
width = 16
ffn_width = 32
heads = 2
encoder_layers = 1
decoder_layers = 1
subsampler_channels = 16
max_positions = 256
share_decoder_input_output_embed = true
dropout = 0.0
"""
COUNT = 6
ONE_AT_A_TIME = threading.Lock()  # two cases may want the run at once


def tone(number, rate=8000, width=2, channels=1, frames=None):
    """A WAV file of a sine."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(width)
        out.setframerate(rate)
        for at in range(3000 + 400 * number if frames is None else frames):
            level = int(8000 * math.sin(at * (number + 2) / 9))
            sample = bytes([128 + level // 256]) if width == 1 else struct.pack("<i", level << 8 * (width - 2))[:width]
            out.writeframesraw(sample * channels)
    return file.getvalue()


def mutant(draw):
    good = bytearray(tone(1))
    how = draw.choice(("header", "header", "body", "cut", "empty", "odd format", "junk", "chunk size", "ogg", "mp3", "flac"))
    if how in ("header", "body"):
        low, high = (0, 44) if how == "header" else (44, len(good))
        for _ in range(draw.randint(1, 6)):
            good[draw.randrange(low, high)] = draw.randrange(256)
    elif how == "cut":
        del good[draw.randrange(len(good)):]
    elif how == "empty":
        good = bytearray(draw.choice((b"", tone(0, frames=0), tone(0, frames=1), b"RIFF")))
    elif how == "odd format":
        good = bytearray(tone(0, rate=draw.choice((1, 7, 4000, 44100, 192000)), width=draw.choice((1, 2, 3, 4)),
                              channels=draw.choice((1, 2, 8, 200)), frames=draw.randrange(400)))
    elif how == "chunk size":
        at = draw.choice((4, 16, 40))
        good[at:at + 4] = draw.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1)).to_bytes(4, "little")
    else:
        magic = {"junk": b"", "ogg": b"OggS\0\2", "mp3": b"ID3\4\0\0\0\0\0\x0a", "flac": b"fLaC\0\0\0\x22"}[how]
        good = bytearray(magic + draw.randbytes(draw.randrange(4000)))
    return how, bytes(good)


def speech_run(lab):
    """Six recordings, their list, and a run that was trained on them; made once."""
    folder = lab.root / "speech"
    with ONE_AT_A_TIME:
        if not folder.exists():
            folder.mkdir()
            (folder / "speech.toml").write_text(SPEECH)
            for number in range(COUNT):
                (folder / f"a{number}.wav").write_bytes(tone(number))
            (folder / "list.tsv").write_text("".join(f"a{number}.wav\t{'abcdef'[number]}a\n" for number in range(COUNT)))
            lab.good("train", "speech.toml", "--out", "run", cwd=folder)
    return folder


class Audio(Attack):
    name = "audio"
    about = "mutated WAV, Ogg, MP3 and FLAC files in prepare and in the input of generate: N lines in, N lines out"
    short = 3

    @cached_property
    def right(self):
        return self.generate(speech_run(self.lab)).out.splitlines()

    def generate(self, folder):
        names = "".join(f"a{number}.wav\n" for number in range(COUNT)).encode()
        return self.lab.program.run("generate", "run", cwd=folder, stdin=names)

    def run(self, case):
        draw = self.draw(case)
        how, content = mutant(draw)
        bad = draw.randrange(COUNT)
        folder = self.lab.copy(speech_run(self.lab))
        (folder / f"a{bad}.wav").write_bytes(content)
        try:
            if case % 2:
                self.lab.program.run("prepare", "speech.toml", cwd=folder).check(0, 2, 3, what="prepare")
            else:
                self.lines(self.generate(folder), bad)
        except Failed as failed:
            raise Failed(failed.kind, f"{how}: {failed}") from None

    def lines(self, ended, bad):
        ended.check(0, 2, 3, what="generate")
        found = ended.out.splitlines()
        if len(found) != COUNT:
            raise Failed("other", f"{COUNT} lines in, {len(found)} out, exit {ended.code}: {ended.said()}")
        others = [number for number in range(COUNT) if number != bad and found[number] != self.right[number]]
        if others:
            raise Failed("silently wrong", f"line {others[0] + 1} is another because line {bad + 1} is bad")
