// What every loss config has in common. A loss is a plain value that is also its own fluent
// builder; each type gives, besides its data:
//   kTag      its name in JSON, forever
//   kLabels   what the outputs are compared with
//   Fields    its keys (nn/conf/field.h), each with a default: the tag alone is a loss
//   Check     what it requires of the layer whose outputs it judges
//   Samples   configs that the tests of round trips, keys and gradients run
// In the formulas z is what the output layer computes for one example (behind its activation), n
// are its units, c is the example's class and t are its numbers. A loss is the mean over the
// examples of a minibatch, and so is its gradient. It may be negative. Behind a sequence it is the
// mean over all steps of all examples that count, but where a loss judges a sequence as a whole.
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

// The labels of one example.
struct Labels {
  enum class Kind : uint8_t {
    kClass,    // one class, below the number of outputs
    kNumbers,  // as many numbers as outputs
    // Of a sequence: classes in their order, at most as many as steps. Each is below the number of
    // outputs less one: the last output, the blank, is none of them.
    kClassSequence,
    kNothing,  // none: the loss is one of the outputs alone, and what labels say is not looked at
  };
  Kind kind = Kind::kNumbers;
  // Of numbers, inclusive. NaN is in no range but this one, where none is looked at.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();

  constexpr bool AreBounded() const {
    return min > -std::numeric_limits<double>::infinity() ||
           max < std::numeric_limits<double>::infinity();
  }
};

// Of a row that does not count: neither its loss nor its prediction, as if it were not there.
inline constexpr int32_t kNoLabel = -1;

// A loss without keys that takes any output layer.
struct PlainLoss {
  bool operator==(const PlainLoss&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self&, Visit&&) {}
  void Check(const Output&, Mistakes&) const {}
};

// Of a loss that has a function of its own in front of it, `function`: a mistake where the layer
// has an activation as well.
void RequireNoActivation(const Output& output, std::string_view function, std::string_view tag,
                         Mistakes& mistakes);

// Of losses that tell classes apart by a softmax of their own.
inline constexpr Field kClassWeightsField{
    .key = "class_weights",
    .what = "a class's weight",
    .max = limits::kMaxCoefficient,
    .meaning =
        "What an example counts by its class, those of class 0 first; classes without one "
        "have 1. `balanced` = what makes all classes of the training set count the same. The mean "
        "is over examples, not over weights"};
void CheckClasses(const Output& output, std::string_view tag, const std::vector<double>& weights,
                  Mistakes& mistakes);

}  // namespace dl::nn
