#include "plumb/task/batch.h"

namespace plumb {

TrainingBatch TrainingBatch::to(const Where& where) const {
  return {inputs.to(where), where.bring(targets), where.bring(scored), where.bring(labels)};
}

at::Tensor Packer::ids() const {
  return Where().of(ids_);
}

at::Tensor first_rows(const ops::Packed& rows, const Where& where) {
  std::vector<int64_t> first;
  for (int64_t b = 0; b < rows.sequences(); ++b) first.push_back(rows.begin(b));
  return where.of(first);
}

}  // namespace plumb
