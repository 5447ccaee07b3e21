// Focal loss (Lin, Goyal, Girshick, He, Dollar, "Focal loss for dense object detection", ICCV 2017,
// equations 4 and 5). With p = softmax(z)_c,
//   L = -w_c (1 - p)^gamma log p
// The softmax belongs to the loss; the output layer computes logits z. w_c is the weight of class
// c, the paper's alpha: from `class_weights`, or 1.
#pragma once

#include <utility>

#include "nn/conf/losses/loss_config.h"
#include "nn/conf/losses/weights_of_classes.h"

namespace dl::nn {

struct Focal {
  static constexpr std::string_view kTag = "focal";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kClass};

  Focal() = default;
  explicit Focal(double value) : gamma(value) {}
  Focal& Gamma(double value) {
    gamma = value;
    return *this;
  }
  Focal& ClassWeights(std::vector<double> values) {
    class_weights = std::move(values);
    return *this;
  }
  // Sets the weights with which all classes of the training set have the same total weight.
  Focal& BalancedClasses() {
    class_weights = WeightsOfClasses::Balanced();
    return *this;
  }

  double gamma = 2;  // 0 to 100; 0 = cross-entropy
  WeightsOfClasses class_weights;

  bool operator==(const Focal&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "gamma",
                .what = "the focal loss's gamma",
                .max = 100,
                .meaning = "Focusing parameter: a higher value gives well-classified examples less "
                           "weight; 0 = cross-entropy"},
          self.gamma);
    visit(kClassWeightsField, self.class_weights);
  }
  // Adds the mistakes of CheckClasses.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<Focal> Samples() { return {Focal(), Focal(0.5).ClassWeights({0.25, 2})}; }
};

}  // namespace dl::nn
