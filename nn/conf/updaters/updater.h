// What every updater (optimizer) config has in common. An updater is a plain value that is also its
// own fluent builder; each type gives, besides its data:
//   kTag          its name in JSON, forever
//   kStateNames   its state tensors, each as large as the parameter it belongs to
//   Fields        its keys (nn/conf/field.h)
//   Samples       configs that the round-trip, segment and reference tests run
// In the rules t counts steps from 0 (nn/conf/schedule.h), lr = RateAt(learning_rate, t), g is the
// gradient after clipping and L2 (nn/conf/model_config.h states the order), w the weight.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/schedule.h"

namespace dl::nn {

inline constexpr double kLargestBelowOne = 0.999999;  // as a float it is below 1 too

struct RatedUpdater {
  Schedule learning_rate;

  RatedUpdater() = default;
  explicit RatedUpdater(Schedule rate) : learning_rate(rate) {}
  bool operator==(const RatedUpdater&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "learning_rate",
                .meaning = "Learning rate over the job's steps; a plain number is a fixed rate"},
          self.learning_rate);
  }
};

// The key of the two rules that keep a sum of gradients, v, which is their state.
template <typename Updater>
struct MomentumUpdater : RatedUpdater {
  static constexpr std::array<std::string_view, 1> kStateNames = {"momentum"};

  using RatedUpdater::RatedUpdater;
  Updater& Momentum(double value) {
    momentum = value;
    return static_cast<Updater&>(*this);
  }

  double momentum = 0.9;

  bool operator==(const MomentumUpdater&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(Field{.key = "momentum",
                .what = "the updater's momentum",
                .max = kLargestBelowOne,
                .meaning = "Share of the last step that is kept; below 1"},
          self.momentum);
  }
};

}  // namespace dl::nn
