// The states that stateful layers carry from one minibatch to the next
// (nn/conf/layers/recurrent.h). Training and inference have separate states, so an evaluation does
// not change the state from which training continues. Each state is a plain array [rows, features].
// A minibatch with fewer rows uses the first rows of the state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/float_buffer.h"
#include "base/segment_table.h"
#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Not thread-safe. The addresses of the tensors stay valid when the object is moved.
class CarriedStates {
 public:
  struct Rows {
    int64_t training = 0, inference = 0;
  };
  CarriedStates() = default;  // for a model without stateful layers
  // Creates states of zeros. `table` is FullTable(model, rows.training). Returns the errors of
  // FloatBuffer::Create.
  static StatusOr<CarriedStates> Create(const ModelConfig& model, const SegmentTable& table,
                                        const Rows& rows);

  // Returns the id of a layer's carried state. Returns Internal if the layer has no state with this
  // name.
  StatusOr<CarriedId> Find(std::string_view layer, std::string_view name) const;
  // Returns the state for this purpose, [rows, features]. REQUIRES: `id` comes from Find.
  float* rows(CarriedId id, Purpose purpose);
  // Number of floats of all states, for training and for inference, including padding.
  int64_t floats() const { return values_.size(); }

  void Clear();  // sets all states, for training and for inference, to zero
  // Load copies the training states from a flat vector with the table of Create, which is given as
  // pieces. Store copies them to such a vector. Load sets a state to zero if no piece contains its
  // whole segment. REQUIRES: the vector of Store has the table's size.
  void Load(std::span<const SegmentSpan> state);
  void Store(std::span<float> state) const;

 private:
  struct Tensor {
    Segment segment;                      // size 0 in a network that does not train
    int64_t training = 0, inference = 0;  // offsets in values_
  };
  std::vector<Tensor> tensors_;
  FloatBuffer values_;
};

}  // namespace dl::nn
