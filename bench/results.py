"""What was measured: medians with intervals, rules that make a run void, the table."""

import math
import statistics

from worker import PEER

MOST_LOSS_DIFFERENCE = 1e-4
MOST_CHECK_DIFFERENCE = 1e-3  # of sums over a whole search, or of second derivatives


def summary(values):
    """The median and an interval that holds the true one in 95 of 100 runs, whatever the distribution. Six values are
    the fewest that give one; with fewer it is the smallest and the largest."""
    ordered, n = sorted(values), len(values)
    outside, k = 0.0, 0  # the interval leaves out the k smallest and the k largest
    while 2 * (outside + math.comb(n, k) / 2**n) <= 0.05:
        outside += math.comb(n, k) / 2**n
        k += 1
    k = max(k - 1, 0)
    return {"median": statistics.median(ordered), "low": ordered[k], "high": ordered[n - 1 - k], "values": values}


def relative_difference(a, b):
    return abs(a - b) / max(abs(a), abs(b), 1e-30)


def disagreements(answers, key, most):
    """Which workers do not compute what the peer computes. `answers` are their answers to the same question."""
    if not answers:
        return
    expected = answers[PEER]
    for name, answer in answers.items():
        if not relative_difference(float(answer[key]), float(expected[key])) <= most:  # nor if one is not a number
            yield f"{key} of {name} is {answer[key]}, of {PEER} {expected[key]}"
        if answer.get("tokens") != expected.get("tokens"):
            yield f"{name} makes {answer.get('tokens')} tokens, {PEER} {expected.get('tokens')}"


def row(name, measured, peer, rounds):
    """`measured` and `peer` are answers to one command per round; a round also has its work, FLOPs and peak."""
    seconds = [answer["seconds"] for answer in measured]
    result = {
        "worker": name,
        "seconds": summary(seconds),
        "rate": summary([r["work"] / s for r, s in zip(rounds, seconds)]),
        "ratio": summary([p["seconds"] / s for p, s in zip(peer, seconds)]),
        "page_faults": statistics.median(answer["page_faults"] for answer in measured),
        "reference_calls": max(answer.get("reference_calls", 0) for answer in measured),
        "fresh_allocations": max(answer.get("fresh_allocations", 0) for answer in measured),
        "split": None,
    }
    if rounds[0]["flops"]:
        result["mfu"] = summary([r["flops"] / s / r["peak"] for r, s in zip(rounds, seconds)])
    if all("split" in answer for answer in measured):
        names = measured[0]["split"]
        result["split"] = {part: statistics.median(answer["split"][part] for answer in measured) for part in names}
    return result


HEADER = f"{'workload':9}{'worker':16}{'rate':>10}{'':13}{'ratio to ' + PEER:<23}{'MFU':>6}{'peak MB':>9}{'faults':>9}"


def line(workload, one):
    ratio = "{median:.2f} ({low:.2f} .. {high:.2f})".format(**one["ratio"])
    mfu = "{median:.2f}".format(**one["mfu"]) if "mfu" in one else "-"
    return (f"{workload['name']:9}{one['worker']:16}{one['rate']['median']:10.1f} {workload['unit']:12}{ratio:<23}"
            f"{mfu:>6}{one['peak_bytes'] / 1e6:9.0f}{one['page_faults']:9.0f}")


def split_line(split):
    total = sum(split.values())
    return "  split: " + ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in split.items())


def lines(workload):
    """The part of the table that is about one workload."""
    for one in workload["rows"]:
        yield line(workload, one)
        if not one["worker"].endswith("fused"):
            continue
        if one["split"]:
            yield split_line(one["split"])
        if one["reference_calls"]:
            yield f"  {one['reference_calls']} ops of a step took the reference path"
        if one["fresh_allocations"]:
            yield f"  {one['fresh_allocations']} allocations of a step found nothing to reuse"
    peak = workload["peak_gflops"]
    yield "  sgemm peak {median:.0f} ({low:.0f} .. {high:.0f}) GFLOP/s".format(**peak)
    for reason in workload["void"]:
        yield f"  VOID: {reason}"
