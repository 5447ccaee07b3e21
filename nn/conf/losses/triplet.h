// Distances between three embeddings (Schroff, Kalenichenko, Philbin, "FaceNet: A unified embedding
// for face recognition and clustering", CVPR 2015, section 3.1):
//   L = max(0, |a - p|^2 - |a - n|^2 + margin)
// z is the anchor a, the positive p, which is of the anchor's kind, and the negative n, which is
// not, one behind the other with a third of the outputs each: as `concat` joins three branches with
// the same weights. Which examples make a triplet is decided by the data: none are looked for in a
// minibatch. FaceNet's embeddings have length 1 (l2_normalize), and its margin is the default.
// Nothing is compared with z: labels that the data has are not looked at. Where what max is of is 0
// the gradient is 0.
#pragma once

#include "base/limits.h"
#include "nn/conf/losses/loss.h"

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

  double margin = 0.2;

  bool operator==(const Triplet&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "margin",
                .what = "the margin of triplets",
                .max = limits::kMaxCoefficient,
                .meaning = "By how much the negative has to be farther from the anchor than the "
                           "positive, by squares of distances"},
          self.margin);
  }
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<Triplet> Samples() { return {Triplet(), Triplet(1.5)}; }
};

}  // namespace dl::nn
