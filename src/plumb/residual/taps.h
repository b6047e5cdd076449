#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// A named point of the forward pass, `encoder.3.ffn.sum`: layers count from 0, as in the parameters' names.
///
/// In a sub-layer: `in` what it reads (u), `branch` what it adds (a), `sum` before norm_post (z), `out` after it (x').
/// In a Post-LN decoder layer Takase's points (1) to (5) are self_attn.sum, self_attn.out, encoder_attn.sum,
/// encoder_attn.out and ffn.sum. Of a stack: `embed` (x_0, after dropout) and `out` (what the next part reads).
///
/// Where nothing stands between two points they are one tensor: the `in` of a Post-LN sub-layer is the `out` before it,
/// and its gradient counts the skip as well as the branch.
struct Tap {
  enum class Point { In, Branch, Sum, Out, Embed };

  Stack stack;
  Point point;
  int layer = -1;                         // -1: of the stack
  std::optional<Sublayer> sublayer = {};  // none: of the stack

  std::string name() const;
};

/// Sees every tap of a pass, in the order of computation. A tensor may be kept; its gradient appears after backward
/// if the observer asks it to be retained.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void see(const Tap& tap, const at::Tensor& value) = 0;
};

/// Keeps every tap, and its gradient once backward has run. Gradients add up over several backward passes through one
/// graph: a probe that needs more than one makes a fresh pass.
class TapRecorder : public Observer {
 public:
  struct Record {
    Tap tap;
    at::Tensor value;
  };

  void see(const Tap& tap, const at::Tensor& value) override;

  const std::vector<Record>& records() const { return records_; }
  const at::Tensor& value(const std::string& name) const;
  at::Tensor gradient(const std::string& name) const;

 private:
  std::vector<Record> records_;
  std::map<std::string, size_t> index_;
};

}  // namespace plumb
