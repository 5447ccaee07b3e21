// Base of layers without parameters that map each plane of an image to a plane of the output,
// independently of other planes. A plane is one channel of one example. Tensors have the plain
// layout [n, c, h, w]. The gradient with respect to the input must depend only on the gradient with
// respect to the output, because the backward step reads neither the input nor the output.
#pragma once

#include <vector>

#include "nn/backend/parallel_for.h"
#include "nn/conf/input_type.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {

class PlainImageLayer : public PlainRowsLayer {
 public:
  // Uses only the height and the width of `output`. The layer keeps the number of channels.
  explicit PlainImageLayer(const InputType& output) : output_type_(output) {}

 protected:
  // Compute computes the output y from the input x. ComputeGradient computes dx, the gradient with
  // respect to x, from dy, the gradient with respect to y. Each array has `planes` planes, one
  // after the other, which are some of the layer's planes. Several threads call the functions at
  // the same time. Both functions must write every value of their result. The content before is
  // unspecified.
  virtual void Compute(int64_t planes, const float* x, float* y) const = 0;
  virtual void ComputeGradient(int64_t planes, const float* dy, float* dx) const = 0;

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    planes_ = input[0] * input[1];
    in_size_ = input[2] * input[3];
    out_size_ = output_type_.height * output_type_.width;
    return std::vector<int64_t>{input[0], input[1], output_type_.height, output_type_.width};
  }
  Status PlanRowsGradient(PlanBuilder&) final { return absl::OkStatus(); }
  Status BindRows(const PlanMemory&) final { return absl::OkStatus(); }
  Status ForwardRows() final {
    ForRows(planes_, in_size_ + out_size_, [&](int64_t begin, int64_t end) {
      Compute(end - begin, x() + begin * in_size_, y() + begin * out_size_);
    });
    return absl::OkStatus();
  }
  Status BackwardRows() final {
    ForRows(planes_, in_size_ + out_size_, [&](int64_t begin, int64_t end) {
      ComputeGradient(end - begin, dy() + begin * out_size_, dx() + begin * in_size_);
    });
    return absl::OkStatus();
  }

  InputType output_type_;
  int64_t planes_ = 0;
  int64_t in_size_ = 0, out_size_ = 0;  // values of a plane
};

}  // namespace dl::nn
