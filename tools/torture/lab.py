"""Where attacks happen: a folder for each case, the tiny run, and what it is like if nothing disturbs it."""

import hashlib
import itertools
import json
import shutil
import threading
import time
from functools import cached_property
from pathlib import Path

from shim import Shim

# 2+2 layers, width 16, one thread: a second, nearly all of it the start of the engine. Dropout and accumulation, so that
# a wrong position shows in the weights.
TINY = """\
threads = 1

[data]
corpus = "numbers"
numbers_train = 400
numbers_valid = 20
numbers_max = 9999
vocab_size = 60
cache = "cache"

[model]
variant = "admin"
encoder_layers = 2
decoder_layers = 2
width = 16
ffn_width = 32
heads = 2
max_positions = 64
share_all_embeddings = true
dropout = 0.3
attention_dropout = 0.1
activation_dropout = 0.1

[train]
max_update = 20
update_freq = 3
max_tokens = 200
log_interval = 5
validate_interval = 5
save_interval = 5
keep_last = 2

[optim]
lr = 3e-3

[schedule]
name = "constant"
warmup_updates = 5

[generate]
max_len_b = 10
"""
LINES = b"one\nseventy-two\nthree hundred and five\n"
LAST = 20
HALF = 15  # where the half-finished run stands, with whole checkpoints at 10 and 15
CHECKPOINT_FILES = ("model.safetensors", "optimizer.safetensors", "state.json")


def weights_and_state(folder):
    """One hash over model, optimiser and all of the trainer's state but what holds paths."""
    total = hashlib.sha256()
    for name in CHECKPOINT_FILES[:2]:
        total.update((folder / name).read_bytes())
    state = json.loads((folder / "state.json").read_text())
    for key in ("config", "prepared", "checksum", "sha256"):
        state.pop(key, None)
    total.update(json.dumps(state, sort_keys=True).encode())
    return total.hexdigest()


def broken_checkpoints(run):
    """What is wrong with folders of checkpoints that carry a number: each must be whole."""
    for folder in sorted((run / "checkpoints").glob("[0-9]*")):
        try:
            files = json.loads((folder / "state.json").read_text())["files"]
            for name, digest in files.items():
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                    yield f"{folder.name}/{name} does not have its checksum"
        except (OSError, ValueError, KeyError) as error:
            yield f"checkpoint {folder.name}: {error}"


class Lab:
    def __init__(self, program, root, seed):
        self.program, self.root, self.seed = program, Path(root), seed
        self._names = itertools.count()
        self._case = threading.local()

    def folder(self, name=""):
        """An empty folder: of the case, or one with a name, which stays."""
        made = self.root / f"{name or 'case'}-{next(self._names)}"
        made.mkdir(parents=True)
        if not name:
            self._case.__dict__.setdefault("folders", []).append(made)
        return made

    def copy(self, of):
        """A folder like this one, for a case to spoil."""
        made = self.folder()
        shutil.copytree(of, made, symlinks=True, dirs_exist_ok=True)
        return made

    def clear(self):
        """Removes the folders of this thread's case."""
        for folder in self._case.__dict__.pop("folders", []):
            shutil.rmtree(folder, ignore_errors=True)

    def good(self, *arguments, cwd, **options):
        """Runs a command that has to succeed before anything can be tried."""
        ended = self.program.run(*arguments, cwd=cwd, limit=600, **options)
        if ended.code != 0:
            command = " ".join(map(str, arguments))
            raise SystemExit(f"torture: undisturbed, plumb {command} exits {ended.code}: {ended.said()}")
        return ended

    @cached_property
    def shim(self):
        return Shim(self.root)

    def no_shim(self):
        """Why calls to the disk cannot be disturbed here, or None."""
        return None if shutil.which("cc") else "there is no C compiler (cc) for shim.c"

    def calibrate(self):
        """Seconds of an undisturbed training run on this machine, as busy as it is."""
        begin = time.monotonic()
        self.expected  # pylint: disable=pointless-statement
        return time.monotonic() - begin

    # ---- the tiny run ----

    def train(self, folder, *extra, **options):
        return self.program.run("train", "tiny.toml", "--out", "run", "--resume", *extra, cwd=folder, **options)

    def final(self, folder, run="run"):
        """The hash of the last checkpoint, or None."""
        last = folder / run / "checkpoints" / str(LAST)
        return weights_and_state(last) if (last / "state.json").is_file() else None

    @cached_property
    def prepared(self):
        """tiny.toml and its corpus, cached: no run yet."""
        folder = self.folder("prepared")
        (folder / "tiny.toml").write_text(TINY)
        self.good("prepare", "tiny.toml", cwd=folder)
        return folder

    @cached_property
    def half(self):
        """A run that ended at update HALF and can be resumed, with its corpus."""
        folder = self.folder("half")
        shutil.copytree(self.prepared, folder, dirs_exist_ok=True)
        self.good("train", "tiny.toml", "--out", "run", "--set", f"train.max_update={HALF}", cwd=folder)
        return folder

    @cached_property
    def whole(self):
        """The run that nothing disturbed, from update 0 to LAST."""
        folder = self.folder("whole")
        shutil.copytree(self.prepared, folder, dirs_exist_ok=True)
        self.good("train", "tiny.toml", "--out", "run", cwd=folder)
        return folder

    @cached_property
    def expected(self):
        return self.final(self.whole)

    READERS = {
        "generate": (["generate", "run", "--checkpoint", "last", "--nbest", "2"], LINES),
        "evaluate": (["evaluate", "run", "--checkpoint", "last", "--split", "valid", "--json"], b""),
    }

    def read(self, command, folder, **options):
        arguments, stdin = self.READERS[command]
        return self.program.run(*arguments, cwd=folder, stdin=stdin, **options)

    @cached_property
    def readings(self):
        """What each reader says about the undamaged half-finished run."""
        found = {command: self.read(command, self.half) for command in self.READERS}
        for command, ended in found.items():
            if ended.code != 0:
                raise SystemExit(f"torture: undisturbed, plumb {command} exits {ended.code}: {ended.said()}")
        return found
