#include "plumb/kernel/residual.h"

#include <limits>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "kernel/support/norm_oracle.h"
#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

enum class GainKind { One, Number, Vector };

/// Which parts of the equation exist.
struct Parts {
  bool bias = false, dropout = false, bottom = false, extra = false;
  GainKind r = GainKind::One, g = GainKind::One;
  std::optional<NormKind> norm;

  std::string text() const {
    return std::string(bias ? "bias " : "") + (dropout ? "dropout " : "") + (bottom ? "bottom " : "") +
           (extra ? "extra " : "") + "r" + std::to_string(static_cast<int>(r)) + " g" +
           std::to_string(static_cast<int>(g)) + " " + (norm ? std::string(word(*norm)) : "");
  }
};

std::vector<Parts> every_parts() {
  std::vector<Parts> all;
  for (int flags = 0; flags < 16; ++flags) {
    for (const GainKind r : {GainKind::One, GainKind::Number, GainKind::Vector}) {
      for (const GainKind g : {GainKind::One, GainKind::Number, GainKind::Vector}) {
        const Parts parts{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0, r, g, {}};
        all.push_back(parts);
        for (const NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
          all.push_back(parts);
          all.back().norm = kind;
        }
      }
    }
  }
  return all;
}

std::vector<double> gain(GainKind kind, int64_t width, uint32_t seed) {
  if (kind == GainKind::One) return {1};
  return widened(normal_numbers(kind == GainKind::Vector ? width : 1, seed, 0.2, 1.5));
}

/// The equation in double precision.
struct ResidualCase {
  ResidualCase(const Parts& p, int64_t row_count, int64_t columns)
      : parts(p),
        rows(row_count),
        width(columns),
        names(rows),
        key(dropout_key(0.3)),
        r(gain(p.r, width, 11)),
        g(gain(p.g, width, 12)),
        bias(p.bias ? widened(normal_numbers(width, 13)) : std::vector<double>(width)),
        norm{p.norm.value_or(NormKind::Layer), 1e-5F, {}, widened(normal_numbers(width, 15, 0.3)), {0.5}} {
    const int64_t size = rows * width;
    for (uint32_t seed = 1; std::vector<double> * one : {&f, &x, &bottom, &dy, &dz}) {
      *one = widened(normal_numbers(size, seed++));
    }
    norm.weight = widened(normal_numbers(norm.kind == NormKind::Scale ? 1 : width, 14, 0.2, 1));
    for (int64_t i = 0; i < size; ++i)
      keep.push_back(keep_factor(p.dropout ? &key : nullptr, names, i / width, i % width));
  }

  const DropoutKey* dropout() const { return parts.dropout ? &key : nullptr; }

  std::vector<double> sum() const {
    std::vector<double> z(f.size());
    for (size_t i = 0; i < z.size(); ++i) {
      const size_t column = i % width;
      const double a = keep[i] * (f[i] + bias[column]);
      z[i] = beta * (r[r.size() > 1 ? column : 0] * x[i] + g[g.size() > 1 ? column : 0] * a);
      if (parts.bottom) z[i] += alpha * bottom[i];
    }
    return z;
  }

  std::vector<double> out() const { return parts.norm ? norm(sum(), width) : sum(); }

  double loss() const {
    const std::vector<double> z = sum(), y = out();
    const double through_z = parts.extra ? std::inner_product(z.begin(), z.end(), dz.begin(), 0.0) : 0;
    return std::inner_product(y.begin(), y.end(), dy.begin(), through_z);
  }

  Parts parts;
  int64_t rows, width;
  Names names;
  DropoutKey key;
  std::vector<double> r, g, bias;
  NormOracle norm;
  std::vector<double> f, x, bottom, dy, dz, keep;
  double alpha = 0.75, beta = 0.5;
};

/// The same in guarded buffers, with what the kernels write.
struct ResidualBuffers {
  explicit ResidualBuffers(const ResidualCase& c)
      : parts(c.parts),
        width(c.width),
        names(c.names.view()),
        dropout(c.dropout()),
        f(narrowed(c.f)),
        x(narrowed(c.x)),
        bottom(narrowed(c.bottom)),
        dy(narrowed(c.dy)),
        dz(narrowed(c.dz)),
        r(narrowed(c.r)),
        g(narrowed(c.g)),
        bias(narrowed(c.bias)),
        weight(narrowed(c.norm.weight)),
        norm_bias(narrowed(c.norm.bias)),
        norm_alpha(narrowed(c.norm.alpha)),
        z(f.size()),
        y(f.size()),
        mean(c.rows),
        rstd(c.rows),
        df(f.size()),
        dx(f.size()),
        dbottom(f.size()),
        dr(r.size(), 7),
        dg(g.size(), 7),
        dbias(width, 7),
        dweight(weight.size(), 7),
        dnorm_bias(width, 7),
        dalpha(1, 7),
        norm{c.norm.kind, static_cast<float>(c.norm.eps), weight.data(), norm_bias.data(), norm_alpha.data()},
        terms{.bias = parts.bias ? bias.data() : nullptr,
              .dropout = dropout,
              .r = {*r.data(), parts.r == GainKind::Vector ? r.data() : nullptr},
              .g = {*g.data(), parts.g == GainKind::Vector ? g.data() : nullptr},
              .beta = static_cast<float>(c.beta),
              .alpha = static_cast<float>(c.alpha),
              .norm = parts.norm ? &norm : nullptr} {}

  ResidualForward forward() {
    return {.terms = terms,
            .names = names,
            .width = width,
            .f = f.data(),
            .x = x.data(),
            .bottom = parts.bottom ? bottom.data() : nullptr,
            .z = z.data(),
            .y = parts.norm ? y.data() : nullptr,
            .stats = {mean.data(), rstd.data()}};
  }

  ResidualBackward backward(NormSide side) {
    const bool biased = norm.kind == NormKind::Layer || norm.kind == NormKind::Dyt;
    return {.terms = terms,
            .names = names,
            .width = width,
            .side = side,
            .saved = side == NormSide::Input ? z.data() : y.data(),
            .stats = {mean.data(), rstd.data()},
            .f = f.data(),
            .x = x.data(),
            .dy = dy.data(),
            .dz = parts.extra ? dz.data() : nullptr,
            .df = df.data(),
            .dx = dx.data(),
            .dbottom = parts.bottom ? dbottom.data() : nullptr,
            .gradients = {.bias = dbias.data(),
                          .r = dr.data(),
                          .g = dg.data(),
                          .norm = {dweight.data(), biased ? dnorm_bias.data() : nullptr,
                                   norm.kind == NormKind::Dyt ? dalpha.data() : nullptr}}};
  }

  Parts parts;
  int64_t width;
  RowNames names;
  const DropoutKey* dropout;
  Guarded f, x, bottom, dy, dz, r, g, bias, weight, norm_bias, norm_alpha, z, y, mean, rstd;
  Guarded df, dx, dbottom, dr, dg, dbias, dweight, dnorm_bias, dalpha;
  NormTerms norm;
  ResidualTerms terms;
};

class ResidualKernel : public EveryTarget {};

TEST_P(ResidualKernel, ForwardAgreesWithDoublePrecisionWhateverPartsThereAre) {
  for (const Parts& parts : every_parts()) {
    const ResidualCase c(parts, 3, 17);
    ResidualBuffers b(c);
    residual_forward(b.forward(), 0, c.rows);
    expect_close(b.z.values(), c.sum(), 1e-6, parts.text() + " z");
    if (parts.norm) expect_close(b.y.values(), c.out(), 1e-6, parts.text() + " y");
  }
}

void expect_gradients(ResidualCase& c, ResidualBuffers& b, const std::string& what) {
  const auto check = [&](const Guarded& got, std::vector<double>& at, const char* name) {
    expect_close(got.values(), differences(at, [&] { return c.loss(); }), 5e-6, what + ' ' + name, /*least=*/1);
  };
  check(b.df, c.f, "df");
  check(b.dx, c.x, "dx");
  if (c.parts.bottom) check(b.dbottom, c.bottom, "dbottom");
  check(b.dr, c.r, "dr");
  check(b.dg, c.g, "dg");
  check(b.dbias, c.bias, "dbias");
  if (!c.parts.norm) return;
  const NormGradients norm = b.backward(NormSide::Input).gradients.norm;
  check(b.dweight, c.norm.weight, "dweight");
  if (norm.bias) check(b.dnorm_bias, c.norm.bias, "norm's dbias");
  if (norm.alpha) check(b.dalpha, c.norm.alpha, "dalpha");
}

TEST_P(ResidualKernel, BackwardAgreesWithDifferencesWhateverPartsThereAre) {
  for (const Parts& parts : every_parts()) {
    ResidualCase c(parts, 2, 9);
    ResidualBuffers b(c);
    residual_forward(b.forward(), 0, c.rows);
    residual_backward(b.backward(NormSide::Input), 0, c.rows);
    expect_gradients(c, b, parts.text());
    if (HasFailure()) break;
  }
}

TEST_P(ResidualKernel, AgreesAtEveryWidth) {
  for (const int64_t width : {2, 3, 17, 64, 100, 129, 512}) {
    for (const NormKind kind : {NormKind::Layer, NormKind::Rms}) {
      ResidualCase c({true, true, true, true, GainKind::Vector, GainKind::Vector, kind}, width > 64 ? 1 : 4, width);
      ResidualBuffers b(c);
      residual_forward(b.forward(), 0, c.rows);
      expect_close(b.y.values(), c.out(), 2e-6, std::to_string(width) + " y");
      for (const NormSide side : {NormSide::Input, NormSide::Output}) {
        residual_backward(b.backward(side), 0, c.rows);
        expect_gradients(c, b, std::to_string(width) + (side == NormSide::Input ? " from z" : " from y"));
      }
    }
  }
}

TEST_P(ResidualKernel, WhatNobodyWantsMayBeMissing) {
  for (const Parts& parts : every_parts()) {
    const ResidualCase c(parts, 3, 17);
    ResidualBuffers all(c);
    residual_forward(all.forward(), 0, 3);
    residual_backward(all.backward(NormSide::Input), 0, 3);
    ResidualBuffers some(c);
    ResidualForward forward = some.forward();
    if (parts.norm) {
      forward.z = nullptr;
      forward.stats = {};
      residual_forward(forward, 0, 3);
      expect_same(some.y.values(), all.y.values(), "without z");
    }
    ResidualBackward backward = all.backward(NormSide::Input);
    backward.gradients = {};
    backward.x = backward.f = nullptr;
    for (const int which : {0, 1, 2}) {
      Guarded df(all.f.size()), dx(all.f.size()), dbottom(all.f.size());
      backward.df = which == 0 ? df.data() : nullptr;
      backward.dx = which == 1 ? dx.data() : nullptr;
      backward.dbottom = which == 2 ? dbottom.data() : nullptr;
      if (which == 2 && !parts.bottom) continue;
      residual_backward(backward, 0, 3);
      if (which == 0) expect_same(df.values(), all.df.values(), "df alone");
      if (which == 1) expect_same(dx.values(), all.dx.values(), "dx alone");
      if (which == 2) expect_same(dbottom.values(), all.dbottom.values(), "dbottom alone");
    }
  }
}

TEST_P(ResidualKernel, WorksInPlace) {
  for (const Parts& parts : every_parts()) {
    const ResidualCase c(parts, 3, 21);
    ResidualBuffers apart(c), in_place(c);
    residual_forward(apart.forward(), 0, 3);
    residual_backward(apart.backward(NormSide::Input), 0, 3);
    ResidualForward forward = in_place.forward();
    forward.z = in_place.f.data();
    if (parts.norm) forward.y = in_place.x.data();
    residual_forward(forward, 0, 3);
    expect_same(in_place.f.values(), apart.z.values(), "z over f");
    if (parts.norm) expect_same(in_place.x.values(), apart.y.values(), "y over x");

    ResidualBackward backward = apart.backward(NormSide::Input);
    const std::vector<float> df = apart.df.values(), dx = apart.dx.values();
    backward.df = apart.dy.data();
    if (parts.extra) backward.dx = apart.dz.data();
    residual_backward(backward, 0, 3);
    expect_same(apart.dy.values(), df, "df over dy");
    if (parts.extra) expect_same(apart.dz.values(), dx, "dx over dz");
  }
}

TEST_P(ResidualKernel, SplittingTheRowsChangesNoBit) {
  for (const std::optional<NormKind> norm : {std::optional<NormKind>(), {NormKind::Layer}, {NormKind::Rms}}) {
    for (const int64_t width : {17, 64, 100}) {
      const ResidualCase c({true, true, true, true, GainKind::Vector, GainKind::Number, norm}, 19, width);
      ResidualBuffers whole(c), split(c);
      residual_forward(whole.forward(), 0, 19);
      residual_backward(whole.backward(NormSide::Input), 0, 19);
      for (const auto& [begin, end] : {std::pair{0, 4}, {4, 5}, {5, 19}}) {
        residual_forward(split.forward(), begin, end);
        residual_backward(split.backward(NormSide::Input), begin, end);
      }
      expect_same(whole.z.values(), split.z.values(), "z");
      expect_same(whole.y.values(), split.y.values(), "y");
      expect_same(whole.df.values(), split.df.values(), "df");
      expect_same(whole.dx.values(), split.dx.values(), "dx");
      expect_same(whole.dbottom.values(), split.dbottom.values(), "dbottom");
    }
  }
}

TEST_P(ResidualKernel, NotANumberSpoilsItsRowOnly) {
  ResidualCase c({true, true, false, false, GainKind::One, GainKind::One, NormKind::Layer}, 3, 17);
  for (int64_t column = 0; column < 17; ++column) {  // a dropped one, too
    ResidualBuffers b(c);
    b.f.data()[17 + column] = std::numeric_limits<float>::infinity();
    residual_forward(b.forward(), 0, 3);
    residual_backward(b.backward(NormSide::Input), 0, 3);
    for (int64_t i = 0; i < 3 * 17; ++i) {
      EXPECT_EQ(std::isfinite(b.y.values()[i]), i / 17 != 1) << i;
      EXPECT_EQ(std::isfinite(b.dx.values()[i]), i / 17 != 1) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ResidualKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
