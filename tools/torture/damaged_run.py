"""A half-finished run with one damaged file, and what its readers may do: notice it, or not be misled by it."""

import json
from pathlib import Path

from attack import Attack, Failed
from lab import CHECKPOINT_FILES, HALF

# Of each file: where it is in the folder of lab.half, and which commands read it. Those of one checkpoint first.
NEWEST = f"run/checkpoints/{HALF}"
READS = {
    f"{NEWEST}/model.safetensors": ("generate", "evaluate", "resume"),
    f"{NEWEST}/optimizer.safetensors": ("resume",),
    f"{NEWEST}/state.json": ("resume", "generate", "evaluate"),
    "run/config.toml": ("generate", "evaluate", "resume"),
    "run/vocabulary/source.model": ("generate", "evaluate", "resume"),
    "run/vocabulary/target.model": ("generate", "evaluate"),
    "run/log.jsonl": ("resume", "report"),
}


def cached(folder):
    """What `plumb prepare` keeps: read by every new run."""
    return sorted(str(file.relative_to(folder)) for file in (folder / "cache").rglob("*") if file.is_file())


class DamagedRun(Attack):
    """Each case damages one file and gives it to one command. `damage` is the attack's own."""

    def targets(self):
        """(file, command) pairs, so that few cases meet all of them."""
        pairs = [(file, command) for file, commands in READS.items() for command in commands]
        return pairs + [(file, "train") for file in cached(self.lab.half)]

    def size(self, file):
        return (self.lab.half / file).stat().st_size

    def judge(self, file, command, damage):
        """Damages a copy of the run with `damage(path)` and raises Failed unless the command copes."""
        folder = self.lab.copy(self.lab.half)
        damage(folder / file)
        getattr(self, command)(folder, file)

    # ---- commands ----

    def reader(self, command, folder):
        ended, right = self.lab.read(command, folder), self.lab.readings[command]
        ended.check(0, 2, 3, 4, what=command)
        if ended.code == 0 and ended.out != right.out and not ended.complained():
            raise Failed("silently wrong", f"{command} exited 0 without a word: {difference(right.out, ended.out)}")

    def generate(self, folder, _file):
        self.reader("generate", folder)

    def evaluate(self, folder, _file):
        self.reader("evaluate", folder)

    def resume(self, folder, file):
        of_checkpoint = Path(file).name in CHECKPOINT_FILES
        ended = self.lab.train(folder).check(0, 2, 3, 4, what="resume")
        if ended.code == 0 and self.lab.final(folder) != self.lab.expected:
            raise Failed("silently wrong", f"resume exited 0 with other weights: {ended.said()}")
        # There is a whole checkpoint before it.
        if ended.code != 0 and of_checkpoint:
            raise Failed("other", f"resume exited {ended.code} instead of taking the checkpoint before: {ended.said()}")

    def train(self, folder, _file):
        """A new run from what is cached."""
        ended = self.lab.program.run("train", "tiny.toml", "--out", "new", cwd=folder).check(0, 2, 3, 4, what="train")
        if ended.code == 0 and self.lab.final(folder, "new") != self.lab.expected and not ended.complained():
            raise Failed("silently wrong", "a new run from a damaged cache has other weights or data, exit 0, without a word")

    def report(self, folder, _file):
        self.lab.program.run("report", "run", "-o", "page.html", cwd=folder).check(0, 2, 3, what="report")


def difference(right, wrong):
    """The first number or line in which two outputs differ."""
    try:
        right, wrong = json.loads(right), json.loads(wrong)
        for key in ("loss", *right):
            if right.get(key) != wrong.get(key):
                return f"{key} {right.get(key)} became {wrong.get(key)}"
    except (ValueError, AttributeError):
        pass
    for one, other in zip(str(right).split("\\n"), str(wrong).split("\\n")):
        if one != other:
            return f"{one[:80]} became {other[:80]}"
    return "the output ends elsewhere"
