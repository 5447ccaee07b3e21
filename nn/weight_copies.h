// Copies of weights in the type and layout in which kernels read them, for jobs in bf16. A copy is
// made when the weights change, not when a layer runs: once a step, also if the step has several
// micro-batches, and once for all batches of an evaluation. The updater writes the copies of dense
// layers and convolutions while the weights are in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/blocked_layouts.h"
#include "nn/kernels/index_range.h"
#include "nn/kernels/paired_weights.h"
#include "nn/layers/compiled_layer.h"
#include "nn/tensor_copy.h"

namespace dl::nn {

// Not thread-safe, except where stated.
class WeightCopies {
 public:
  struct Request {
    ParameterId id = -1;
    Layout stored, wanted;  // of the parameter between steps, and of the copy
    bool operator==(const Request&) const = default;
  };

  // Returns the weights of a parameter.
  using AddressOf = std::function<const float*(ParameterId)>;
  // Sets the copies that the current plan reads, and allocates those that do not exist. Returns
  // whether copies have moved or disappeared, so that other plans must be bound again. Returns the
  // errors of primitives (nn/backend/primitive.h) and of FloatBuffer::Create. The contents are
  // unspecified until Refresh.
  StatusOr<bool> Arrange(const std::vector<Request>& requests, const AddressOf& weights);
  // Drops all copies. Must be called when the weights move.
  void Clear();
  // Number of floats that the copies take.
  int64_t floats() const;
  // Returns the copy, or nullptr if it does not exist.
  void* Find(ParameterId id, const Layout& wanted);

  // Marks the copies of a parameter, or of all parameters, as out of date.
  void Expire(ParameterId id);
  void ExpireAll();
  // Makes the current copies that are out of date. Allocates no memory, except for allocations
  // inside oneDNN (BoundPrimitive::Run).
  Status Refresh();

  // Returns whether Follow can write all current copies of this parameter, and there are any.
  bool CanFollow(ParameterId id) const;
  // Copies a range of a parameter's weights, which begins at a multiple of kFollowed values of the
  // stored layout and ends at one or at the end. Thread-safe for different ranges. REQUIRES:
  // CanFollow(id).
  static constexpr int64_t kFollowed = 1024;
  void Follow(ParameterId id, IndexRange range) const;
  // Marks the copies of a parameter as up to date, after Follow of all ranges.
  void FinishFollowing(ParameterId id);

 private:
  struct Copy {
    Request request;
    const float* weights = nullptr;
    FloatBuffer buffer;  // holds values of another type
    TensorCopy whole;
    std::optional<PairedWeights> pairs;  // the arrangement, if Follow can write the copy
    uint32_t* pair_values = nullptr;     // the buffer, as Follow sees it
    bool is_current = false;             // the current plan reads it
    bool is_fresh = false;
  };
  static StatusOr<Copy> Make(const Request& request, const float* weights);

  std::vector<Request> current_;
  std::vector<Copy> copies_;
};

}  // namespace dl::nn
