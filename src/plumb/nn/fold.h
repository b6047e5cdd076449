#pragma once

#include <memory>

#include "plumb/nn/transformer.h"

namespace plumb {

/// The same function as a plain Post-LN model, for rows of the form LN(r * x + F(x)) (Admin, DeepNorm).
///
/// Each skip scale r moves into the norm that made x (its weight and bias are multiplied by r) and out of the matrices
/// that read x (their columns are divided by r). Of cross-attention only the query reads x: keys and values read the
/// encoder's output, which is not scaled. The first sub-layer has no norm before it, so its r becomes the gain of the
/// embedding: the token table itself may be tied to the output and must not change.
///
/// Stacks of other rows are copied as they are. Throws UserError if a scale is too near zero to divide by, or if the
/// norm cannot take a factor per feature (ScaleNorm).
std::unique_ptr<Transformer> fold_skips(const Transformer& model);

}  // namespace plumb
