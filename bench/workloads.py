"""The workloads: a model, what is done with it, and how many FLOPs of that are useful."""

import dataclasses

ALL = "model.variant=post_ln model.positions=fairseq model.activation=relu model.scale_embedding=true " \
      "model.heads=4 model.source_vocab=10000 model.target_vocab=10000 " \
      "optim.name=adam optim.lr=1e-5 train.label_smoothing=0.1"
TRANSLATION = "model.form=encoder_decoder model.share_all_embeddings=true"
LANGUAGE_MODEL = "model.form=decoder model.share_decoder_input_output_embed=true"
BEAM = "generate.beam=5 generate.min_length=25 generate.max_len_a=0 generate.max_len_b=25"


def settings(*texts):
    """Keys and values as `plumb --set` takes them; a worker of any kind gets all of them."""
    return dict(setting.split("=") for text in (ALL, *texts) for setting in text.split())


def shape(encoder, decoder, width, ffn):
    return f"model.encoder_layers={encoder} model.decoder_layers={decoder} model.width={width} model.ffn_width={ffn}"


def dropout(p):
    return f"model.dropout={p} model.attention_dropout={p} model.activation_dropout={p}"


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    what: str
    do: str  # the command that is timed: step, generate or hvp
    settings: dict
    kind: str = "pairs"  # what a batch is: pairs, blocks (of a text) or sources (to translate)
    peer_must_reach: float = 0  # MFU of PyTorch below which a run is void

    def size(self, key):
        return int(self.settings["model." + key])


WORKLOADS = [
    Workload("A", "translation 6-6 d512 f1024", "step",
             settings(TRANSLATION, shape(6, 6, 512, 1024), dropout(0.1)), peer_must_reach=0.50),
    Workload("A-small", "translation 6-6 d128 f256", "step",
             settings(TRANSLATION, shape(6, 6, 128, 256), dropout(0.1)), peer_must_reach=0.25),
    Workload("A-deep", "translation 18-18 d128 f256", "step",
             settings(TRANSLATION, shape(18, 18, 128, 256), dropout(0.1)), peer_must_reach=0.21),
    Workload("B", "language model 6 layers d256 f1024, 8 x 256 tokens, no dropout", "step",
             settings(LANGUAGE_MODEL, shape(0, 6, 256, 1024), dropout(0)), kind="blocks"),
    Workload("C", "beam 5 of 32 sentences, 25 tokens, model of A", "generate",
             settings(TRANSLATION, shape(6, 6, 512, 1024), dropout(0), BEAM), kind="sources"),
    Workload("H", "Hessian-vector product, translation 6-6 d128 f256, no dropout", "hvp",
             settings(TRANSLATION, shape(6, 6, 128, 256), dropout(0))),
]


def forward_flops(w, batch):
    """Of one pass over real tokens: two for each weight that a token meets, and the scores and sums of attention."""
    d, f, vocabulary = w.size("width"), w.size("ffn_width"), w.size("target_vocab")
    encoder, decoder = w.size("encoder_layers"), w.size("decoder_layers")
    sources, targets = [len(s) for s in batch["source"]], [len(t) for t in batch["target"]]
    cross = 1 if sources else 0
    per_source = encoder * (4 * d * d + 2 * d * f) + decoder * cross * 2 * d * d
    per_target = decoder * (4 * d * d + cross * 2 * d * d + 2 * d * f) + d * vocabulary
    attended = encoder * sum(s * s for s in sources)
    attended += decoder * sum(t * (t + 1) // 2 for t in targets)
    attended += decoder * sum(s * t for s, t in zip(sources, targets))
    return 2 * (per_source * sum(sources) + per_target * sum(targets)) + 4 * d * attended


def generate_flops(w, batch, steps):
    """Of one search: the encoder and its keys and values once, every hypothesis at each step."""
    beam = int(w.settings["generate.beam"])
    empty = forward_flops(w, {"source": batch["source"], "target": [[] for _ in batch["source"]]})
    whole = forward_flops(w, {"source": batch["source"], "target": [range(steps) for _ in batch["source"]]})
    return empty + beam * (whole - empty)


def useful_flops(w, batch, steps=0):
    """Of what is timed; None where nobody agrees on what is useful."""
    if w.do == "step":
        return 3 * forward_flops(w, batch)  # backward: once for the inputs, once for the weights
    return generate_flops(w, batch, steps) if w.do == "generate" else None
