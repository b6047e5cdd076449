"""A program that is being measured: a process that does one thing at a time and waits in between."""

import glob
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PEER = "PyTorch"
FUSED = "plumb fused"
# python3-torch is Debian's: another Python first in the path does not have it.
PYTHON = "/usr/bin/python3"


def environment(threads):
    """The best settings known for LibTorch on a CPU, the same for every worker."""
    settings = {
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",
        # glibc keeps what is freed: a step needs the same memory as the step before.
        "MALLOC_MMAP_THRESHOLD_": str(1 << 32),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
        "MALLOC_TOP_PAD_": str(256 << 20),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # The OpenMP build of OpenBLAS, whichever one the system prefers.
    blas = glob.glob("/usr/lib/*/openblas-openmp")
    if blas:
        settings["LD_LIBRARY_PATH"] = ":".join(blas + os.environ.get("LD_LIBRARY_PATH", "").split(":")).rstrip(":")
    return {**os.environ, **settings}


def programs(plumb_bench):
    """Name and command of each worker of a workload; PyTorch comes last."""
    commands = {f"plumb {path}": [str(plumb_bench), "--path", path] for path in ("fused", "reference")}
    return {**commands, PEER: [PYTHON, str(HERE / "peers" / "pytorch_worker.py")]}


class Worker:
    def __init__(self, name, command, workload, batch_file, threads):
        self.name = name
        arguments = ["--batches", str(batch_file), "--threads", str(threads)]
        for key, value in workload.settings.items():
            arguments += ["--set", f"{key}={value}"]
        self.process = subprocess.Popen(command + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment(threads))

    def ask(self, what, **details):
        """One command, and its answer."""
        try:
            print(json.dumps({"do": what, **details}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SystemExit(f"bench: {self.name} ended (code {self.process.wait()}) when asked to {what}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()  # it then ends by itself
        self.process.stdout.close()
        self.process.wait()
