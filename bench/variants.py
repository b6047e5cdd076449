"""What a training step of each variant costs, as a ratio to post_ln on the same batches: ./dev bench variants"""

import json
import subprocess
import sys

import turns

BESIDE = "post_ln"
TOGETHER = 3  # variants that take turns with post_ln; more would wait longer for each other
ROUNDS = 21


def variants():
    """All but post_ln, from the table itself."""
    listed = subprocess.run([turns.PROGRAM.parent / "plumb", "list", "variants", "--json"], capture_output=True,
                            text=True, check=True)
    return [row["name"] for row in json.loads(listed.stdout) if row["name"] != BESIDE]


def main():
    names, rows = sys.argv[1:] or variants(), []
    print(f"{'variant':24} ratio to {BESIDE}")
    for at in range(0, len(names), TOGETHER):
        group = names[at:at + TOGETHER]
        beside, *others = turns.seconds_of_steps([{"model.variant": name} for name in (BESIDE, *group)], ROUNDS)
        for name, seconds in zip(group, others):
            ratio = turns.fastest(seconds) / turns.fastest(beside)
            rows.append({"variant": name, "ratio": ratio, "seconds": seconds, BESIDE: beside})
            print(f"{name:24} {ratio:.3f}", flush=True)
    file = turns.ROOT / "build" / "bench-variants.json"
    file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
