// Parameters that layers have from other ones (nn/conf/shared_weights.h), as such layers see them:
// the owner's values, in the layout that their kernels want, and a gradient of their own.
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
  // `table`: of the model, which has the owners.
  SharedParameters(const ModelConfig& model, const SegmentTable& table);

  int count() const { return static_cast<int>(tensors_.size()); }
  int Find(std::string_view name) const;                // "<layer>.<parameter>"; -1: none
  int owner(int i) const { return tensors_[i].owner; }  // its segment
  int64_t floats() const;                               // of all buffers

  struct Owner {
    float* weights = nullptr;
    float* gradient = nullptr;
    Layout layout;
  };
  // How each lies, by its number, and where each one's owner does. Zeros until Refresh.
  Status Place(const std::vector<Layout>& layouts, const std::vector<Owner>& owners);
  float* weights(int i) { return tensors_[i].weights; }
  float* gradient(int i) { return tensors_[i].gradient; }

  // Behind each change of the owners' weights. Neither this nor the next one allocates.
  Status Refresh();
  // Behind a backward pass: adds each gradient to its owner's, in their order.
  Status AddGradients();

 private:
  struct Tensor {
    std::string name;
    int owner = 0;
    float* weights = nullptr;  // the owner's where the layouts agree
    float* gradient = nullptr;
    float* owners_gradient = nullptr;
    float* moved_gradient = nullptr;  // in the owner's layout
    int64_t owners_floats = 0;
    BoundPrimitive refresh, move;  // empty where the layouts agree
  };

  std::vector<Tensor> tensors_;
  FloatBuffer buffer_;
};

}  // namespace dl::nn
