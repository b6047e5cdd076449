"""Whether time grows linearly with depth: ./dev bench depth

The time that a layer of each stack takes, at a depth of 6 and at one of 18, each from the depths two below and above.
"""

import json
import statistics

import results
import turns

DEPTHS, REACH, ROUNDS = (6, 18), 2, 15


def main():
    depths = [depth + step for depth in DEPTHS for step in (-REACH, REACH)]
    settings = [{"model.encoder_layers": d, "model.decoder_layers": d} for d in depths]
    seconds = dict(zip(depths, turns.seconds_of_steps(settings, ROUNDS)))

    def marginal(depth):
        return [(high - low) / (2 * REACH) for low, high in zip(seconds[depth - REACH], seconds[depth + REACH])]

    shallow, deep = map(marginal, DEPTHS)
    for depth, each in zip(DEPTHS, (shallow, deep)):
        print(f"one more layer at depth {depth:2}: {1e3 * statistics.median(each):.1f} ms")
    ratio = results.summary([b / a for a, b in zip(shallow, deep)])
    print(f"ratio: {ratio['median']:.3f} ({ratio['low']:.3f} .. {ratio['high']:.3f})")
    file = turns.ROOT / "build" / "bench-depth.json"
    file.write_text(json.dumps({"seconds": seconds, "ratio": ratio}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
