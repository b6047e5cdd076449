#!/usr/bin/env python3
"""Builds the libFuzzer targets of tests/fuzz with clang, AddressSanitizer and UndefinedBehaviorSanitizer, runs each for
some seconds from its kept seeds, and prints a table: executions, findings, and the command that repeats each."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
MOST_FINDINGS = 5  # of one target; more of them are most often the same one


def clang():
    for name in ("clang++", *(f"clang++-{version}" for version in range(20, 13, -1))):
        if path := shutil.which(name):
            return path
    sys.exit("fuzz: clang++ is not installed (libFuzzer is part of it): apt-get install clang")


def build(targets):
    compiler = clang()
    jobs = os.environ.get("PLUMB_JOBS", "1")
    log = BUILD / "build.log"
    BUILD.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DPLUMB_FUZZ=ON",
                 f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={compiler.replace('clang++', 'clang')}"]
    compile_all = ["cmake", "--build", BUILD, "-j", jobs, "--target", *(f"fuzz_{target}" for target in targets)]
    print(f"fuzz: building {len(targets)} targets", flush=True)
    with open(log, "wb") as output:
        for command in (configure, compile_all):
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode != 0:
                sys.exit(f"fuzz: the build failed; full log: {log}")


def run_once(target, seconds, seed, work):
    """One run of libFuzzer, which ends at its first finding: executions, and the file of the finding or None."""
    findings = BUILD / "findings"
    findings.mkdir(exist_ok=True)
    command = [BUILD / f"fuzz_{target}", f"-seed={seed}", f"-max_total_time={max(1, round(seconds))}",
               f"-artifact_prefix={findings}/{target}-", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
               work, SOURCES / "corpus" / target]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                          check=False)
    executions = re.findall(r"stat::number_of_executed_units: *(\d+)", done.stderr) or \
        re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)[-1:] or ["0"]
    if done.returncode == 0:
        return int(executions[0]), None
    artifact = re.findall(r"Test unit written to (\S+)", done.stderr)
    if not artifact:  # a seed that fails has no new file
        artifact = re.findall(r"^.*Running: (\S+)", done.stderr, re.MULTILINE) or ["(see the log)"]
    Path(artifact[0] + ".log").write_text(done.stderr) if artifact[0].startswith("/") else print(done.stderr[-3000:])
    return int(executions[0]), artifact[0]


def fuzz(target, seconds, seed):
    executions, findings, end = 0, [], time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix=f"plumb_fuzz_{target}_") as work:
        while not findings or (time.monotonic() < end and len(findings) < MOST_FINDINGS):
            count, found = run_once(target, end - time.monotonic(), seed + len(findings), work)
            executions += count
            if found is None:
                break
            if found not in findings:
                findings.append(found)
    return executions, findings


def main():
    targets = sorted(path.stem for path in SOURCES.glob("*.cpp"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for each target (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of libFuzzer's mutations (default: 1)")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all of {', '.join(targets)}")
    given = parser.parse_args()
    for target in given.targets:
        if target not in targets:
            parser.error(f"there is no target {target}; there are {', '.join(targets)}")
    chosen = given.targets or targets
    build(chosen)
    print(f"{'target':12} {'executions':>12} {'findings':>8}  repeat with")
    failed = False
    for target in chosen:
        executions, findings = fuzz(target, given.seconds, given.seed)
        failed = failed or bool(findings)
        program = (BUILD / f"fuzz_{target}").relative_to(ROOT)
        commands = [f"{program} {os.path.relpath(found, ROOT)}" for found in findings] or [""]
        print(f"{target:12} {executions:12,} {len(findings):8}  {commands[0]}".rstrip(), flush=True)
        for command in commands[1:]:
            print(f"{'':35} {command}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
