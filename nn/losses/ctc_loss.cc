#include "nn/losses/ctc_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "nn/kernels/row_kernels.h"
#include "nn/losses/likelihood.h"
#include "nn/metrics/best_path.h"

namespace dl::nn {
namespace {

// An example: the probabilities of its steps, and the classes that it is compared with. Equations
// and l' are from the paper in nn/conf/losses/ctc.h. States are the positions in l': the classes,
// with a blank before the first, between each two, and after the last.
struct Transcribed {
  const float* probabilities = nullptr;  // [steps, outputs]
  int64_t steps = 0, outputs = 0;
  std::span<const int32_t> classes;

  int64_t states() const { return 2 * static_cast<int64_t>(classes.size()) + 1; }
  int64_t OutputAt(int64_t state) const {
    return state % 2 == 0 ? outputs - 1 : classes[state / 2];
  }
  Likelihood At(int64_t step, int64_t state) const {
    constexpr float kSmallest = std::numeric_limits<float>::min();
    const float p = probabilities[step * outputs + OutputAt(state)];
    return Likelihood(static_cast<double>(p < kSmallest ? kSmallest : p));
  }
  // Returns whether a path may skip the blank before this state.
  bool Skips(int64_t state) const {
    return state % 2 == 1 && state >= 3 && OutputAt(state) != OutputAt(state - 2);
  }
  // FirstState to EndState (exclusive) are the states that a path can have at `step`, if it begins
  // in one of the first two states and ends in one of the last two.
  int64_t FirstState(int64_t step) const {
    return std::max<int64_t>(0, states() - 2 * (steps - step));
  }
  int64_t EndState(int64_t step) const { return std::min(states(), 2 * (step + 1)); }
};

// Equations 5 to 7: computes the likelihood of all path prefixes up to `step` that end in each
// state, from the likelihoods at the step before.
void Advance(const Transcribed& example, int64_t step, const Likelihood* before, Likelihood* now) {
  std::fill_n(now, example.states(), Likelihood());
  for (int64_t s = example.FirstState(step); s < example.EndState(step); ++s) {
    Likelihood sum = step == 0 ? Likelihood(1) : before[s];
    if (step > 0 && s >= 1) sum = sum + before[s - 1];
    if (step > 0 && example.Skips(s)) sum = sum + before[s - 2];
    now[s] = sum * example.At(step, s);
  }
}

// Equations 9 to 11, without the probability of the step itself: computes the likelihood of all
// path suffixes after `step` that begin in each state. The argument before `now` holds the
// likelihoods of the next step, including that step's probabilities.
void GoBack(const Transcribed& example, int64_t step, const Likelihood* behind, Likelihood* now) {
  const int64_t states = example.states();
  const bool is_last = step == example.steps - 1;
  std::fill_n(now, states, Likelihood());
  for (int64_t s = example.FirstState(step); s < example.EndState(step); ++s) {
    Likelihood sum = is_last ? Likelihood(1) : behind[s];
    if (!is_last && s + 1 < states) sum = sum + behind[s + 1];
    if (!is_last && s + 2 < states && example.Skips(s + 2)) sum = sum + behind[s + 2];
    now[s] = sum;
  }
}

// Equation 8: returns the likelihood of all paths. `last` holds the prefixes up to the last step.
Likelihood OfAllPaths(const Transcribed& example, const Likelihood* last) {
  const int64_t states = example.states();
  return states == 1 ? last[0] : last[states - 1] + last[states - 2];
}

class CtcLoss : public Loss {
 public:
  void Predict(const Outputs& y) const override { SoftmaxForward(y.values, y.rows, y.outputs); }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    Reserve(y, expected);
    for (int64_t e = 0; e < y.examples(); ++e) {
      const Transcribed example = ExampleOf(y, expected, e);
      // Taken from the logits, because softmax may round two of them to the same value.
      const auto logits = std::span(example.probabilities, example.steps * y.outputs);
      const int64_t told = BestPath(logits, y.outputs, path_);
      const bool right = std::ranges::equal(std::span(path_).first(told), example.classes);
      Predict({y.values + e * y.steps * y.outputs, y.steps, y.outputs});
      sums.AddLoss(expected.Weighted(e * y.steps, LossOf(example)));
      sums.AddPrediction(1, right ? 1 : 0, expected.WeightOf(e * y.steps));
    }
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const int64_t all = expected.counted_of_all > 0 ? expected.counted_of_all : y.examples();
    const double share = expected.weight / static_cast<double>(all);
    for (int64_t e = 0; e < y.examples(); ++e)
      SetGradient(ExampleOf(y, expected, e), share, gradient + e * y.steps * y.outputs);
  }

 private:
  static int64_t MostClasses(const Outputs& y, const Expected& expected) {
    return static_cast<int64_t>(expected.labels.size()) / y.examples();
  }
  static Transcribed ExampleOf(const Outputs& y, const Expected& expected, int64_t e) {
    const int64_t most = MostClasses(y, expected), first = e * y.steps;
    const auto labels = expected.labels.subspan(e * most, most);
    return {.probabilities = y.values + first * y.outputs,
            .steps = expected.StepsFrom(first, y.steps),
            .outputs = y.outputs,
            .classes = SequenceOf(labels)};
  }

  // Allocates memory for the longest examples, once.
  void Reserve(const Outputs& y, const Expected& expected) const {
    const int64_t states = 2 * std::min(MostClasses(y, expected), y.steps) + 1;
    const auto cells = static_cast<size_t>(y.steps * states);
    if (beginnings_.size() >= cells) return;
    beginnings_.resize(cells);
    ends_.resize(states);
    behind_.resize(states);
    shares_.resize(y.outputs);
    path_.resize(y.steps);
  }

  // Fills beginnings_, [steps, states]. Returns the likelihood of all paths.
  Likelihood FillBeginnings(const Transcribed& example) const {
    Likelihood* row = beginnings_.data();
    Advance(example, 0, nullptr, row);
    for (int64_t t = 1; t < example.steps; ++t, row += example.states())
      Advance(example, t, row, row + example.states());
    return OfAllPaths(example, row);
  }

  double LossOf(const Transcribed& example) const {
    const auto all = std::span(example.probabilities, example.steps * example.outputs);
    if (!std::ranges::all_of(all, [](float p) { return std::isfinite(p); }))
      return std::numeric_limits<double>::quiet_NaN();
    return -FillBeginnings(example).Log();
  }

  // Equation 15. Probabilities that are NaN give a gradient of NaN.
  void SetGradient(const Transcribed& example, double share, float* gradient) const {
    const int64_t outputs = example.outputs, states = example.states();
    const Likelihood all = FillBeginnings(example);
    for (int64_t t = example.steps; t-- > 0;) {
      GoBack(example, t, behind_.data(), ends_.data());
      std::ranges::fill(shares_, 0.0);
      for (int64_t s = 0; s < states; ++s) {
        shares_[example.OutputAt(s)] += (beginnings_[t * states + s] * ends_[s] / all).Value();
        behind_[s] = ends_[s] * example.At(t, s);
      }
      for (int64_t k = 0; k < outputs; ++k) {
        const auto p = static_cast<double>(example.probabilities[t * outputs + k]);
        gradient[t * outputs + k] = static_cast<float>(share * (p - shares_[k]));
      }
    }
  }

  // Scratch memory of the calls, which come one at a time.
  mutable std::vector<Likelihood> beginnings_, ends_, behind_;
  mutable std::vector<double> shares_;  // share of each output in the likelihood of all paths
  mutable std::vector<int32_t> path_;
};

}  // namespace

std::unique_ptr<const Loss> MakeCtc() { return std::make_unique<CtcLoss>(); }

}  // namespace dl::nn
