#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/catalogue/optimisers.h"
#include "plumb/catalogue/terms.h"
#include "plumb/catalogue/variants.h"
#include "plumb/config/generate_config.h"
#include "plumb/config/probe_config.h"
#include "plumb/config/task_config.h"

namespace plumb {

/// A field that is not set takes what the row of its table says ("auto" in a file).
template <class T>
using Auto = std::optional<T>;

/// The model. Every struct here lists its fields once, in `fields`: reading, checking, dumping, `--set`, help and
/// docs/config.md all walk that list.
struct ModelConfig {
  Form form = Form::EncoderDecoder;
  std::string variant = "pre_ln";
  std::string encoder_variant;
  std::string decoder_variant;
  std::string placement;
  Auto<Regime> init;
  std::string init_multipliers;
  bool init_truncated = false;
  Auto<NormKind> norm;
  double norm_eps = 0;
  Auto<QkNorm> qk_norm;
  int qk_norm_length = 72;
  Auto<bool> final_norm;

  int width = 512;
  int heads = 8;
  int ffn_width = 2048;
  int encoder_layers = 6;
  int decoder_layers = 6;
  Activation activation = Activation::Relu;

  int source_vocab = 10000;
  int target_vocab = 10000;
  int max_positions = 1024;
  Positions positions = Positions::Fairseq;
  bool scale_embedding = true;
  bool layernorm_embedding = false;
  EmbeddingGain embedding_gain = EmbeddingGain::None;
  bool share_all_embeddings = false;
  bool share_decoder_input_output_embed = false;
  std::vector<int> adaptive_cutoffs;
  double adaptive_factor = 4;
  bool adaptive_input = false;
  bool adaptive_tie_projections = false;
  double adaptive_dropout = 0;

  InputKind input = InputKind::Tokens;
  int frame_width = 80;
  int subsampler_channels = 1024;
  int segments = 0;
  HeadKind head = HeadKind::Words;
  int classes = 2;
  bool next_sentence = false;
  double pooler_dropout = 0;

  double dropout = 0.1;
  double attention_dropout = 0;
  double activation_dropout = 0;

  VariantOptions options;  // the keys follow the others of [model]

  Shape shape() const {
    return {.form = form,
            .encoder_layers = encoder_layers,
            .decoder_layers = decoder_layers,
            .width = width,
            .ffn_width = ffn_width,
            .heads = heads,
            .shared_embeddings = share_all_embeddings};
  }

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("form", c.form, "encoder_decoder, decoder (a language model) or encoder (BERT)");
    visit("variant", c.variant, "how residuals and norms are wired: a row of `plumb list variants`");
    visit("encoder_variant", c.encoder_variant, "another row for the encoder; empty: model.variant");
    visit("decoder_variant", c.decoder_variant, "another row for the decoder; empty: model.variant");
    visit("placement", c.placement, "take only the placement from this row; empty: the variant's own");
    visit("init", c.init, "base initialisation, a row of `plumb list inits`; auto: the variant's own");
    visit("init_multipliers", c.init_multipliers,
          "take the initial scales from this row, or none; empty: the variant's own");
    visit("init_truncated", c.init_truncated, "cut normal draws at three sigma");
    visit("norm", c.norm, "kind of every norm, a row of `plumb list norms`; auto: the variant's own");
    visit("norm_eps", c.norm_eps, "epsilon of the norms; 0: that of `plumb list norms`");
    visit("qk_norm", c.qk_norm, "norm of queries and keys: none, head, full, l2; auto: the variant's own");
    visit("qk_norm_length", c.qk_norm_length, "sequence length L that l2 starts its scale from: log2(L^2 - L)");
    visit("final_norm", c.final_norm, "norm at the end of each stack: true, false; auto: the variant's own");
    visit("width", c.width, "model width d");
    visit("heads", c.heads, "attention heads");
    visit("ffn_width", c.ffn_width, "hidden width of the feed-forward part");
    visit("encoder_layers", c.encoder_layers, "layers of the encoder");
    visit("decoder_layers", c.decoder_layers, "layers of the decoder");
    visit("activation", c.activation, "relu or gelu");
    visit("source_vocab", c.source_vocab, "source vocabulary; the only one of an encoder");
    visit("target_vocab", c.target_vocab, "target vocabulary; the only one of a decoder");
    visit("max_positions", c.max_positions, "longest sequence, in tokens");
    visit("positions", c.positions, "fairseq or marian sinusoids, learned, or none");
    visit("scale_embedding", c.scale_embedding, "multiply token embeddings by sqrt(width)");
    visit("layernorm_embedding", c.layernorm_embedding, "a norm after the embedding (BART, BERT)");
    visit("embedding_gain", c.embedding_gain, "a learned gain on the embedding: none, scalar or vector");
    visit("share_all_embeddings", c.share_all_embeddings, "one matrix for source, target and output");
    visit("share_decoder_input_output_embed", c.share_decoder_input_output_embed, "tie the output to the input");
    visit("adaptive_cutoffs", c.adaptive_cutoffs,
          "adaptive softmax: the ids where the next, rarer band of words begins, as [20000, 60000]; []: one softmax");
    visit("adaptive_factor", c.adaptive_factor, "each band has so many times fewer dimensions than the one before");
    visit("adaptive_input", c.adaptive_input, "the embedding has the same bands; tied if the output is tied to it");
    visit("adaptive_tie_projections", c.adaptive_tie_projections, "tie the bands' projections as well");
    visit("adaptive_dropout", c.adaptive_dropout, "dropout in front of the adaptive softmax, and inside its bands");
    visit("input", c.input, "what the encoder reads: tokens, or frames (speech)");
    visit("frame_width", c.frame_width, "frames: numbers in each; speech.mel_bins decides");
    visit("subsampler_channels", c.subsampler_channels,
          "frames: channels of the first convolution, halved by its gate");
    visit("segments", c.segments, "segment embeddings of an encoder: 2 for BERT's sentence pairs, 0 for none");
    visit("head", c.head, "words, masked_words (BERT's transform before them) or classes (of a pooled sequence)");
    visit("classes", c.classes, "head classes: how many; the labels of the data decide");
    visit("next_sentence", c.next_sentence, "masked_words: also say whether the second half follows the first (BERT)");
    visit("pooler_dropout", c.pooler_dropout, "dropout between the pooled sequence and its classes");
    visit("dropout", c.dropout, "dropout of every branch and of the embedding");
    visit("attention_dropout", c.attention_dropout, "dropout of the attention weights");
    visit("activation_dropout", c.activation_dropout, "dropout inside the feed-forward part");
    VariantOptions::fields(c.options, visit);
  }
};

/// What to learn from. `plumb prepare` tokenises it once into the cache.
struct DataConfig {
  Corpus corpus = Corpus::Numbers;
  std::string train_source, train_target, valid_source, valid_target, test_source, test_target;
  bool swap = false;
  int64_t numbers_train = 20000;
  int64_t numbers_valid = 200;
  int64_t numbers_max = 999999;
  int64_t examples_train = 2000;
  int64_t examples_valid = 200;
  int split_column = 0;
  int label_column = 1;
  int audio_column = 1;
  std::vector<int> text_columns = {2, 3};
  bool lowercase = false;
  Subwords subwords = Subwords::Bpe;
  int vocab_size = 8000;
  bool joint = true;
  bool byte_fallback = false;
  double character_coverage = 1;
  std::string source_model, target_model;
  std::string codes, source_dict, target_dict;
  int max_length = 1000;
  std::string cache = ".plumb-cache";

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("corpus", c.corpus, "built in: numbers, headline (summarisation), morse (speech); or text (files)");
    visit("train_source", c.train_source,
          "training text, one sentence a line, plain or .gz; a table (.tsv) where the task has labels or audio");
    visit("train_target", c.train_target, "its translation or summary, line by line; empty where there is one text");
    visit("valid_source", c.valid_source, "validation text");
    visit("valid_target", c.valid_target, "its other side");
    visit("test_source", c.test_source, "test text; may be empty");
    visit("test_target", c.test_target, "its other side");
    visit("swap", c.swap, "exchange source and target");
    visit("numbers_train", c.numbers_train, "numbers: sentence pairs to train on");
    visit("numbers_valid", c.numbers_valid, "numbers: pairs to validate on, and as many to test on");
    visit("numbers_max", c.numbers_max, "numbers: the largest");
    visit("examples_train", c.examples_train,
          "headline, morse, and numbers as documents or labelled pairs: examples to train on");
    visit("examples_valid", c.examples_valid, "the same: examples to validate on, and as many to test on");
    visit("split_column", c.split_column,
          "tables: the column, from 1, that says train, valid or test; 0: there is none");
    visit("label_column", c.label_column, "classification: the column of the label");
    visit("audio_column", c.audio_column, "speech: the column of the audio file, relative to the table");
    visit("text_columns", c.text_columns,
          "tables: the columns of the sentence or sentences; the first: the transcript");
    visit("lowercase", c.lowercase, "turn text into lower case first");
    visit("subwords", c.subwords,
          "bpe or unigram (SentencePiece), subword_nmt (codes and dictionaries), word (between blanks) or character");
    visit("vocab_size", c.vocab_size,
          "size of each vocabulary that is made here, specials included; word and character: at most");
    visit("joint", c.joint, "SentencePiece: one vocabulary for both languages");
    visit("byte_fallback", c.byte_fallback, "SentencePiece: unknown characters become bytes");
    visit("character_coverage", c.character_coverage, "SentencePiece: share of characters that get a piece");
    visit("source_model", c.source_model, "use this SentencePiece model instead of training one");
    visit("target_model", c.target_model, "the same for the target; empty: source_model");
    visit("codes", c.codes, "subword_nmt: BPE codes; empty: the text has its @@ already");
    visit("source_dict", c.source_dict, "subword_nmt: fairseq's dict.txt of the source");
    visit("target_dict", c.target_dict, "subword_nmt: that of the target; empty: source_dict");
    visit("max_length", c.max_length,
          "longer sentences, in tokens, are left out of training; so are those above model.max_positions");
    visit("cache", c.cache, "folder for vocabularies and tokenised text");
  }
};

struct TrainConfig {
  std::string restore_file;
  std::string pretrained;
  int64_t max_update = 0;
  int64_t max_epoch = 0;
  int64_t max_tokens = 4096;
  int64_t update_freq = 1;
  bool recompute = false;
  double label_smoothing = 0.1;
  SmoothingOver smoothing_over = SmoothingOver::All;
  int64_t log_interval = 50;
  int64_t gradient_interval = 0;
  int64_t validate_interval = 500;
  std::string validate_metric;
  int64_t patience = 0;
  int64_t save_interval = 500;
  int64_t keep_last = 5;
  bool tensorboard = true;
  int64_t nonfinite_steps = 10;
  int64_t band_window = 200;
  double band_sigmas = 20;
  int64_t stuck_updates = 0;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("restore_file", c.restore_file, "start from the weights in this .safetensors file");
    visit("pretrained", c.pretrained,
          "fine-tune this run: its vocabulary, its [model] where this config says nothing else, its best weights; "
          "RUN@update: those of a checkpoint");
    visit("max_update", c.max_update, "stop after so many updates; 0: no limit");
    visit("max_epoch", c.max_epoch, "stop after so many passes over the data; 0: no limit");
    visit("max_tokens", c.max_tokens, "rows of a batch, on its longer side; all of them are real tokens");
    visit("update_freq", c.update_freq, "batches whose gradients make one update");
    visit("recompute", c.recompute,
          "keep only the input of each layer and compute the rest again: a third more time, far less memory");
    visit("label_smoothing", c.label_smoothing, "probability mass that is spread over the vocabulary");
    visit("smoothing_over", c.smoothing_over, "over all words (the papers) or over the others (fairseq since 2021)");
    visit("log_interval", c.log_interval, "updates between two train records");
    visit("gradient_interval", c.gradient_interval,
          "updates between two records of gradient norms by sub-layer; 0: none");
    visit("validate_interval", c.validate_interval,
          "updates between two validations; 0: after every epoch. The last update has one in any case");
    visit("validate_metric", c.validate_metric,
          "also generate the outputs of the validation set (greedily) and score them: a row of `plumb list metrics`");
    visit("patience", c.patience, "stop after so many validations without a better loss; 0: never");
    visit("save_interval", c.save_interval, "updates between two checkpoints; 0: after every epoch");
    visit("keep_last", c.keep_last, "checkpoints to keep, besides the best; 0: all");
    visit("tensorboard", c.tensorboard, "write TensorBoard event files as well");
    visit("nonfinite_steps", c.nonfinite_steps, "updates lost to NaN or infinity before the run has diverged");
    visit("band_window", c.band_window, "updates that the loss's running mean and deviation look back on");
    visit("band_sigmas", c.band_sigmas,
          "a loss that stays so many deviations above its mean has diverged; 0: only one that is not finite");
    visit("stuck_updates", c.stuck_updates, "updates after which a loss near the unigram entropy is stuck; 0: never");
  }
};

/// How an update is made of a gradient and a learning rate.
struct OptimConfig {
  std::string name = "adam";
  double lr = 5e-4;
  std::array<double, 2> betas = {0.9, 0.98};
  double eps = 1e-8;
  EpsConvention eps_convention = EpsConvention::Fairseq;
  RadamForm radam_form = RadamForm::Clinic;
  double momentum = 0;
  double weight_decay = 0;
  Decay decay = Decay::Decoupled;
  double clip_norm = 0;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("name", c.name, "how gradients become updates: a row of `plumb list optimisers`");
    visit("lr", c.lr, "highest learning rate; the schedule leads to it and away from it");
    visit("betas", c.betas, "adam, adamw, radam: how much of the two moments stays from update to update");
    visit("eps", c.eps, "adam, adamw, radam: keeps the division by sqrt(v) finite");
    visit("eps_convention", c.eps_convention, "fairseq: eps is added to sqrt(v); torch: to the bias-corrected sqrt(v)");
    visit("radam_form", c.radam_form,
          "radam's first updates: clinic makes none while rho_t < 5, paper makes momentum steps until rho_t > 4");
    visit("momentum", c.momentum, "sgd: how much of the last step stays; 0 is plain gradient descent");
    visit("weight_decay", c.weight_decay, "pulls every parameter towards zero, norms and biases as well");
    visit("decay", c.decay, "decoupled: p -= lr * weight_decay * p (fairseq, AdamW); l2: added to the gradient");
    visit("clip_norm", c.clip_norm,
          "shrink gradients whose norm is larger than this; 0: never (old fairseq forks: 25)");
  }
};

/// The learning rate as a function of the update.
struct ScheduleConfig {
  std::string name = "inverse_sqrt";
  Auto<int64_t> warmup_updates;
  double warmup_init_lr = 1e-7;
  double min_lr = 0;
  int64_t total_updates = 0;
  double power = 1;
  int64_t period = 4000;
  int64_t tail_updates = 4000;
  std::vector<int> step_updates;
  std::vector<double> step_epochs;
  double decay = 0.1;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("name", c.name, "course of the learning rate: a row of `plumb list schedules`");
    visit("warmup_updates", c.warmup_updates,
          "updates of linear warm-up, 0 for none; auto: 4000, but none for inverse_sqrt_nowarmup");
    visit("warmup_init_lr", c.warmup_init_lr, "learning rate of the first update, if there is a warm-up");
    visit("min_lr", c.min_lr, "the rate at which linear, polynomial and cosine end; the others do not fall below it");
    visit("total_updates", c.total_updates,
          "the update at which linear, polynomial and cosine end; 0: train.max_update");
    visit("power", c.power, "polynomial: the exponent; 1 is linear");
    visit("period", c.period, "inverse_sqrt_nowarmup: P of lr * sqrt(P / (P + k))");
    visit("tail_updates", c.tail_updates, "inverse_sqrt_tail: lr stays until this update, then falls as 1 / sqrt(k)");
    visit("step_updates", c.step_updates,
          "step: the updates from which on the rate is lower, for example [2000, 3000]");
    visit("step_epochs", c.step_epochs, "step: the rate is lower once this many epochs are done, for example [8]");
    visit("decay", c.decay, "step: the factor");
  }
};

/// A whole run.
struct Config {
  int64_t seed = 1;
  int threads = 0;
  Path ops = Path::Fused;
  Auto<TaskKind> task;
  DataConfig data;
  ModelConfig model;
  LanguageModelConfig language_model;
  MaskedLmConfig masked_lm;
  SpeechConfig speech;
  TrainConfig train;
  OptimConfig optim;
  ScheduleConfig schedule;
  GenerateConfig generate;
  ProbeConfig probe;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("seed", c.seed, "where every random stream starts");
    visit("threads", c.threads, "threads of one process; 0: OMP_NUM_THREADS, else every core it may use");
    visit("task", c.task, "what to learn, a row of `plumb list tasks`; auto: what model.form is usually trained for");
    visit("ops", c.ops, "fused: our own kernels; reference: LibTorch's, several times slower, to compare with");
  }

  /// The sections of the file, in order.
  template <class Self, class Visit>
  static void sections(Self& c, Visit&& visit) {
    visit("data", c.data);
    visit("model", c.model);
    visit("language_model", c.language_model);
    visit("masked_lm", c.masked_lm);
    visit("speech", c.speech);
    visit("train", c.train);
    visit("optim", c.optim);
    visit("schedule", c.schedule);
    visit("generate", c.generate);
    visit("probe", c.probe);
  }
};

}  // namespace plumb
