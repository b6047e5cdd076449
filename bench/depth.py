"""Whether time grows linearly with depth: ./dev bench depth

The time that a layer of each stack takes, at a depth of 6 and at one of 18, each from the depths two below and above.
"""

import json

import turns

DEPTHS, REACH, ROUNDS = (6, 18), 2, 24


def main():
    depths = [depth + step for depth in DEPTHS for step in (-REACH, REACH)]
    settings = [{"model.encoder_layers": d, "model.decoder_layers": d} for d in depths]
    seconds = dict(zip(depths, turns.seconds_of_steps(settings, ROUNDS)))

    def marginal(depth):
        high, low = (turns.fastest(seconds[depth + step]) for step in (REACH, -REACH))
        return (high - low) / (2 * REACH * turns.BATCHES)

    shallow, deep = map(marginal, DEPTHS)
    for depth, each in zip(DEPTHS, (shallow, deep)):
        print(f"one more layer at depth {depth:2}: {1e3 * each:.1f} ms")
    print(f"ratio: {deep / shallow:.3f}")
    file = turns.ROOT / "build" / "bench-depth.json"
    file.write_text(json.dumps({"seconds": seconds, "ratio": deep / shallow}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
