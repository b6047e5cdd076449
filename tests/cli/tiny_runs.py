"""Settings of a run that takes a second, most of it the engine's start, and saves often enough to be killed."""

TINY = """\
data.numbers_train = 800
data.numbers_valid = 40
data.numbers_max = 9999
data.vocab_size = 60
model.width = 16
model.heads = 2
model.ffn_width = 32
model.encoder_layers = 1
model.decoder_layers = 1
train.max_update = 60
train.max_tokens = 300
train.validate_interval = 20
train.save_interval = 5
train.log_interval = 5
train.tensorboard = false
train.nonfinite_steps = 2
schedule.warmup_updates = 0
schedule.name = "constant"
"""
