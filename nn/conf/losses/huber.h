// Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35 (1964),
// with the paper's k as delta and the mean over the outputs, as in PyTorch's HuberLoss:
//   L = 1/n sum_i h(z_i - t_i),   h(e) = e^2 / 2                     if |e| <= delta
//                                        delta (|e| - delta / 2)     otherwise
#pragma once

#include "base/limits.h"
#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct Huber {
  static constexpr std::string_view kTag = "huber";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers};

  Huber() = default;
  explicit Huber(double value) : delta(value) {}
  Huber& Delta(double value) {
    delta = value;
    return *this;
  }

  double delta = 1;  // 1e-6 to limits::kMaxCoefficient

  bool operator==(const Huber&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "delta",
                .what = "Huber's delta",
                .min = 1e-6,
                .max = limits::kMaxCoefficient,
                .meaning = "Largest error with a quadratic loss. Beyond it the loss is linear"},
          self.delta);
  }
  void Check(const Output&, Mistakes&) const {}
  static std::vector<Huber> Samples() { return {Huber(), Huber(0.25)}; }
};

}  // namespace dl::nn
