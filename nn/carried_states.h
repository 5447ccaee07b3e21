// What stateful layers carry from one minibatch to the next (nn/conf/layers/recurrent.h): of
// training and of inference, each its own, so that an evaluation leaves alone what training goes on
// from. Rows lie plain, [rows, features]; a minibatch of fewer rows uses the first ones.
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

// Not thread-safe. Tensors stay where they are as long as it lives, moved or not.
class CarriedStates {
 public:
  struct Rows {
    int64_t training = 0, inference = 0;
  };
  CarriedStates() = default;  // of a model without such layers
  // Zeros. `table`: FullTable(model, rows.training).
  static StatusOr<CarriedStates> Create(const ModelConfig& model, const SegmentTable& table,
                                        const Rows& rows);

  // Internal: the layer carries no such thing.
  StatusOr<CarriedId> Find(std::string_view layer, std::string_view name) const;
  float* rows(CarriedId id, Purpose purpose);
  int64_t floats() const { return values_.size(); }

  void Clear();  // zeros again, of both purposes
  // Training's, from and to the model's canonical vector. Segments in no stretch become zero.
  void Load(std::span<const Stretch> state);
  void Store(std::span<float> state) const;

 private:
  struct Tensor {
    Segment segment;                      // size 0 in a network without training
    int64_t training = 0, inference = 0;  // where they begin
  };
  std::vector<Tensor> tensors_;
  FloatBuffer values_;
};

}  // namespace dl::nn
