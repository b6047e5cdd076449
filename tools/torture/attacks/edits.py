"""state.json and config.toml of a run edited by hand: refused, passed over, or without effect; never believed."""

import json

from attack import Listed
from damaged_run import NEWEST, DamagedRun

NUMBERS = {
    ("position", "update"): (31, 14, -5, 1000, 15.5),
    ("position", "epoch"): (0, 7, -1),
    ("position", "batch"): (-1, 0, 89, 2**62),
    ("position", "tokens"): (0, -1),
    ("position", "best_loss"): (0.1, -1e308),
    ("position", "best_update"): (10, -1, 999),
    ("optimiser_steps",): (0, 31, -1),
    ("guard", "mean"): (0.0, 1e300),
    ("guard", "seen"): (-1, 10**9),
    ("update",): (10, -15),
    ("threads",): (0, -1, 10**9),
    ("version",): (0, 2, 99),
    ("data",): ("0" * 64, ""),
}
WRONG_TYPES = (None, "x", [], {}, True, "NaN", 1e999)
CONFIG = (
    ("heads = 2", "heads = 4"),
    ('activation = "relu"', 'activation = "gelu"'),
    ("norm_eps = 0.0", "norm_eps = 0.1"),
    ("scale_embedding = true", "scale_embedding = false"),
    ("max_positions = 64", "max_positions = 32"),
    ("encoder_layers = 2", "encoder_layers = 1"),
    ("width = 16", "width = 32"),
    ('variant = "admin"', 'variant = "pre_ln"'),
    ('norm = "auto"', 'norm = "rms_norm"'),
    ('positions = "fairseq"', 'positions = "learned"'),
    ("joint = true", "joint = false"),
)


def edit(keys, value):
    def change(path):
        state = json.loads(path.read_text())
        inner = state
        for key in keys[:-1]:
            inner = inner.setdefault(key, {})
        if value is Ellipsis:
            inner.pop(keys[-1], None)
        else:
            inner[keys[-1]] = value
        path.write_text(json.dumps(state, indent=1) + "\n")
    return change


def become(text):
    return lambda path: path.write_text(text)


def replace(old, new):
    return lambda path: path.write_text(path.read_text().replace(old, new))


class Edits(DamagedRun, Listed):
    name = "edits"
    about = "numbers and types of state.json, keys of config.toml changed by hand; resume, generate, evaluate"
    short = 4

    def listed(self):
        state = f"{NEWEST}/state.json"
        for keys, values in NUMBERS.items():
            for value in (*values, *WRONG_TYPES, ...):
                label = f"state.json, {'.'.join(keys)} = {'missing' if value is ... else json.dumps(value)}"
                yield label, self.judge, state, "resume", edit(keys, value)
        for value in WRONG_TYPES:
            for command in ("resume", "generate"):
                yield f"state.json is {json.dumps(value)}", self.judge, state, command, become(json.dumps(value))
        for old, new in CONFIG:
            for command in ("generate", "evaluate", "resume"):
                yield f"config.toml, {new} (was {old})", self.judge, "run/config.toml", command, replace(old, new)
