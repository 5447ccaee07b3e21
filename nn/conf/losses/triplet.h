// Distances between three embeddings (Schroff, Kalenichenko, Philbin, "FaceNet: A unified embedding
// for face recognition and clustering", CVPR 2015, section 3.1):
//   L = max(0, |a - p|^2 - |a - n|^2 + margin)
// z is the concatenation of the anchor a, the positive p, which has the anchor's class, and the
// negative n, which does not. Each has a third of the outputs, for example from a `concat` of three
// branches with shared weights. The data defines the triplets; no triplets are mined from a
// minibatch. FaceNet's embeddings have length 1 (l2_normalize), and its margin is the default.
// Labels of the data are ignored. The gradient is 0 if the argument of max is at most 0.
#pragma once

#include "base/limits.h"
#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct Triplet {
  static constexpr std::string_view kTag = "triplet";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNothing};

  Triplet() = default;
  explicit Triplet(double value) : margin(value) {}
  Triplet& Margin(double value) {
    margin = value;
    return *this;
  }

  double margin = 0.2;  // 0 to limits::kMaxCoefficient; of squared distances

  bool operator==(const Triplet&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "margin",
                .what = "the margin of triplets",
                .max = limits::kMaxCoefficient,
                .meaning = "Required difference of squared distances: anchor to negative minus "
                           "anchor to positive"},
          self.margin);
  }
  // Adds a mistake unless the number of outputs is a multiple of 3.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<Triplet> Samples() { return {Triplet(), Triplet(1.5)}; }
};

}  // namespace dl::nn
