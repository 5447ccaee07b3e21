// Reads the minibatches of a unit: the examples at a range of positions of an epoch order, decoded,
// normalized and augmented. Hides tokens if the schema has a mask probability
// (dataset/token_masks.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/float_buffer.h"
#include "base/status.h"
#include "dataset/dataset.h"
#include "dataset/epoch_order.h"
#include "dataset/image_augmentation.h"
#include "dataset/plan.h"

namespace dl::dataset {

// One minibatch. The views are valid until the buffer is filled again. Features are aligned to 64
// bytes.
struct Minibatch {
  int64_t examples = 0;
  std::span<const float> features;  // [examples, feature size], normalized and augmented
  // [examples] if sequences have variable lengths, else empty.
  std::span<const int32_t> lengths;
  // [examples]; empty if the dataset has no weights, so each weight is 1.
  std::span<const float> weights;
  // [examples, labels_per_example], kNoLabel at places without a class. Empty unless labels are
  // classes.
  std::span<const int32_t> classes;
  // [examples, labels_per_example, target_size], normalized. Empty unless labels are targets.
  std::span<const float> targets;
  uint64_t example_hash_sum = 0;  // wrapping sum of ExampleHash over the ids of the batch
};

// Memory for a minibatch, reused for all batches and units. It grows to the size of the largest
// batch.
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

// The data that a unit reads. Members are shared pointers, because a hint may outlive the unit with
// which it came.
struct UnitRead {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const EpochOrder> order;  // an order of `dataset`
  PositionRange range;
  int64_t batch_size = 1;
  std::shared_ptr<const Augmentation> augmentation = {};  // for `dataset`; null: none

  bool SameAs(const UnitRead& other) const {
    return dataset == other.dataset &&
           (order == other.order || order->key() == other.order->key()) && range == other.range &&
           batch_size == other.batch_size && augmentation == other.augmentation;
  }
};

// Reads one unit. Allocates memory for a unit, a window and a block, but not for each batch. Not
// thread-safe.
class BatchReader {
 public:
  // Returns InvalidArgument if the range is outside of the order, if the order has another number
  // of examples than the dataset, or if the batch size is not from 1 to limits::kMaxBatchSize.
  static StatusOr<std::unique_ptr<BatchReader>> Create(UnitRead unit);

  // Fills `buffer` with the next minibatch and returns true. The last minibatch may be shorter.
  // Returns false at the end of the unit. Errors are those of Dataset::ReadBlock, and of
  // FloatBuffer::Create for the buffer. After an error, `buffer` is undefined and the position is
  // unchanged, so the call may be repeated.
  StatusOr<bool> Next(BatchBuffer& buffer);

 private:
  explicit BatchReader(UnitRead unit);
  // Returns the block and holds it until the window is left.
  StatusOr<const Block*> Hold(uint32_t index);
  void EnterWindow(int64_t position);
  void CopyExample(const Block& block, uint32_t offset, int64_t row, BatchBuffer& buffer);

  const UnitRead unit_;
  int64_t position_;
  std::shared_ptr<const WindowOrder> window_;
  absl::flat_hash_map<uint32_t, std::shared_ptr<const Block>> held_;  // blocks of the window
  std::vector<float> scratch_;  // for the augmentation of one example
};

}  // namespace dl::dataset
