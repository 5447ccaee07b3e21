// Common parts of all loss configs. A loss is a plain value and its own fluent builder. Each type
// defines, besides its data:
//   kTag      its name in JSON; must never change.
//   kLabels   what the outputs are compared with.
//   Fields    its keys (nn/conf/field.h), each with a default, so that the tag alone is a loss.
//   Check     adds mistakes in the output layer.
//   Samples   configs for the tests of round trips, keys and gradients.
// In the formulas, z are the outputs of the output layer for one example, after its activation. n
// is the number of outputs, c the example's class, and t the example's numbers. A loss may be
// negative. Loss and gradient are means over the examples of a minibatch. For sequences they are
// means over all steps that count, unless the loss compares whole sequences.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct Output;  // nn/conf/layers/output.h

// The labels that an example must have.
struct Labels {
  enum class Kind : uint8_t {
    kClass,    // one class, below the number of outputs
    kNumbers,  // as many numbers as outputs
    // For a sequence: classes in order, at most as many as steps. Each is below the number of
    // outputs minus one; the last output is the blank.
    kClassSequence,
    kNothing,  // no labels: the loss depends on the outputs alone, and labels are ignored
  };
  Kind kind = Kind::kNumbers;
  // Range of the numbers, inclusive. NaN is accepted only if the range is unbounded, because
  // numbers are then not checked.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();

  constexpr bool AreBounded() const {
    return min > -std::numeric_limits<double>::infinity() ||
           max < std::numeric_limits<double>::infinity();
  }
};

// Label of a row that does not count: the row has no loss, and its prediction is not judged. In
// labels of Kind::kClassSequence, it fills the entries after the last class instead.
inline constexpr int32_t kNoLabel = -1;

// Base of losses without keys. They accept any output layer unless they define Check.
struct PlainLoss {
  bool operator==(const PlainLoss&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self&, Visit&&) {}
  void Check(const Output&, Mistakes&) const {}
};

// For losses that contain a link function, named `function`. Adds a mistake if the layer has an
// activation as well.
void RequireNoActivation(const Output& output, std::string_view function, std::string_view tag,
                         Mistakes& mistakes);

// Key of losses that distinguish classes by a softmax.
inline constexpr Field kClassWeightsField{
    .key = "class_weights",
    .what = "a class's weight",
    .max = limits::kMaxCoefficient,
    .meaning =
        "Weights of classes from class 0; missing weights are 1. `balanced` = equal total weight "
        "of all classes. The batch sum is divided by the number of examples"};
// Adds a mistake if the layer has an activation, a single output, or fewer outputs than there are
// `weights`.
void CheckClasses(const Output& output, std::string_view tag, const std::vector<double>& weights,
                  Mistakes& mistakes);

}  // namespace dl::nn
