// Common parts of all updater (optimizer) configs. An updater is a plain value and its own fluent
// builder. Each type defines, besides its data:
//   kTag          its name in JSON; must never change.
//   kStateNames   its state tensors, each as large as the parameter that it belongs to.
//   StateCount()  number of state tensors. They have the first names of kStateNames. Defined only
//                 by an updater for which the number depends on its keys (rmsprop).
//   Fields        its keys (nn/conf/field.h).
//   Samples       configs for the tests of round trips, segments and references.
// The job decides how state is merged (training.updater_state). With `average`, it becomes the
// weighted mean of the workers' state, value by value, whatever the state means. If state is not a
// mean (but a sum or maximum), the updater's header explains the effect of averaging.
//
// In the formulas of all headers:
//   lr  the learning rate of the step (nn/conf/schedule.h).
//   t   the number of updates of the state, this step included, so the first step has t = 1
//       (UpdateCount in dataset/job_plan.h). It is the number of the job's step, unless the state
//       is reset in each round or comes from another job.
//   g   the clipped gradient, to which L1 and L2 have been added (nn/conf/model_config.h states the
//       order), unless the header defines it otherwise.
//   w   the weight.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/schedule.h"

namespace dl::nn {

// Largest value of a key that must be below 1. It is below 1 after rounding to float, too.
inline constexpr double kLargestBelowOne = 0.999999;

// Base of all updaters: the schedule of the learning rate.
struct RatedUpdater {
  Schedule learning_rate;

  RatedUpdater() = default;
  explicit RatedUpdater(Schedule rate) : learning_rate(std::move(rate)) {}
  bool operator==(const RatedUpdater&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "learning_rate",
                .meaning = "Schedule of the learning rate; a number is a constant rate. Default: "
                           "0.01; adadelta: 1"},
          self.learning_rate);
  }
};

// Keys of several updaters. Each updater has its own defaults.
inline constexpr Field kBeta1Field{.key = "beta1",
                                   .what = "the updater's beta1",
                                   .max = kLargestBelowOne,
                                   .meaning = "Decay of the mean of gradients. Below 1"};
inline constexpr Field kBeta2Field{
    .key = "beta2",
    .what = "the updater's beta2",
    .max = kLargestBelowOne,
    .meaning = "Decay of the mean of squared gradients (adamax: of the largest gradient). Below 1"};
inline constexpr Field kDecayField{
    .key = "decay",
    .what = "the updater's decay",
    .max = kLargestBelowOne,
    .meaning = "Decay of the means of squares. Below 1. Default: 0.9; adadelta: 0.95"};
inline constexpr Field kEpsilonField{.key = "epsilon",
                                     .what = "the updater's epsilon",
                                     .min = 1e-30,
                                     .max = 1,
                                     .meaning =
                                         "Added to the divisor (adadelta: under both roots). "
                                         "Default: 1e-8; adadelta and lamb: 1e-6"};

inline constexpr Field kMomentumField{
    .key = "momentum",
    .what = "the updater's momentum",
    .max = kLargestBelowOne,
    .meaning =
        "Momentum: fraction of the last step that is kept. Below 1. Default: 0.9; rmsprop: 0"};

// Base of updaters that use the first two moments of gradients, as Adam does.
template <typename Updater>
struct MomentsUpdater : RatedUpdater {
  static constexpr std::array<std::string_view, 2> kStateNames = {"m", "v"};

  using RatedUpdater::RatedUpdater;
  Updater& Beta1(double value) {
    beta1 = value;
    return self();
  }
  Updater& Beta2(double value) {
    beta2 = value;
    return self();
  }
  Updater& Epsilon(double value) {
    epsilon = value;
    return self();
  }

  double beta1 = 0.9;     // 0 to kLargestBelowOne
  double beta2 = 0.999;   // 0 to kLargestBelowOne
  double epsilon = 1e-8;  // 1e-30 to 1

  bool operator==(const MomentsUpdater&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(kBeta1Field, self.beta1);
    visit(kBeta2Field, self.beta2);
    visit(kEpsilonField, self.epsilon);
  }

 protected:
  Updater& self() { return static_cast<Updater&>(*this); }
};

// Base of updaters whose only state is a decaying sum, v in the formulas. It is a sum of gradients
// without the learning rate. In LARS it is a sum of steps, which include the learning rate.
template <typename Updater>
struct MomentumUpdater : RatedUpdater {
  static constexpr std::array<std::string_view, 1> kStateNames = {"momentum"};

  using RatedUpdater::RatedUpdater;
  Updater& Momentum(double value) {
    momentum = value;
    return static_cast<Updater&>(*this);
  }

  double momentum = 0.9;  // 0 to kLargestBelowOne

  bool operator==(const MomentumUpdater&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(kMomentumField, self.momentum);
  }
};

}  // namespace dl::nn
