"""Plumb against itself: training steps with several settings, in turns, on the same batches."""

import contextlib
import dataclasses
import pathlib
import tempfile

import batches
import workloads
from worker import FUSED, Worker

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "plumb-bench"
BASE = next(w for w in workloads.WORKLOADS if w.name == "A-small")
THREADS = 2
BATCHES = 3


def fastest(seconds):
    """Of one setting: its fastest step on each batch, added up. What else the machine does only ever slows a step down,
    so this varies much less than a mean or a median does."""
    return sum(min(seconds[batch::BATCHES]) for batch in range(BATCHES))


def seconds_of_steps(changes, rounds):
    """For each of `changes`, settings that differ from those of A-small: the seconds of `rounds` steps.

    A round is one step of each, on one batch, which is the number of the round modulo BATCHES. Who begins changes from
    round to round.
    """
    made = batches.make(BASE.kind, BATCHES, BASE.size("target_vocab"), seed=1)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = pathlib.Path(folder) / "batches.json"
        batches.write(file, made)
        workers = []
        for change in changes:
            workload = dataclasses.replace(BASE, settings={**BASE.settings, **change})
            workers.append(Worker(FUSED, [str(PROGRAM), "--path", "fused"], workload, file, THREADS))
            stack.callback(workers[-1].close)
        for batch in range(BATCHES):  # warms up
            for worker in workers:
                worker.ask("step", batch=batch)
        seconds = [[] for _ in workers]
        for number in range(rounds):
            first = number % len(workers)
            for i in [*range(first, len(workers)), *range(first)]:
                seconds[i].append(workers[i].ask("step", batch=number % BATCHES)["seconds"])
    return seconds
