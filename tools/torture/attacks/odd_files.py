"""Things in the place of files: pipes, folders, endless devices, links to nowhere, nothing, or a file without rights."""

import os
import shutil

from attack import Listed
from damaged_run import READS, DamagedRun


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder(path):
    path.unlink()
    path.mkdir()


def link_to(target):
    def make(path):
        path.unlink()
        path.symlink_to(target)
    return make


def emptied_folder(path):
    """What a kill in the middle of a removal leaves."""
    for file in path.parent.iterdir():
        if file.is_file():
            file.unlink()


def swapped(path):
    """The same file of the checkpoint before."""
    others = sorted(path.parent.parent.glob(f"[0-9]*/{path.name}"))
    shutil.copyfile(next((one for one in others if one.parent != path.parent), path.parent / "none"), path)


ODD = {"a FIFO": pipe, "a folder": folder, "a link to /dev/zero": link_to("/dev/zero"),
       "a link to /dev/full": link_to("/dev/full"), "a link to itself": link_to("state.json"),
       "a dangling link": link_to("nowhere"), "missing": os.unlink}


class OddFiles(DamagedRun, Listed):
    name = "odd_files"
    about = "FIFOs, folders, endless devices, dangling links, swapped or missing files in place of a run's files"
    short = 3

    def listed(self):
        for file, commands in READS.items():
            for command in commands:
                for what, make in ODD.items():
                    yield f"{file} is {what}", self.judge, file, command, make
                if "checkpoints" in file:
                    yield f"{file} from another checkpoint", self.judge, file, command, swapped
        for command in ("resume", "generate", "evaluate"):
            yield "an emptied checkpoint folder", self.judge, next(iter(READS)), command, emptied_folder
