// Reads a unit's minibatches: positions of an epoch order, decoded, normalized and augmented.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/float_buffer.h"
#include "base/status.h"
#include "dataset/augmentation.h"
#include "dataset/dataset.h"
#include "dataset/epoch_order.h"
#include "dataset/plan.h"

namespace dl::dataset {

// One minibatch. The views live as long as the buffer is not filled again; features are 64-byte
// aligned.
struct Minibatch {
  int64_t examples = 0;
  std::span<const float> features;  // [examples, feature size], normalized, augmented
  // [examples], of sequences with lengths of their own; else empty
  std::span<const int32_t> lengths;
  std::span<const float> weights;  // [examples]; empty: the dataset has none, each is 1
  // [examples, labels_per_example], kNoLabel where there is none; empty for targets
  std::span<const int32_t> classes;
  // [examples, labels_per_example, target_size], normalized, empty for classes
  std::span<const float> targets;
  uint64_t example_hash_sum = 0;  // wrapping sum of ExampleHash over the batch's ids
};

// Memory for a minibatch, reused from batch to batch and from unit to unit; it grows to the largest
// one.
class BatchBuffer {
 public:
  const Minibatch& batch() const { return batch_; }

 private:
  friend class BatchReader;
  Status Reserve(const Schema& schema, int64_t examples);

  FloatBuffer features_, targets_, weights_;
  std::vector<int32_t> classes_, lengths_;
  Minibatch batch_;
};

// What a unit reads. Shared pointers, because a hint may outlive the unit that it came with.
struct UnitRead {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const EpochOrder> order;  // of that dataset
  PositionRange range;
  int64_t batch_size = 1;
  std::shared_ptr<const Augmentation> augmentation = {};  // of that dataset; null: none

  bool SameAs(const UnitRead& other) const {
    return dataset == other.dataset &&
           (order == other.order || order->key() == other.order->key()) && range == other.range &&
           batch_size == other.batch_size && augmentation == other.augmentation;
  }
};

// Not thread-safe. Allocates at the start of a unit and of a window, not per batch.
class BatchReader {
 public:
  // Errors: a range outside the order, an order of another dataset, a batch size out of bounds.
  static StatusOr<std::unique_ptr<BatchReader>> Create(UnitRead unit);

  // Fills `buffer` with the next minibatch, the last of which may be short; false at the end of the
  // unit. An error (of a block, or of its source) leaves the buffer undefined and the position
  // where it was: the call may be repeated.
  StatusOr<bool> Next(BatchBuffer& buffer);

 private:
  explicit BatchReader(UnitRead unit);
  // The block, held until the window is left.
  StatusOr<const Block*> Hold(uint32_t index);
  void EnterWindow(int64_t position);
  void CopyExample(const Block& block, uint32_t offset, int64_t row, BatchBuffer& buffer);

  const UnitRead unit_;
  int64_t position_;
  std::shared_ptr<const WindowOrder> window_;
  absl::flat_hash_map<uint32_t, std::shared_ptr<const Block>> held_;  // blocks of the window
  std::vector<float> scratch_;  // of one example, for the augmentation
};

}  // namespace dl::dataset
