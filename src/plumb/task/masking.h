#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/random_stream.h"
#include "plumb/config/task_config.h"

namespace plumb {

/// Which tokens a masked language model has to say, and what it sees in their places (Devlin et al. 2019): each word,
/// or token, is chosen with probability mask_prob; of the chosen tokens a share stays, a share becomes another token,
/// and the rest becomes the mask.
class Masking {
 public:
  /// `vocabulary` is the tokeniser's; the mask is the id behind its last.
  Masking(const MaskedLmConfig& config, const std::vector<std::string>& vocabulary);

  /// Masks rows `first` .. `ids.size()`, except special ids, and gives back the chosen ones: always at least one, if
  /// there is a token.
  std::vector<int64_t> mask(std::vector<int64_t>& ids, int64_t first, RandomStream& random) const;

  int32_t mask_id() const { return mask_id_; }

 private:
  /// Whether the token goes on with the word of the one before.
  bool continues(int64_t before, int64_t id) const;
  int64_t shown(int64_t id, RandomStream& random) const;

  MaskedLmConfig config_;
  int32_t mask_id_;
  std::vector<bool> continues_, joins_next_;
};

}  // namespace plumb
