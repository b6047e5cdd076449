"""The preloaded library between plumb and the disk (shim.c): compiled once, told by environment what to do."""

import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


class Shim:
    def __init__(self, folder):
        self.library = Path(folder) / "shim.so"
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(self.library), str(SOURCE), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"torture: {SOURCE.name} cannot be compiled: {done.stderr.strip()}")

    def environment(self, mode, root, log, at=0, error=0):
        """For a process whose calls under `root` count; the log gets what the shim did, or the whole record."""
        log.write_bytes(b"")
        state = log.with_suffix(".state")
        state.write_bytes(bytes(64))
        return {**os.environ, "LD_PRELOAD": str(self.library), "PLUMB_SHIM_MODE": mode, "PLUMB_SHIM_LOG": str(log),
                "PLUMB_SHIM_STATE": str(state), "PLUMB_SHIM_ROOT": os.path.realpath(root), "PLUMB_SHIM_AT": str(at),
                "PLUMB_SHIM_ERRNO": str(error)}
