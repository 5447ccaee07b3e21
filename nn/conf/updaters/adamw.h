// Adam with decoupled weight decay (Loshchilov, Hutter, "Decoupled weight decay regularization",
// ICLR 2019, algorithm 2): Adam's step, and additionally w -= lr weight_decay w, with w before the
// step. In the paper the decay of a step is eta_t lambda and Adam's rate is eta_t alpha. Here the
// decay is lr weight_decay with lr = eta_t alpha, as in PyTorch, so that lambda = alpha
// weight_decay.
//
// A model's `weight_decay` is the same decay for every updater except lamb
// (nn/conf/model_config.h): Adam with it is AdamW. This type exists for its name. Its weight_decay
// replaces a model's weight_decay of 0. It applies to weights only, in layers that do not state
// their own.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct AdamW : MomentsUpdater<AdamW> {
  static constexpr std::string_view kTag = "adamw";

  using MomentsUpdater::MomentsUpdater;
  AdamW& WeightDecay(double value) {
    weight_decay = value;
    return *this;
  }

  double weight_decay = 0.01;  // 0 to limits::kMaxCoefficient

  bool operator==(const AdamW&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    MomentsUpdater::Fields(self, visit);
    visit(Field{.key = "weight_decay",
                .what = "the updater's weight decay",
                .max = limits::kMaxCoefficient,
                .meaning = "Weight decay of the model if `model.weight_decay` is absent or 0"},
          self.weight_decay);
  }
  static std::vector<AdamW> Samples() {
    return {AdamW(0.1), AdamW(StepSchedule(0.2, 0.5, 2).WarmUp(1).ByEpoch())
                            .Beta1(0.7)
                            .Beta2(0.9)
                            .Epsilon(1e-3)
                            .WeightDecay(0.125)};
  }
};

}  // namespace dl::nn
