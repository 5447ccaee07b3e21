// Cross-entropy of softmax(z) against the class c:
//   L = -sum_k q_k log softmax(z)_k,   q_k = (1 - s) [k = c] + s / n
// The softmax belongs to the loss; the output layer computes logits z. s is the label smoothing of
// Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, "Rethinking the Inception architecture for computer
// vision", CVPR 2016, section 7. The distribution is uniform over all n classes, including c, as in
// PyTorch's CrossEntropyLoss. s = 0 gives -log softmax(z)_c.
//
// Class weights multiply L by w_c; the batch sum is divided by the number of examples. The weight
// of an example thus does not depend on the other examples of its minibatch. PyTorch in contrast
// divides by the sum of the weights. The reported loss includes smoothing and weights.
#pragma once

#include <utility>

#include "nn/conf/losses/loss_config.h"
#include "nn/conf/losses/weights_of_classes.h"

namespace dl::nn {

struct SoftmaxCrossEntropy {
  static constexpr std::string_view kTag = "softmax_cross_entropy";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kClass};

  SoftmaxCrossEntropy& LabelSmoothing(double value) {
    label_smoothing = value;
    return *this;
  }

  SoftmaxCrossEntropy& ClassWeights(std::vector<double> values) {
    class_weights = std::move(values);
    return *this;
  }
  // Sets the weights with which all classes of the training set have the same total weight.
  SoftmaxCrossEntropy& BalancedClasses() {
    class_weights = WeightsOfClasses::Balanced();
    return *this;
  }

  double label_smoothing = 0;  // 0 <= s < 1
  WeightsOfClasses class_weights;

  bool operator==(const SoftmaxCrossEntropy&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "label_smoothing",
                .what = "the label smoothing",
                .max = 0.999999,
                .meaning = "Fraction of the label that is spread over all classes. Below 1"},
          self.label_smoothing);
    visit(kClassWeightsField, self.class_weights);
  }
  // Adds the mistakes of CheckClasses.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<SoftmaxCrossEntropy> Samples() {
    return {SoftmaxCrossEntropy(), SoftmaxCrossEntropy().LabelSmoothing(0.1),
            SoftmaxCrossEntropy().LabelSmoothing(0.2).ClassWeights({0.5, 2})};
  }
};

}  // namespace dl::nn
