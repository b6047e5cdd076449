#!/usr/bin/env python3
"""Joins short recordings into longer ones: strings of spoken digits from single digits.

Reads a table (split, path, speaker, samples, transcript; tab-separated) of mono 16-bit WAV files, and writes WAV files and
a table of the same form. Every string is of one speaker and of one split, so what is tested was never trained on.

    tools/join_audio.py ../shared/data/fsdd/manifest.tsv --out runs/digits --train 6000 --valid 300 --test 300
"""

import argparse
import collections
import random
import wave
from pathlib import Path


def read_wav(path):
    with wave.open(str(path)) as file:
        if file.getnchannels() != 1 or file.getsampwidth() != 2:
            raise SystemExit(f"{path}: is not mono with 16 bits; convert it first")
        return file.getframerate(), file.readframes(file.getnframes())


def write_wav(path, rate, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--least", type=int, default=3, help="recordings of a string (3)")
    parser.add_argument("--most", type=int, default=7, help="at most (7)")
    parser.add_argument("--gap", type=float, default=0.25, help="longest silence between two, in seconds (0.25)")
    parser.add_argument("--seed", type=int, default=1)
    for split in ("train", "valid", "test"):
        parser.add_argument(f"--{split}", type=int, default=0, help=f"strings of the {split} set")
    given = parser.parse_args()

    recordings = collections.defaultdict(list)
    for line in given.manifest.read_text(encoding="utf-8").splitlines():
        split, path, speaker, _, transcript = line.split("\t")[:5]
        recordings[split, speaker].append((given.manifest.parent / path, transcript))
    given.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for split in ("train", "valid", "test"):
        speakers = sorted(speaker for own, speaker in recordings if own == split)
        draw = random.Random(f"{given.seed} {split}")
        for i in range(getattr(given, split)):
            speaker = draw.choice(speakers)
            parts = [draw.choice(recordings[split, speaker]) for _ in range(draw.randint(given.least, given.most))]
            samples, rate = b"", 0
            for path, _ in parts:
                rate, sound = read_wav(path)
                samples += (b"\0\0" * int(draw.uniform(0, given.gap) * rate) if samples else b"") + sound
            name = f"{split}-{i:05}.wav"
            write_wav(given.out / name, rate, samples)
            words = " ".join(transcript for _, transcript in parts)
            rows.append(f"{split}\t{name}\t{speaker}\t{len(samples) // 2}\t{words}\n")
    (given.out / "manifest.tsv").write_text("".join(rows), encoding="utf-8")
    print(f"{len(rows)} recordings in {given.out}")


if __name__ == "__main__":
    main()
