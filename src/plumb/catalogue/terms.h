#pragma once

#include <span>
#include <string_view>

/// The words that the tables are written in. Every enum has exactly one spelling, used in config files, on the
/// command line, in logs and in reports; `words<E>()` lists them in the order of the enum. Where each word has a row of
/// its own, as norms and tasks do, they are read off that table.
namespace plumb {

enum class Form { EncoderDecoder, Decoder, Encoder };
enum class Stack { Encoder, Decoder };
enum class Sublayer { SelfAttention, CrossAttention, FeedForward };
enum class NormKind { Layer, Rms, Scale, Dyt };
enum class QkNorm { None, Head, Full, L2 };
enum class Activation { Relu, Gelu };
enum class Positions { Fairseq, Marian, Learned, None };
enum class EmbeddingGain { None, Scalar, Vector };
enum class B2tRescale { None, Depth };
enum class TaskKind { Translation, Summarisation, LanguageModel, MaskedLm, Classification, Speech };
enum class Corpus { Numbers, Text, Headline, Morse };
enum class Subwords { Bpe, Unigram, SubwordNmt, Word, Character };
enum class BreakMode { None, Complete, Eos };
enum class FeatureNorm { Utterance, Global, None };

/// What an encoder reads, and what stands behind the last stack.
enum class InputKind { Tokens, Frames };
enum class HeadKind { Words, MaskedWords, Classes };
enum class SmoothingOver { All, Others };

/// The two ways of computing an op (ops/path.h).
enum class Path { Reference, Fused };

/// Base initialisation: A fairseq <= 0.8 (Admin), B fairseq 0.9 (T-Fixup), C fairseq since 2020-03 (B2T),
/// D torch's nn.Linear default (torchscale), T the theory of Xiong et al., G GPT-2/Megatron, X Xavier normal (DeepNet).
enum class Regime { A, B, C, D, T, G, X };

/// What a weight does; initialisation is decided by role, never by name.
enum class Role {
  Embedding,
  Position,
  OutputProjection,
  Query,
  Key,
  Value,
  AttentionOutput,
  HiddenIn,   // W1, fc1
  HiddenOut,  // W2, fc2
  QueryBias,
  KeyBias,
  ValueBias,
  AttentionOutputBias,
  HiddenInBias,
  HiddenOutBias,
};

template <class Enum>
std::span<const std::string_view> words();

template <class Enum>
std::string_view word(Enum value) {
  return words<Enum>()[static_cast<size_t>(value)];
}

/// The sizes that a row may look at.
struct Shape {
  Form form = Form::EncoderDecoder;
  int encoder_layers = 6;
  int decoder_layers = 6;
  int width = 512;
  int ffn_width = 2048;
  int heads = 8;
  bool shared_embeddings = false;  // one matrix for source, target and output

  /// The encoder's and the decoder's, as far as the form has them.
  std::span<const Stack> stacks() const;
  bool has(Stack stack) const {
    return form == Form::EncoderDecoder || (form == Form::Encoder) == (stack == Stack::Encoder);
  }
  int layers(Stack stack) const { return stack == Stack::Encoder ? encoder_layers : decoder_layers; }
  bool cross_attention(Stack stack) const { return form == Form::EncoderDecoder && stack == Stack::Decoder; }
  int sublayers_per_layer(Stack stack) const { return cross_attention(stack) ? 3 : 2; }
  int sublayers(Stack stack) const { return layers(stack) * sublayers_per_layer(stack); }
  /// The sub-layers of one layer of this stack, in order.
  std::span<const Sublayer> order(Stack stack) const;
};

/// One sub-layer of one model. Layers count from 1 here, as in the papers' formulas.
struct Place {
  Stack stack = Stack::Encoder;
  Sublayer sublayer = Sublayer::SelfAttention;
  int layer = 1;
  Shape shape;

  int depth() const { return shape.layers(stack); }
  bool last_of_layer() const { return sublayer == Sublayer::FeedForward; }
  bool last_attention() const {
    return sublayer == (shape.cross_attention(stack) ? Sublayer::CrossAttention : Sublayer::SelfAttention);
  }
};

}  // namespace plumb
