"""Limits of memory, file size, open files and stack: a result, or one line that says what is missing; no endless loop."""

from attack import Failed, Listed
from lab import LINES

# kB of address space: from too little for the loader to enough for all.
MEMORY = (60_000, 150_000, 250_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000, 1_000_000, 1_300_000, 2_000_000)
FILE_SIZES = (0, 1, 4, 8, 30, 59, 97, 120, 240)  # blocks of 1,024 bytes
OPEN_FILES = (3, 4, 5, 6, 8, 10, 14, 20, 32)
STACKS = (256, 512, 1024, 4096)  # kB; with less not even libraries begin
TOO_LARGE = {
    "a width of 65,536": "$plumb train tiny.toml --out big --set model.width=65536 --set model.heads=2",
    "20,000 layers": "$plumb train tiny.toml --out big --set model.encoder_layers=20000",
    "a beam of 100,000,000": "$plumb generate run --beam 100000000",
    "batches of 2,000,000,000 tokens": "$plumb train tiny.toml --out big --set train.max_tokens=2000000000",
}
COMMANDS = {
    "train": "$plumb train tiny.toml --out run --resume",
    "generate": "$plumb generate run",
    "evaluate": "$plumb evaluate run --checkpoint last --split valid --json",
    "prepare": "$plumb prepare tiny.toml --set data.cache=other",
    "encode": "$plumb text encode --model run/vocabulary/source.model",
    "report": "$plumb report run -o page.html",
}
LOADER = 127  # the dynamic loader's own complaint: the program has not begun


class Limits(Listed):
    name = "limits"
    about = "ulimit -v, -f, -n and -s of many values for six commands; models too large for the memory; then resume"
    share = 1.5
    short = 4

    def listed(self):
        for name, command in COMMANDS.items():
            for option, values in (("v", MEMORY), ("n", OPEN_FILES), ("s", STACKS)):
                for value in values:
                    yield f"{name} with ulimit -{option} {value}", self.limited, f"-{option} {value}", command
        for name in ("train", "prepare", "report"):
            for value in FILE_SIZES:
                yield f"{name} with ulimit -f {value}", self.limited, f"-f {value}", COMMANDS[name]
        for label, command in TOO_LARGE.items():
            yield f"{label} in 3 GB", self.limited, "-v 3000000", command

    def limited(self, limit, command):
        # From where it has not been trained yet, so that there is something left to do.
        folder = self.lab.copy(self.lab.half)
        ended = self.lab.program.shell(f"ulimit {limit} && exec {command}", folder, stdin=LINES).check(0, 2, 4, LOADER)
        # What it says goes to a file here, which -f limits as well.
        if ended.code not in (0, LOADER) and not ended.complained() and not limit.startswith("-f"):
            raise Failed("other", f"exit {ended.code} without a word: {ended.said()}")
        self.lab.train(folder).check(0, what="resume without the limit")
        if self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", "resumed without the limit, but to other weights")
