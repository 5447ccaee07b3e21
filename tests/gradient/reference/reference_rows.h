// Reference of layers without parameters that work on rows (nn/conf/layers/repeat.h, subset.h,
// scale_shift.h and l2_normalize.h), and of permute.h, which works on examples.
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Repeat : public Layer {
 public:
  explicit Repeat(int64_t steps) : steps_(steps) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  int64_t steps_, row_ = 0;
};

// Selects the values [begin, end) of rows of `row` values.
class Subset : public Layer {
 public:
  struct Range {
    int64_t row = 0, begin = 0, end = 0;
  };
  explicit Subset(const Range& range) : range_(range) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Range range_;
};

class Permute : public Layer {
 public:
  // `extents`: of the input's axes. `order`: the input axis of each output axis, from 0.
  Permute(std::vector<int64_t> extents, std::vector<int64_t> order)
      : extents_(std::move(extents)), order_(std::move(order)) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Returns the input index of output value i.
  int64_t From(int64_t i) const;

  std::vector<int64_t> extents_, order_;
};

// Mean or largest value of each feature over the steps of an example, for examples of `steps` rows
// of `features`.
class GlobalSteps : public Layer {
 public:
  enum class Kind : uint8_t { kMean, kLargest };
  GlobalSteps(Kind kind, int64_t steps, int64_t features)
      : kind_(kind), steps_(steps), features_(features) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  double KinkDistance() const override { return kink_distance_; }

 private:
  Kind kind_;
  int64_t steps_, features_;
  std::vector<int64_t> largest_;  // step that each value came from
  double kink_distance_ = std::numeric_limits<double>::infinity();
};

class ScaleShift : public Layer {
 public:
  ScaleShift(double factor, double shift) : factor_(factor), shift_(shift) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  double factor_, shift_;
};

class L2Normalize : public Layer {
 public:
  L2Normalize(int64_t features, double epsilon) : n_(features), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  int64_t n_;
  double epsilon_;
  Values x_, roots_;
};

}  // namespace dl::reference
