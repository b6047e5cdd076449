"""An include goes down the ladder of docs/architecture.md, never up and never sideways; torch stays on its side."""

import re
import sys

import tree

# From low to high. A folder may include itself and every row below it that its side can see: the front side and the
# torch side see the plain rows and themselves, the top sees everything.
PLAIN, FRONT, TORCH_SIDE, TOP = "plain", "front", "torch", "top"
LADDER = [
    {PLAIN: ["base"]},
    {PLAIN: ["catalogue", "process"]},
    {PLAIN: ["config", "text", "metric", "audio", "kernel"]},
    {PLAIN: ["data", "runs"]},
    {TORCH_SIDE: ["memory"]},
    {TORCH_SIDE: ["ops", "store"]},
    {TORCH_SIDE: ["residual", "optim", "speech", "dist"]},
    {TORCH_SIDE: ["nn", "checkpoint"], FRONT: ["spm"]},
    {TORCH_SIDE: ["decode"], FRONT: ["prepare"]},
    {TORCH_SIDE: ["task"], FRONT: ["report"]},
    {TORCH_SIDE: ["train", "probe"], FRONT: ["sweep"]},
    {FRONT: ["reproduce"]},
    {TOP: ["cli"]},
]
SEES = {PLAIN: {PLAIN}, FRONT: {PLAIN, FRONT}, TORCH_SIDE: {PLAIN, TORCH_SIDE}, TOP: {PLAIN, FRONT, TORCH_SIDE}}
WITHOUT_TORCH = {PLAIN, FRONT}
TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
CODE = ("src", "tests", "bench", "examples")

PLACE = {folder: (row, side) for row, sides in enumerate(LADDER) for side, names in sides.items() for folder in names}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(parts):
    """The folder of the ladder that a path under plumb/ lies in: "ops" for ops/fused/gemm.h; None for plumb/x.h."""
    return parts[0] if len(parts) > 1 else None


def wrong_direction(here, target):
    """Why a file of folder `here` may not include a file of folder `target`, or None."""
    if target not in PLACE:
        return f"the folder {target} is not in the ladder"
    if here == target:
        return None
    (row, side), (target_row, target_side) = PLACE[here], PLACE[target]
    if target_side not in SEES[side]:
        return f"{here} ({side}) must not include {target} ({target_side})"
    if target_row == row:
        return f"{here} includes {target} sideways"
    return f"{here} includes {target} upwards" if target_row > row else None


def check_source(path, bracket, name):
    """Problems of one include of a file in src/plumb."""
    here = folder_of(path.parts[2:])
    if bracket == '"' and not name.startswith("plumb/"):
        yield "our headers are included by their path from src/, as plumb/..."
    if here not in PLACE:
        return
    if name.startswith(TORCH) and PLACE[here][1] in WITHOUT_TORCH:
        yield f"{here} is a folder without torch"
    target = folder_of(name.split("/")[1:]) if name.startswith("plumb/") else None
    problem = wrong_direction(here, target) if target else None
    if problem:
        yield problem


def check_file(path, content):
    """(line, problem) of one file."""
    parts = path.parts
    # Highway compiles an -inl.h once per instruction set, with a guard of its own.
    header = path.suffix == ".h" and not path.name.endswith("-inl.h")
    if header and not re.search(r"^#pragma once$", content, re.MULTILINE):
        yield 1, "no #pragma once"
    if parts[:2] == ("src", "plumb") and len(parts) > 3 and folder_of(parts[2:]) not in PLACE:
        yield 1, f"the folder {parts[2]} is not in the ladder"
    for match in INCLUDE.finditer(content):
        line = content.count("\n", 0, match.start()) + 1
        bracket, name = match.groups()
        if name == "torch/torch.h":
            yield line, "torch/torch.h costs 20 s a file: include the ATen headers you use"
        if parts[:2] == ("tests", "oracle") and name.startswith(TORCH + ("plumb/",)):
            yield line, f"the oracle shares nothing with src/ and LibTorch: {name}"
        if parts[:2] == ("src", "plumb"):
            yield from ((line, problem) for problem in check_source(path, bracket, name))


def problems(root):
    for path in tree.files(root):
        if path.parts[0] in CODE and path.suffix in tree.CPP:
            for line, problem in check_file(path, tree.text(root / path) or ""):
                yield f"{path}:{line}: {problem}"


if __name__ == "__main__":
    sys.exit(tree.conclude("includes", list(problems(tree.parser(__doc__).parse_args().root))))
