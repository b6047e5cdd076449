"""./dev torture: attacks plumb in every way that this folder knows, and says in one table what it survived."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import attacks
import campaign
from lab import Lab
from program import Program

ROOT = Path(__file__).resolve().parents[2]
# A command hangs if it takes so many seconds and so many times what an undisturbed run takes on this machine, as busy as
# it is. A test must not fail because others need the machine: the short form waits for longer.
LEAST_LIMIT, LEAST_LIMIT_SHORT, LIMIT_FACTOR = 30, 120, 10


def arguments():
    names = [one.name for one in attacks.ALL]
    parser = argparse.ArgumentParser(prog="./dev torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="total time, divided among the attacks (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of all cases (default: 1)")
    parser.add_argument("--short", action="store_true", help="a few cases of each attack, about a minute")
    parser.add_argument("--only", metavar="NAME", choices=names, help=f"one attack: {', '.join(names)}")
    parser.add_argument("--case", type=int, help="one case of --only NAME, as the list of failures names it")
    parser.add_argument("--list", action="store_true", help="list the attacks and stop")
    given = parser.parse_args()
    if given.case is not None and not given.only:
        parser.error("--case needs --only NAME")
    return given


def commit():
    """The commit that the programs were built from, as they say it."""
    plumb = str(programs() / "plumb")
    return subprocess.run([plumb, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def programs():
    return Path(os.environ.get("PLUMB_BIN_DIR", ROOT / "build" / "release")).resolve()


def say(text):
    print(text, flush=True)


def conclude(results, seed):
    say("\n" + campaign.table(results))
    failures = [(result.attack.name, *failure) for result in results for failure in result.failures]
    if failures:
        say("\nFailures, each with the command that repeats it:")
    for name, case, kind, text in failures:
        say(f"- {name} {case}, {kind}: {text}\n      ./dev torture --only {name} --seed {seed} --case {case}")
    tried, failed = sum(result.tried for result in results), len(failures)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    say(f"\ntorture: {tried - failed:,} of {tried:,} cases survived; {used.ru_utime + used.ru_stime:.0f} s of CPU time")
    return 1 if failures else 0


def main():
    given = arguments()
    if given.list:
        for one in attacks.ALL:
            say(f"{one.name:16} {one.about}")
        return 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # crashes are expected; their dumps are of no use
    with tempfile.TemporaryDirectory(prefix="plumb_torture_") as folder:
        least = LEAST_LIMIT_SHORT if given.short else LEAST_LIMIT
        lab = Lab(Program(programs(), least), folder, given.seed)
        chosen = [one(lab) for one in attacks.ALL
                  if (one.name == given.only if given.only else not (given.short and one.long_only))]
        say(f"torture: {commit()}, seed {given.seed}")
        lab.program.limit = max(least, LIMIT_FACTOR * lab.calibrate())
        if given.case is not None:
            results = [campaign.make(chosen[0], [given.case], say)]
        else:
            results = campaign.run(chosen, 60 * given.minutes, given.short, say)
        return conclude(results, given.seed)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
