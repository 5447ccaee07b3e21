// What every updater (optimizer) config has in common. An updater is a plain value that is also its
// own fluent builder; each type gives, besides its data:
//   kTag          its name in JSON, forever
//   kStateNames   its state tensors, each as large as the parameter it belongs to
//   StateCount()  where its keys decide how many of them it has: the first so many
//   Fields        its keys (nn/conf/field.h)
//   Samples       configs that the round-trip, segment and reference tests run
// State is merged as its job says (training.updater_state); where that is `average`, it becomes the
// weighted mean of the workers', value by value, whatever it means to its rule. A rule whose state
// is more than a mean (a sum, a maximum) says in its header what the mean of it is.
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
  explicit RatedUpdater(Schedule rate) : learning_rate(std::move(rate)) {}
  bool operator==(const RatedUpdater&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "learning_rate",
                .meaning = "Learning rate over the job's steps; a plain number is a fixed rate; "
                           "default: 0.01, of adadelta 1"},
          self.learning_rate);
  }
};

// Keys that several rules have; each rule has its own defaults.
inline constexpr Field kBeta1Field{.key = "beta1",
                                   .what = "the updater's beta1",
                                   .max = kLargestBelowOne,
                                   .meaning = "Decay of the mean of gradients; below 1"};
inline constexpr Field kBeta2Field{
    .key = "beta2",
    .what = "the updater's beta2",
    .max = kLargestBelowOne,
    .meaning = "Decay of the mean of squared gradients (adamax: of the largest one); below 1"};
inline constexpr Field kDecayField{
    .key = "decay",
    .what = "the updater's decay",
    .max = kLargestBelowOne,
    .meaning =
        "Share of the means of squares that a step keeps; below 1; default: 0.9, of "
        "adadelta 0.95"};
inline constexpr Field kEpsilonField{
    .key = "epsilon",
    .what = "the updater's epsilon",
    .min = 1e-30,
    .max = 1,
    .meaning =
        "Added to the root that the rule divides by (adamax: to the largest gradient; "
        "adadelta: under both roots); default: 1e-8, of adadelta and lamb 1e-6"};

inline constexpr Field kMomentumField{
    .key = "momentum",
    .what = "the updater's momentum",
    .max = kLargestBelowOne,
    .meaning = "Share of the last step that is kept; below 1; default: 0.9, of rmsprop 0"};

// The keys of the rules that go by the first two moments of gradients, as Adam does.
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

  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

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

// The key of the rules that keep a sum of gradients, v, which is their state.
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
    visit(kMomentumField, self.momentum);
  }
};

}  // namespace dl::nn
