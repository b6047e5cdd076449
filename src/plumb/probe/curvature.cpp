// The spectrum of the Hessian (Zhang & Mackey 2022) by stochastic Lanczos quadrature, both of its ends, and what any
// advice from them rests on: how quadratic the loss is.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/progress.h"
#include "plumb/base/sha256.h"
#include "plumb/config/dump.h"
#include "plumb/probe/hessian.h"
#include "plumb/probe/lanczos.h"
#include "plumb/probe/lanczos_basis.h"
#include "plumb/probe/lanczos_file.h"
#include "plumb/probe/probe.h"
#include "plumb/probe/spectral_density.h"

namespace plumb::probe {
namespace {

constexpr int64_t kLarge = 10'000'000;  // parameters; one random start is enough above that
constexpr int64_t kBlockSteps = 15;     // enough for the largest eigenvalue of a block to two digits
constexpr int64_t kDensityPoints = 1000;
constexpr double kFractions[] = {0.01, 0.03, 0.1, 0.3, 1, 2};  // of the step 1 / largest

struct Effort {
  int64_t steps, starts;
};

Effort effort_of(const ProbeConfig& probe, int64_t parameters) {
  const bool large = parameters > kLarge;
  return {std::min(parameters, probe.lanczos_steps > 0 ? probe.lanczos_steps
                               : large                 ? 50
                                                       : 80),
          probe.lanczos_vectors > 0 ? probe.lanczos_vectors
          : large                   ? 1
                                    : 10};
}

/// The measurement of one model: Lanczos runs on the Hessian and on what is made of it.
class Spectrum {
 public:
  Spectrum(const Subject& subject, Readings& out)
      : subject_(subject),
        model_(subject.build()),
        hessian_(subject, *model_),
        effort_(effort_of(subject.config().probe, model_->parameters().parameter_count())),
        parts_(names_by_part(model_->parameters())),
        out_(out),
        progress_("curvature", static_cast<uint64_t>(products())) {}

  void measure() {
    const at::Tensor mask = hessian_.mask();
    std::vector<std::vector<Lanczos::Ritz>> starts;
    at::Tensor top;
    for (int64_t start = 0; start < effort_.starts; ++start) {
      const bool last = start + 1 == effort_.starts;
      starts.push_back(run(fmt::format("start{}", start), mask, effort_.steps, last ? &top : nullptr));
    }
    report_ends(starts);
    report_density(starts);
    const double largest = largest_of(starts).value;
    report_quadratic(largest, top);
    if (subject_.config().probe.curvature_adam) preconditioned(mask);
    if (subject_.config().probe.curvature_blocks) blocks();
    out_.add("seconds", {}, product_seconds_ / static_cast<double>(std::max<int64_t>(1, products_made_)));
    out_.add("steps", {}, static_cast<double>(effort_.steps));
  }

 private:
  using Transform = std::function<at::Tensor(const at::Tensor&)>;

  static std::map<std::string, std::vector<std::string>> names_by_part(const ParameterStore& store) {
    std::map<std::string, std::vector<std::string>> parts;
    for (const auto& entry : store.entries()) parts[entry.spec.place.stack_part()].push_back(entry.spec.name);
    return parts;
  }

  int64_t products() const {
    const ProbeConfig& probe = subject_.config().probe;
    return effort_.steps * (effort_.starts + (probe.curvature_adam ? 1 : 0)) +
           (probe.curvature_blocks ? kBlockSteps * std::ssize(parts_) : 0);
  }

  /// Signs, drawn from a stream of this run's own.
  at::Tensor random_signs(const std::string& run) const {
    const uint64_t seed = subject_.seed() * 1000003 + std::hash<std::string>{}(run);
    at::Generator random = at::make_generator<at::CPUGeneratorImpl>(seed);
    const at::Tensor drawn = at::rand(model_->parameters().values().sizes(), random, Where().options());
    return model_->where().bring(drawn.sub_(0.5).sign_());
  }

  std::filesystem::path file_of(const std::string& run, const char* ending) const {
    const std::string& folder = subject_.config().probe.basis;
    if (folder.empty()) return {};
    std::filesystem::create_directories(folder);
    return std::filesystem::path(folder) / (identity(run).substr(0, 16) + ending);
  }

  std::string identity(const std::string& run) const {
    Sha256 sum;
    Config config = subject_.config();
    config.threads = 0;
    config.probe = {};
    sum.update(fmt::format("{}\n{}\n{}\n{}\n", to_toml(config), subject_.seed(), run, subject_.sample().fixed.size()));
    for (const ProbeBatch& chunk : subject_.sample().fixed) {
      const at::Tensor ids = chunk.targets.cpu().contiguous();
      const std::span<const std::byte> bytes = cpu_bytes(ids);
      sum.update({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return sum.hex_digest();
  }

  /// Lanczos on scale * H * scale, from a random vector of that support. Also the top eigenvector, if asked for.
  std::vector<Lanczos::Ritz> run(const std::string& name, const at::Tensor& scale, int64_t steps,
                                 at::Tensor* top = nullptr) {
    LanczosBasis basis(scale.numel(), steps + 1, file_of(name, ".basis"), model_->where());
    const LanczosFile file(file_of(name, ".json"), identity(name));
    Lanczos::State state = file.load();
    Lanczos lanczos =
        state.alpha.empty() ? Lanczos(basis, random_signs(name) * scale.ne(0)) : Lanczos(basis, std::move(state));
    progress_.advance(static_cast<uint64_t>(lanczos.steps()));
    while (lanczos.steps() < steps && !lanczos.exhausted()) {
      lanczos.step([&](const at::Tensor& v) { return scale * product(scale * v); });
      basis.sync();
      file.save(lanczos.state());
      progress_.advance();
    }
    if (top) *top = lanczos.vector(lanczos.steps() - 1);
    return lanczos.ritz();
  }

  at::Tensor product(const at::Tensor& v) {
    const auto before = std::chrono::steady_clock::now();
    at::Tensor result = hessian_.times(v.contiguous());
    product_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    ++products_made_;
    return result;
  }

  static Lanczos::Ritz largest_of(const std::vector<std::vector<Lanczos::Ritz>>& starts) {
    Lanczos::Ritz best = starts.front().back();
    for (const auto& one : starts) best = one.back().value > best.value ? one.back() : best;
    return best;
  }

  void report_ends(const std::vector<std::vector<Lanczos::Ritz>>& starts) {
    Lanczos::Ritz smallest = starts.front().front();
    for (const auto& one : starts) smallest = one.front().value < smallest.value ? one.front() : smallest;
    const Lanczos::Ritz largest = largest_of(starts);
    out_.add("largest", {}, largest.value);
    out_.add("largest_bound", {}, largest.residual);
    out_.add("smallest", {}, smallest.value);
    out_.add("smallest_bound", {}, smallest.residual);
    out_.add("rate_quadratic", {}, 1 / largest.value);
    out_.add("rate_stable", {}, 2 / largest.value);
  }

  void report_density(const std::vector<std::vector<Lanczos::Ritz>>& starts) {
    for (size_t start = 0; start < starts.size(); ++start) {
      for (size_t node = 0; node < starts[start].size(); ++node) {
        const Labels labels = {{"start", std::to_string(start)}};
        out_.add("nodes", labels, "node", static_cast<double>(node), starts[start][node].value);
        out_.add("weights", labels, "node", static_cast<double>(node), starts[start][node].weight);
      }
    }
    // Seeds have different eigenvalues: their grids cannot be averaged.
    const Labels labels = {{"seed", std::to_string(subject_.seed())}};
    const SpectralDensity density = spectral_density(starts, kDensityPoints);
    for (size_t i = 0; i < density.at.size(); ++i) {
      out_.add("density", labels, "eigenvalue", density.at[i], density.value[i]);
    }
  }

  /// The measured change of the loss over that of the quadratic model, along a direction.
  void compare(const std::string& number, const at::Tensor& direction, double slope, double bend) {
    at::Tensor values = model_->parameters().values();
    const at::Tensor weights = values.clone();
    const double loss = hessian_.loss();
    for (double fraction : kFractions) {
      at::NoGradGuard no_grad;
      values.copy_(weights).add_(direction, fraction);
      const double expected = fraction * slope + 0.5 * fraction * fraction * bend;
      out_.add(number, {}, "fraction", fraction, (hessian_.loss() - loss) / expected);
    }
    at::NoGradGuard no_grad;
    values.copy_(weights);
  }

  void report_quadratic(double largest, const at::Tensor& top) {
    const at::Tensor gradient = hessian_.gradient();
    const double norm = gradient.norm().item<double>();
    out_.add("gradient_norm", {}, norm);
    const auto along = [&](const std::string& number, const at::Tensor& direction) {
      const double slope = (gradient * direction).sum(at::kDouble).item<double>();
      const double bend = (product(direction) * direction).sum(at::kDouble).item<double>();
      compare(number, direction, slope, bend);
    };
    along("along_gradient", gradient * (-1 / largest));
    // As far as a step of gradient descent goes, but along the eigenvector, downhill.
    const double side = (gradient * top).sum().item<double>() > 0 ? -1 : 1;
    along("along_top", top * (side * norm / largest));
  }

  /// Adam divides by sqrt(v) + eps; at first v is the mean square of a mini-batch's gradient.
  void preconditioned(const at::Tensor& mask) {
    ParameterStore& store = model_->parameters();
    at::Tensor squares = at::zeros_like(store.values());
    for (const ProbeBatch& batch : subject_.sample().batches) {
      store.zero_gradients();
      subject_.loss(*model_, batch).backward();
      squares += store.gradients().square() / static_cast<double>(subject_.sample().batches.size());
    }
    const at::Tensor scale = mask / (squares.sqrt() + subject_.config().optim.eps).sqrt();
    out_.add("adam_largest", {}, run("adam", scale, effort_.steps).back().value);
  }

  void blocks() {
    for (const auto& [part, names] : parts_) {
      const std::vector<Lanczos::Ritz> found = run("block " + part, hessian_.mask_of(names), kBlockSteps);
      out_.add("block_largest", {{"part", part}}, found.back().value);
    }
  }

  const Subject& subject_;
  std::unique_ptr<Transformer> model_;
  Hessian hessian_;
  Effort effort_;
  std::map<std::string, std::vector<std::string>> parts_;
  Readings& out_;
  Progress progress_;
  double product_seconds_ = 0;
  int64_t products_made_ = 0;
};

}  // namespace

void curvature(const Subject& subject, Readings& out) {
  Spectrum(subject, out).measure();
}

}  // namespace plumb::probe
