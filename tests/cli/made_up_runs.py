"""Run and probe directories as `plumb train` and `plumb probe` leave them, with numbers that a test knows."""

import json
import math

CONFIG = """seed = {seed}

[data]
corpus = "numbers"

[model]
form = "encoder_decoder"
variant = "{variant}"
width = 64
heads = 4
encoder_layers = 6
decoder_layers = 6

[train]
max_update = {updates}

[optim]
lr = {lr}

[schedule]
warmup_updates = 200
"""


def record(**fields):
    return json.dumps(fields)


def started(**more):
    return record(type="event", event="started", update=0, parameters=1234567, **more)


def ended(update, outcome="finished"):
    return record(type="event", event="ended", update=update, outcome=outcome)


def train(update, loss, **others):
    fields = dict(
        type="train",
        update=update,
        epoch=update / 100,
        loss=loss,
        nll=loss - 0.25,
        wpb=900.0,
        rows=1800.0,
        fill=0.9,
        wps=1000.0 + update % 7,
        lr=1e-3 * min(1, update / 200),
        gnorm=1 + 0.5 * math.sin(update),
        tokens=900 * update,
    )
    return record(**fields | others)


def valid(update, loss, **scores):
    return record(type="valid", update=update, epoch=update / 100, loss=loss, nll=loss, ppl=math.exp(loss), **scores)


def gradients(update, layers=6):
    norms = {
        f"{stack}.layers.{layer}.{kind}": math.exp(-0.4 * layer) * (1.5 + math.sin(update))
        for stack, kinds in (("encoder", ("self_attn", "ffn")), ("decoder", ("self_attn", "encoder_attn", "ffn")))
        for layer in range(layers)
        for kind in kinds
    }
    return record(type="gradients", update=update, norms=norms)


def samples(update, source, reference, output):
    return record(type="samples", update=update, source=source, reference=reference, output=output)


def falling(update):
    """The loss of every made-up run that trains."""
    return round(2 + 5 * math.exp(-update / 200) + 0.05 * math.sin(update), 6)


def write_run(folder, variant="post_ln", updates=1000, every=10, seed=1, lr=1e-3, records=None, config=None):
    """A run that trains, or one with these records."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(config or CONFIG.format(variant=variant, seed=seed, lr=lr, updates=updates))
    if records is None:
        records = [started(command=f"plumb train numbers.toml --set model.variant={variant} --out {folder.name}")]
        for update in range(every, updates + 1, every):
            records.append(train(update, falling(update)))
            if update % (10 * every) == 0:
                records.append(valid(update, falling(update), bleu=30 - falling(update)))
                records.append(gradients(update))
                source, reference = ["four hundred two", "seven"], ["vierhundertzwei", "sieben"]
                records.append(samples(update, source, reference, ["vierhundertzwei", "acht"]))
        records.append(ended(updates))
    (folder / "log.jsonl").write_text("".join(line + "\n" for line in records))
    return folder


def write_diverged_run(folder, at=812):
    records = [started()] + [train(update, falling(update)) for update in range(10, at - 10, 10)]
    records += [
        record(
            type="event",
            event="nonfinite",
            update=at - 10 + i,
            loss="NaN",
            gnorm="Infinity",
            tap="decoder.3.ffn.sum",
            gradient_tap="",
            parameter="",
        )
        for i in range(10)
    ]
    records += [
        record(type="train", update=at, loss="NaN", nll="NaN", lr=1e-3, gnorm="Infinity", wps=1000.0, tokens=900 * at),
        record(type="event", event="diverged", update=at, reason="10 updates in a row were not finite"),
        ended(at, "diverged"),
    ]
    return write_run(folder, records=records)


def curve(probe, number, variant, mean, at=None, axis=None, seeds=3, **labels):
    low, high = ([m * 0.9 for m in mean], [m * 1.1 for m in mean])
    fields = dict(
        type="curve",
        probe=probe,
        number=number,
        variant=variant,
        mean=mean,
        low=low,
        high=high,
        deviation=[0] * len(mean),
        seeds=seeds,
        **labels,
    )
    if axis:
        fields |= dict(axis=axis, at=at)
    return json.dumps(fields)


def write_probe(folder, variants=("post_ln", "pre_ln"), says="The gradient reaches every layer."):
    """All kinds of pictures: lines, both matrices, fits, a spectrum, a verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    layers = list(range(1, 7))
    for variant in variants:
        lines.append(record(type="subject", of="deep.toml", variant=variant, sample="random tokens", config="seed = 1"))
        for stack in ("encoder", "decoder"):
            lines.append(
                curve(
                    "gradient_norm", "layer", variant, [0.5 * layer for layer in layers], layers, "layer", stack=stack
                )
            )
            lines.append(
                curve(
                    "relative_gradient",
                    "relative",
                    variant,
                    [0.9**layer for layer in layers],
                    layers,
                    "layer",
                    stack=stack,
                    sublayer="ffn",
                )
            )
            for source in range(7):
                to = list(range(max(1, source), 7))
                lines.append(
                    curve(
                        "dependency",
                        "beta",
                        variant,
                        [1 / (1 + i - source) for i in to],
                        to,
                        "sublayer",
                        stack=stack,
                        **{"from": str(source)},
                    )
                )
                lines.append(
                    curve(
                        "similarity",
                        "cosine",
                        variant,
                        [1 - 0.1 * abs(source - i) for i in range(7)],
                        list(range(7)),
                        "layer",
                        stack=stack,
                        of=str(source),
                    )
                )
        depths = [2, 6, 12, 24]
        lines.append(
            curve("amplification", "random", variant, [1.5 * d for d in depths], depths, "sublayers", stack="encoder")
        )
        lines.append(curve("amplification", "r2_linear", variant, [1.0], by="random", stack="encoder"))
        lines.append(curve("amplification", "r2_log", variant, [0.8], by="random", stack="encoder"))
        lines.append(curve("depth_scaling", "last_ffn", variant, [1.6, 1.5, 1.4], [6, 8, 10], "depth"))
        lines.append(
            curve(
                "curvature",
                "density",
                variant,
                [math.exp(-0.5 * x * x / 16) for x in range(-20, 21)],
                list(range(-20, 21)),
                "eigenvalue",
                seeds=1,
                seed="1",
            )
        )
        lines.append(curve("curvature", "largest", variant, [18.0]))
        lines.append(curve("curvature", "smallest", variant, [-17.0]))
        verdict = dict(
            variant=variant,
            will_train=True,
            needs_warmup=False,
            strain=1.25,
            limit=3.6,
            largest_rate=2e-3,
            sentences=[
                dict(about="gradient", says=says, rule="smallest relative gradient above 0.5", ground="rule of thumb")
            ],
        )
        lines.append(record(type="verdict", variant=variant, verdict=verdict))
    (folder / "probe.jsonl").write_text("".join(line + "\n" for line in lines))
    return folder
