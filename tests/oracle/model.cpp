#include <stdexcept>

#include "oracle/embedding.h"
#include "oracle/matrix.h"
#include "oracle/oracle.h"
#include "oracle/stack.h"

namespace oracle {
namespace {

void check(const Config& config, const std::vector<int>& source, const std::vector<int>& target) {
  if (config.form != "encoder_decoder" && config.form != "decoder" && config.form != "encoder") {
    throw std::invalid_argument("oracle: unknown form " + config.form);
  }
  if (source.empty() != (config.form == "decoder")) throw std::invalid_argument("oracle: source does not fit the form");
  if (target.empty() != (config.form == "encoder")) throw std::invalid_argument("oracle: target does not fit the form");
  if (config.width <= 0 || config.heads <= 0 || config.width % config.heads != 0) {
    throw std::invalid_argument("oracle: the width must be a multiple of the heads");
  }
}

std::string output_table(const Config& config) {
  const std::string last = config.form == "encoder" ? "encoder" : "decoder";
  if (config.form == "encoder_decoder" && config.share_all_embeddings) return "encoder.embed_tokens.weight";
  if (config.share_all_embeddings || config.share_decoder_input_output_embed) return last + ".embed_tokens.weight";
  return last + ".output_projection.weight";
}

const Matrix& memory_of(const Context& context, const StackOutput& encoder) {
  if (context.is(Bug::MemoryFromFirstLayer)) return encoder.first_layer;
  if (context.is(Bug::MemoryBeforeFinalNorm)) return encoder.before_final_norm;
  return encoder.output;
}

Matrix features(const Context& context, const std::vector<int>& source, const std::vector<int>& target) {
  const Config& config = context.config;
  Matrix memory;
  if (config.form != "decoder") {
    const StackInfo encoder = stack_info(config, "encoder");
    const Matrix x0 = embed(context, "encoder", "encoder.embed_tokens.weight", encoder.norm_kind, source);
    const StackOutput output = run_stack(context, encoder, x0, nullptr);
    if (config.form == "encoder") return output.output;
    memory = memory_of(context, output);
  }
  const StackInfo decoder = stack_info(config, "decoder");
  const bool shared = config.form == "encoder_decoder" && config.share_all_embeddings;
  const std::string tokens = shared ? "encoder.embed_tokens.weight" : "decoder.embed_tokens.weight";
  const Matrix x0 = embed(context, "decoder", tokens, decoder.norm_kind, target);
  return run_stack(context, decoder, x0, config.form == "decoder" ? nullptr : &memory).output;
}

}  // namespace

Matrix logits(const Config& config, const Weights& weights, const std::vector<int>& source,
              const std::vector<int>& target, Bug bug) {
  check(config, source, target);
  Reader reader(weights);
  const Context context{config, reader, bug};
  const Matrix x = features(context, source, target);
  const Matrix result = linear(x, reader.table(output_table(config), context.width()), nullptr);
  // A mutated model may leave a tensor aside on purpose.
  if (bug == Bug::None && !reader.unused().empty()) {
    std::string message = "oracle: tensors that were never read:";
    for (const std::string& unused : reader.unused()) message += " " + unused;
    throw std::runtime_error(message);
  }
  return result;
}

}  // namespace oracle
