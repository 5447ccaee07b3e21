// Maximum and average over windows, as nn/conf/layers/pool.h says: padding never counts, equal
// maxima give the gradient to the lowest index.
#pragma once

#include "nn/conf/layers/window.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Pooling : public Layer {
 public:
  // kAverageOfKernel: padding counts, as zeros.
  enum class Kind : uint8_t { kMax, kAverage, kAverageOfKernel };
  struct Shape {
    nn::Window3D window;
    nn::InputType input, output;
  };
  Pooling(Kind kind, const Shape& shape) : kind_(kind), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  // The smallest distance of a maximum from another value of its window. Equal values do not count:
  // they come from a flat stretch in front (a rectifier's zeros), where the derivative is 0 anyway.
  double KinkDistance() const override { return kink_distance_; }

 protected:
  // What an output is made of, of that which is there.
  struct Range {
    int64_t begin = 0, end = 0;
  };
  struct Source {
    Range depth, height, width;
  };
  virtual Source SourceOf(int64_t d, int64_t h, int64_t w) const;
  const Shape& shape() const { return shape_; }

 private:
  std::vector<int64_t> RealIndicesOf(int64_t output) const;  // ascending
  double DivisorOf(const std::vector<int64_t>& window) const;

  Kind kind_;
  Shape shape_;
  int64_t inputs_ = 0;
  std::vector<std::vector<int64_t>> sources_;  // per output: who shares its gradient
  double kink_distance_ = 0;
};

// As nn/conf/layers/adaptive_pool2d.h says.
class AdaptivePooling : public Pooling {
 public:
  AdaptivePooling(Kind kind, const nn::InputType& input, const nn::InputType& output)
      : Pooling(kind, {.input = input, .output = output}) {}

 private:
  Source SourceOf(int64_t d, int64_t h, int64_t w) const override;
};

}  // namespace dl::reference
