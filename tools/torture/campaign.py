"""Runs attacks within a time, one after the other, and puts together what they found."""

import os
import threading
import time
from dataclasses import dataclass, field

from attack import KINDS, Failed, NothingLeft

JOBS = int(os.environ.get("PLUMB_JOBS", "1"))


@dataclass
class Result:
    attack: object
    tried: int = 0
    seconds: float = 0.0
    skipped: str = ""
    failures: list = field(default_factory=list)  # (case, kind, text)

    def count(self, kind):
        return sum(found == kind for _, found, _ in self.failures)


def one_case(attack, case):
    """(kind, text) of its failure, or None. A mistake of the campaign itself is a failure too, never a success."""
    try:
        attack.run(case)
    except NothingLeft:
        raise
    except Failed as failed:
        return failed.kind, str(failed)
    except Exception as error:  # the others still have to be tried
        return "other", f"the attack itself failed: {type(error).__name__}: {error}"
    finally:
        attack.lab.clear()
    return None


def cases_of(attack, seconds, most):
    """Numbers of cases until the time is over or there are no more, at least one."""
    total, begin, case = attack.count(), time.monotonic(), 0
    while (total is None or case < total) and case < most and (case == 0 or time.monotonic() - begin < seconds):
        yield case
        case += 1


def make(attack, cases, say):
    """Tries the cases, PLUMB_JOBS at a time."""
    result, begin = Result(attack), time.monotonic()
    result.skipped = attack.skip() or ""
    lock, left = threading.Lock(), iter(() if result.skipped else cases)

    def work():
        while True:
            with lock:
                case = next(left, None)
            if case is None:
                return
            try:
                failure = one_case(attack, case)
            except NothingLeft:
                continue
            with lock:
                result.tried += 1
                if failure:
                    result.failures.append((case, *failure))
                    say(f"{attack.name} {case}: {failure[0]}: {failure[1]}")

    workers = [threading.Thread(target=work) for _ in range(JOBS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    result.failures.sort()
    result.seconds = time.monotonic() - begin
    return result


def summary(result):
    if result.skipped:
        return f"{result.attack.name}: skipped: {result.skipped}"
    survived = result.tried - len(result.failures)
    return f"{result.attack.name}: {survived} of {result.tried} survived, {result.seconds:.0f} s"


def run(attacks, seconds, short, say):
    """Divides the time: what an attack leaves is for those after it."""
    end, results = time.monotonic() + seconds, []
    for at, attack in enumerate(attacks):
        left = sum(one.share for one in attacks[at:])
        attack.seconds = max(0.0, end - time.monotonic()) * attack.share / left
        seconds, most = (float("inf"), attack.short) if short else (attack.seconds, float("inf"))
        results.append(make(attack, cases_of(attack, seconds, most), say))
        say(summary(results[-1]))
    return results


def table(results):
    """In Markdown, as docs/reliability.md has it."""
    plural = {"crash": "crashes", "hang": "hangs", "internal error": "internal errors", "silently wrong": "silently wrong",
              "other": "other failures"}
    rows = [["attack", "tried", "survived", *(plural[kind] for kind in KINDS), "what is done"]]
    for result in results:
        if result.skipped:
            rows.append([result.attack.name, "-", "-", *("-" for _ in KINDS), f"skipped: {result.skipped}"])
        else:
            counts = [f"{result.count(kind):,}" for kind in KINDS]
            survived = result.tried - len(result.failures)
            rows.append([result.attack.name, f"{result.tried:,}", f"{survived:,}", *counts, result.attack.about])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
