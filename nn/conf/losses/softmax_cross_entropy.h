// Cross-entropy of softmax(z) against the class; the softmax belongs to the loss, the output layer
// computes logits:
//   L = -sum_k q_k log softmax(z)_k,   q_k = (1 - s) [k = c] + s / n
// s is the label smoothing of Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, "Rethinking the Inception
// architecture for computer vision", CVPR 2016, section 7, with the uniform distribution over all n
// classes, c among them, as PyTorch's CrossEntropyLoss has it. With s = 0 it is -log softmax(z)_c.
// What is reported is L, smoothing included.
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct SoftmaxCrossEntropy {
  static constexpr std::string_view kTag = "softmax_cross_entropy";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kClass};

  SoftmaxCrossEntropy& LabelSmoothing(double value) {
    label_smoothing = value;
    return *this;
  }

  double label_smoothing = 0;

  bool operator==(const SoftmaxCrossEntropy&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "label_smoothing",
                .what = "the label smoothing",
                .max = 0.999999,
                .meaning = "Share of the label that is spread over all classes; below 1"},
          self.label_smoothing);
  }
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<SoftmaxCrossEntropy> Samples() {
    return {SoftmaxCrossEntropy(), SoftmaxCrossEntropy().LabelSmoothing(0.1)};
  }
};

}  // namespace dl::nn
