#include "oracle/embedding.h"

#include <cmath>
#include <stdexcept>

#include "oracle/matrix.h"
#include "oracle/norm.h"

namespace oracle {
namespace {

Row table_row(Reader* weights, const std::string& name, std::size_t index, std::size_t width) {
  const Row& table = weights->table(name, width);
  if ((index + 1) * width > table.size()) {
    throw std::invalid_argument("oracle: row " + std::to_string(index) + " is outside " + name);
  }
  Row row(width);
  for (std::size_t i = 0; i < width; ++i) row[i] = table[index * width + i];
  return row;
}

Row position_row(const Context& context, const std::string& stack, std::size_t t) {
  const std::string& kind = context.config.positions;
  const double error = context.is(Bug::PositionOffByOne) ? -1.0 : 0.0;
  const double p = static_cast<double>(t) + error;
  if (kind == "none") return Row(context.width(), 0.0);
  // fairseq and OPT count from padding_idx + 1 = 2, marian from 0.
  if (kind == "fairseq") return sinusoid(kind, p + 2.0, context.width(), context.bug);
  if (kind == "marian") return sinusoid(kind, p, context.width(), context.bug);
  if (kind != "learned") throw std::invalid_argument("oracle: unknown positions " + kind);
  return table_row(&context.weights, stack + ".embed_positions.weight", static_cast<std::size_t>(p + 2.0),
                   context.width());
}

}  // namespace

Row sinusoid(const std::string& convention, double position, std::size_t width, Bug bug) {
  if (width % 2 != 0 || width < 4) throw std::invalid_argument("oracle: sinusoids need an even width of at least 4");
  const std::size_t half = width / 2;
  // fairseq: exp(-i ln 10000 / (half - 1)); marian and the original paper: 10000^(-2i/d) = exp(-i ln 10000 / half).
  bool fairseq = convention == "fairseq";
  if (bug == Bug::SinusoidDenominator) fairseq = !fairseq;
  const double denominator = static_cast<double>(half) - (fairseq ? 1.0 : 0.0);
  Row row(width);
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = position * std::exp(-static_cast<double>(i) * std::log(10000.0) / denominator);
    const bool interleaved = bug == Bug::SinusoidInterleaved;
    row[interleaved ? 2 * i : i] = std::sin(angle);
    row[interleaved ? 2 * i + 1 : half + i] = std::cos(angle);
  }
  return row;
}

Matrix embed(const Context& context, const std::string& stack, const std::string& tokens, const std::string& norm_kind,
             const std::vector<int>& ids) {
  const Config& config = context.config;
  const std::size_t d = context.width();
  const bool scaled = config.scale_embedding && !context.is(Bug::EmbeddingScaleMissing);
  const double scale = scaled ? std::sqrt(static_cast<double>(d)) : 1.0;
  if (config.embedding_gain != "none" && config.embedding_gain != "scalar" && config.embedding_gain != "vector") {
    throw std::invalid_argument("oracle: unknown embedding_gain " + config.embedding_gain);
  }
  Row gain(d, 1.0);
  if (config.embedding_gain == "scalar") gain.assign(d, context.weights.at(stack + ".embedding_gain", 1)[0]);
  if (config.embedding_gain == "vector") gain = context.weights.at(stack + ".embedding_gain", d);

  Matrix x;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    if (ids[t] < 0) throw std::invalid_argument("oracle: negative token id");
    Row row = table_row(&context.weights, tokens, static_cast<std::size_t>(ids[t]), d);
    const Row position = position_row(context, stack, t);
    for (std::size_t i = 0; i < d; ++i) {
      const bool tokens_only = context.is(Bug::EmbeddingGainMissesPositions);
      row[i] = tokens_only ? gain[i] * scale * row[i] + position[i] : gain[i] * (scale * row[i] + position[i]);
    }
    x.push_back(row);
  }
  return config.layernorm_embedding ? normalise(context, norm_kind, stack + ".layernorm_embedding", x) : x;
}

}  // namespace oracle
