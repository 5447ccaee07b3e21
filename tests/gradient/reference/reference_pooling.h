// Maximum and average over windows, as in nn/conf/layers/pool.h: padding never counts, and of equal
// maxima the one with the lowest index receives the gradient.
#pragma once

#include "nn/conf/layers/window.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Pooling : public Layer {
 public:
  // kAverageOfKernel: padding counts as zeros.
  enum class Kind : uint8_t { kMax, kAverage, kAverageOfKernel };
  struct Shape {
    nn::Window3D window;
    nn::InputType input, output;
  };
  Pooling(Kind kind, const Shape& shape) : kind_(kind), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  // Returns the smallest distance between a maximum and another value of its window. Equal values
  // are ignored: they come from a flat part of the layer before (the zeros of a rectifier), whose
  // derivative is 0 anyway.
  double KinkDistance() const override { return kink_distance_; }

 protected:
  // The part of an output's window that lies inside the input.
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
  // Per output: indices of the inputs that share its gradient.
  std::vector<std::vector<int64_t>> sources_;
  double kink_distance_ = 0;
};

// As in nn/conf/layers/adaptive_pool2d.h.
class AdaptivePooling : public Pooling {
 public:
  AdaptivePooling(Kind kind, const nn::InputType& input, const nn::InputType& output)
      : Pooling(kind, {.input = input, .output = output}) {}

 private:
  Source SourceOf(int64_t d, int64_t h, int64_t w) const override;
};

}  // namespace dl::reference
