"""Measures Plumb, its reference path and PyTorch on the same batches, in turns, and prints one table.

bench/README.md says what the columns mean.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import batches
import results
import workloads
from worker import FUSED, PEER, Worker, programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEWEST_ROUNDS = 9
LEAST_SECONDS = 90  # of rounds: short steps get more of them, because the machine's speed varies
DISTINCT_BATCHES = 12
UNITS = {"step": "tokens/s", "generate": "sentences/s", "hvp": "tokens/s"}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="workloads, for example A-small,B; all without it")
    parser.add_argument("--rounds", type=int, default=FEWEST_ROUNDS,
                        help=f"at least so many, and {LEAST_SECONDS} s; fewest: {FEWEST_ROUNDS}")
    parser.add_argument("--quick", action="store_true", help="two rounds, to see whether it works")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the batches")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "bench.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="where plumb-bench is")
    given = parser.parse_args(arguments)
    known = [w.name for w in workloads.WORKLOADS]
    unknown = [name for name in given.only.split(",") if name and name not in known]
    if unknown:
        parser.error(f"there is no workload {unknown[0]}; there are {', '.join(known)}")
    if given.rounds < FEWEST_ROUNDS:
        parser.error(f"a figure needs at least {FEWEST_ROUNDS} rounds; --quick makes two, for trying")
    return given


def say(text):
    """Where it is, for people who wait."""
    if sys.stderr.isatty():
        print(f"\r{text:30}\r", end="", file=sys.stderr, flush=True)


def warm_up(made):
    """The extremes, so that no later batch needs more memory: the longest sentences, the most, the longest again."""
    def longest(i):
        return max(map(len, made[i]["target"] or made[i]["source"]))

    order = sorted(range(len(made)), key=longest)
    return [order[-1], order[0], order[-1]]


def share_weights(workers, folder):
    """The peer takes Plumb's; Plumb's workers draw the same ones from the same seed."""
    file = str(folder / "weights.safetensors")
    workers[0].ask("weights", file=file)
    workers[-1].ask("load", file=file)
    os.remove(file)


def play_round(workload, workers, made, number):
    """One command to every worker, and the peak after each. Who begins changes from round to round."""
    batch = number % len(made)
    first = number % len(workers)
    answers, peaks = {}, []
    for worker in workers[first:] + workers[:first]:
        answers[worker.name] = worker.ask(workload.do, batch=batch)
        peaks.append(workers[0].ask("sgemm", size=1536)["gflops"] * 1e9)
    peak = statistics.median(peaks)
    steps = int(workload.settings.get("generate.max_len_b", 0)) + 1
    work = len(made[batch]["source"]) if workload.do == "generate" else batches.tokens(made[batch])
    return {"answers": answers, "peak": peak, "work": work, "batch": batch,
            "flops": workloads.useful_flops(workload, made[batch], steps)}


def void_reasons(workload, losses, first, rows):
    yield from results.disagreements(losses, "loss", results.MOST_LOSS_DIFFERENCE)
    if workload.do != "step":
        yield from results.disagreements(first, "check", results.MOST_CHECK_DIFFERENCE)
    peer = next(row for row in rows if row["worker"] == PEER)
    must = workload.peer_must_reach
    if must and peer["mfu"]["median"] < must:
        yield f"{PEER} reaches {peer['mfu']['median']:.3f} of the sgemm peak; it is known to reach {must}"
    fused = next(row for row in rows if row["worker"] == FUSED)
    if workload.do == "step" and (fused["reference_calls"] or fused["fresh_allocations"]):
        yield (f"a step of {FUSED} made {fused['reference_calls']} reference calls, "
               f"{fused['fresh_allocations']} allocations")


def measure(workload, given, folder):
    made = batches.make(workload.kind, DISTINCT_BATCHES, workload.size("target_vocab"), given.seed)
    file = folder / "batches.json"
    batches.write(file, made)
    with contextlib.ExitStack() as stack:
        workers = []
        for name, command in programs(given.build / "plumb-bench").items():
            workers.append(Worker(name, command, workload, file, given.threads))
            stack.callback(workers[-1].close)
        share_weights(workers, folder)
        losses = {} if workload.kind == "sources" else {w.name: w.ask("loss", batch=0) for w in workers}
        for batch in warm_up(made):
            first = {worker.name: worker.ask(workload.do, batch=batch) for worker in workers}
        for batch in range(len(made)):  # its counter of allocations has to stand still from here on
            workers[0].ask(workload.do, batch=batch)
        rounds, end = [], time.monotonic() + (0 if given.quick else LEAST_SECONDS)
        while len(rounds) < (2 if given.quick else given.rounds) or time.monotonic() < end:
            say(f"{workload.name}: round {len(rounds) + 1}")
            rounds.append(play_round(workload, workers, made, len(rounds)))
        peaks = {worker.name: worker.ask("peak_memory")["bytes"] for worker in workers}
    say("")

    def measured(name):
        return [r["answers"][name] for r in rounds]

    rows = [results.row(name, measured(name), measured(PEER), rounds) | {"peak_bytes": peak}
            for name, peak in peaks.items()]
    return {"name": workload.name, "what": workload.what, "unit": UNITS[workload.do],
            "settings": workload.settings, "loss": {name: answer["loss"] for name, answer in losses.items()},
            "peak_gflops": results.summary([r["peak"] / 1e9 for r in rounds]),
            "batches": [r["batch"] for r in rounds], "rows": rows,
            "void": list(void_reasons(workload, losses, first, rows))}


def main():
    given = parse(sys.argv[1:])
    chosen = given.only.split(",") if given.only else [w.name for w in workloads.WORKLOADS]
    report = {"threads": given.threads, "rounds": 2 if given.quick else given.rounds, "seed": given.seed,
              "workloads": []}
    print(results.HEADER)
    with tempfile.TemporaryDirectory() as folder:
        for workload in (w for w in workloads.WORKLOADS if w.name in chosen):
            report["workloads"].append(measure(workload, given, pathlib.Path(folder)))
            print("\n".join(results.lines(report["workloads"][-1])), flush=True)
            given.json.parent.mkdir(parents=True, exist_ok=True)
            given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if any(w["void"] for w in report["workloads"]) else 0


if __name__ == "__main__":
    sys.exit(main())
