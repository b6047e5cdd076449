#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

/// What `plumb probe` measures with. The defaults are those of docs/probes.md.
struct ProbeConfig {
  int64_t seeds = 3;
  int64_t batches = 4;
  int64_t batch_tokens = 400;
  std::vector<int> depths;
  int64_t lanczos_steps = 0;
  int64_t lanczos_vectors = 0;
  int64_t curvature_pairs = 128;
  bool curvature_blocks = true;
  bool curvature_adam = true;
  std::string basis;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("seeds", c.seeds, "initialisations to measure: numbers are means over them");
    visit("batches", c.batches, "mini-batches of an expected gradient");
    visit("batch_tokens", c.batch_tokens, "target tokens of each, about");
    visit("depths", c.depths,
          "layers per stack for the probes that vary the depth; empty: a quarter to twice the model's");
    visit("lanczos_steps", c.lanczos_steps, "curvature: steps; 0: 50 above 10 million parameters, else 80");
    visit("lanczos_vectors", c.lanczos_vectors, "curvature: random starts; 0: 1 above 10 million parameters, else 10");
    visit("curvature_pairs", c.curvature_pairs, "curvature: sentences of the fixed set; 0: the whole validation set");
    visit("curvature_blocks", c.curvature_blocks, "curvature: also the largest eigenvalue of each part of the model");
    visit("curvature_adam", c.curvature_adam, "curvature: also the largest eigenvalue as Adam sees it");
    visit("basis", c.basis,
          "curvature: folder for the Lanczos vectors, where memory is short; an interrupted probe goes on from it. "
          "Remove it "
          "afterwards");
  }
};

}  // namespace plumb
