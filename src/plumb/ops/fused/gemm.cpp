#include "plumb/ops/fused/gemm.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <cblas.h>
#include <omp.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/packed_gemm.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

// A block of rows packs all of b again, a block of columns all of a. With so many rows or columns that weighs nothing.
constexpr int64_t kLeastRows = 256, kLeastColumns = 1024, kMostBlocks = 8;
constexpr int64_t kFewRows = 512, kLeastColumnsOfFew = 192;  // so few rows of a stay in the cache
constexpr int64_t kMultiple = 48;                            // of the rows or columns of every BLAS's register block
// Our own kernel packs b if it has many rows to use it for. A piece of its work has so many rows or panels.
constexpr int64_t kManyRows = 384, kFewestRows = 24, kPackedRows = 192, kPackedPanels = 8;

int64_t block_length(int64_t length, int64_t least) {
  const int64_t blocks = std::clamp<int64_t>(length / least, 1, kMostBlocks);
  return ((length + blocks - 1) / blocks + kMultiple - 1) / kMultiple * kMultiple;
}

using PanelKey = std::tuple<const float*, int64_t, int64_t, int64_t, bool>;

PanelKey key_of(const Product& p) {
  return {p.b.data, p.n, p.k, p.b.stride, p.b.transposed};
}

}  // namespace

struct PanelScope::Kept {
  std::map<PanelKey, at::Tensor> panels;
};

namespace {

thread_local PanelScope::Kept* kept = nullptr;

bool is_kept(const Product& p) {
  return kept && p.b.lasting;
}

/// Whether our own kernel is the faster one: packing b must weigh little, which takes many rows, or products to come.
bool packs(const Product& p) {
  const int64_t enough = is_kept(p) ? kFewestRows : std::max(kManyRows, p.n);
  return !p.a.transposed && p.m >= enough && (p.beta == 0 || p.beta == 1);
}

/// One product and how it is cut: by rows if there are more rows than columns.
struct Cut {
  explicit Cut(const Product& product)
      : product(&product),
        by_rows(product.m >= product.n),
        blocks{by_rows ? product.m : product.n,
               by_rows ? block_length(product.m, kLeastRows)
                       : block_length(product.n, product.m <= kFewRows ? kLeastColumnsOfFew : kLeastColumns)} {
    if (!packs(product)) return;
    by_rows = product.m >= kManyRows;
    panel_count = kernel::packed_gemm_panels(product.n);
    blocks = by_rows ? RowChunks{product.m, kPackedRows} : RowChunks{panel_count, kPackedPanels};
    find_panels();
    packed = {.n = product.n,
              .k = product.k,
              .a = product.a.data,
              .a_stride = product.a.stride,
              .b = product.b.data,
              .b_stride = product.b.stride,
              .b_transposed = product.b.transposed,
              .add = product.beta == 1,
              .c = product.c,
              .c_stride = product.c_stride,
              .panels = panels.data_ptr<float>()};
  }

  void find_panels() {
    at::Tensor own;
    at::Tensor& place = is_kept(*product) ? kept->panels[key_of(*product)] : own;
    must_pack = !place.defined();
    if (must_pack) place = at::empty({kernel::packed_gemm_floats(product->n, product->k)}, at::kFloat);
    panels = place;
  }

  /// Multiplications of a block.
  int64_t work() const { return product->m * product->n * product->k / blocks.count(); }

  const Product* product;
  bool by_rows;
  RowChunks blocks;
  at::Tensor panels;  // undefined: the BLAS computes it
  bool must_pack = false;
  int64_t panel_count = 0;
  kernel::PackedGemm packed{};
};

/// In a parallel region OpenBLAS keeps to the thread that calls it. Outside of one it takes as many as OpenMP allows.
class OneBlasThread {
 public:
  explicit OneBlasThread(bool needed) : before_(needed && !omp_in_parallel() ? omp_get_max_threads() : 1) {
    if (before_ > 1) omp_set_num_threads(1);
  }
  ~OneBlasThread() {
    if (before_ > 1) omp_set_num_threads(before_);
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

CBLAS_TRANSPOSE order(const Operand& x) {
  return x.transposed ? CblasTrans : CblasNoTrans;
}

void multiply_block(const Cut& cut, int64_t block) {
  const Product& p = *cut.product;
  const int64_t begin = cut.blocks.begin(block), end = cut.blocks.end(block), count = end - begin;
  if (cut.panels.defined()) {
    return kernel::packed_gemm_part(cut.packed, cut.by_rows ? kernel::PackedGemmPart{begin, end, 0, cut.panel_count}
                                                            : kernel::PackedGemmPart{0, p.m, begin, end});
  }
  const int64_t row = cut.by_rows ? begin : 0, column = cut.by_rows ? 0 : begin;
  const float* a = p.a.data + (p.a.transposed ? row : row * p.a.stride);
  const float* b = p.b.data + (p.b.transposed ? column * p.b.stride : column);
  cblas_sgemm(CblasRowMajor, order(p.a), order(p.b), static_cast<int>(cut.by_rows ? count : p.m),
              static_cast<int>(cut.by_rows ? p.n : count), static_cast<int>(p.k), 1, a, static_cast<int>(p.a.stride), b,
              static_cast<int>(p.b.stride), p.beta, p.c + row * p.c_stride + column, static_cast<int>(p.c_stride));
}

}  // namespace

PanelScope::PanelScope() : kept_(std::make_unique<Kept>()), outer_(std::exchange(kept, kept_.get())) {}

PanelScope::~PanelScope() {
  kept = outer_;
}

void multiply(std::span<const Product> products) {
  const PartScope scope(StepPart::Gemm);
  struct Piece {
    const Cut* cut;
    int64_t block;
  };
  std::vector<Cut> cuts;
  for (const Product& product : products) {
    if (product.m > 0 && product.n > 0) cuts.emplace_back(product);
  }
  std::vector<Piece> pieces, packings;
  for (const Cut& cut : cuts) {
    for (int64_t block = 0; block < cut.blocks.count(); ++block) pieces.push_back({&cut, block});
    if (!cut.must_pack) continue;
    for (int64_t panel = 0; panel < cut.panel_count; panel += kPackedPanels) packings.push_back({&cut, panel});
  }
  for_each_piece(std::ssize(packings), [&](int64_t i) {
    const auto& [cut, panel] = packings[static_cast<size_t>(i)];
    kernel::packed_gemm_pack(cut->packed, panel, std::min(panel + kPackedPanels, cut->panel_count));
  });
  // The longest first: one that is left for the end would keep the other threads waiting.
  std::ranges::stable_sort(pieces, std::ranges::greater{}, [](const Piece& piece) { return piece.cut->work(); });
  const OneBlasThread one(/*needed=*/pieces.size() == 1);
  for_each_piece(std::ssize(pieces), [&](int64_t i) {
    const Piece& piece = pieces[static_cast<size_t>(i)];
    multiply_block(*piece.cut, piece.block);
  });
}

}  // namespace plumb::ops
