// Parameters that layers share with other layers (nn/conf/shared_weights.h), from the view of the
// layers that do not own them: the owner's values in the layout that their kernels require, and a
// gradient of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "nn/backend/primitive.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Not thread-safe.
class SharedParameters {
 public:
  // `table` is the model's table, which contains the owners.
  SharedParameters(const ModelConfig& model, const SegmentTable& table);

  int count() const { return static_cast<int>(tensors_.size()); }
  int Find(std::string_view name) const;                // by "<layer>.<parameter>"; -1 if none
  int owner(int i) const { return tensors_[i].owner; }  // index of the owner's segment
  int64_t floats() const;                               // size of all buffers

  struct Owner {
    float* weights = nullptr;
    float* gradient = nullptr;
    Layout layout;
  };
  // Allocates the tensors. `layouts[i]` and `owners[i]` describe shared parameter i and its owner.
  // Weights in another layout than the owner's are zero until Refresh. This and the functions below
  // return the errors of primitives (nn/backend/primitive.h) and of FloatBuffer::Create.
  Status Place(const std::vector<Layout>& layouts, const std::vector<Owner>& owners);
  float* weights(int i) { return tensors_[i].weights; }
  float* gradient(int i) { return tensors_[i].gradient; }

  // Copies the owners' weights. Must be called after each change of them. Refresh and AddGradients
  // allocate no memory, except for allocations inside oneDNN (BoundPrimitive::Run).
  Status Refresh();
  // Adds each gradient to its owner's gradient, in order. Must be called after each backward pass.
  Status AddGradients();

 private:
  struct Tensor {
    std::string name;
    int owner = 0;
    float* weights = nullptr;  // the owner's weights if the layouts agree
    float* gradient = nullptr;
    float* owners_gradient = nullptr;
    float* moved_gradient = nullptr;  // the gradient in the owner's layout
    int64_t owners_floats = 0;
    BoundPrimitive refresh, move;  // empty if the layouts agree
  };

  std::vector<Tensor> tensors_;
  FloatBuffer buffer_;
};

}  // namespace dl::nn
