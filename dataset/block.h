// A block is the unit in which examples are stored, sent, verified and cached. Its name is the
// SHA-256 of its bytes.
//
// Byte layout, little-endian, no gaps. The version shows which optional fields the examples have:
// 1 none, 2 a length (sequences of variable length), 3 a weight, 4 both. Versions 5 to 8 have the
// fields of versions 1 to 4; in their features, NaN stands for a missing number (FillsOf). In
// versions 1 to 4, no number is missing: blocks that were written before version 5 existed have the
// replacement in its place.
//
//   offset  size  field
//        0     4  magic "PVBK"
//        4     2  version
//        6     1  feature type: 1 u8, 2 float32
//        7     1  label kind: 1 class, 2 target, 3 none
//        8     1  compression of the payload: 0 none, 1 zstd (one frame)
//        9     1  rank of the feature shape, 1..4
//       10     2  zero
//       12     4  number of examples n, at least 1
//       16     4  label width w: number of int32 labels, or of float32 targets, of an example;
//                 0 without labels
//       20     4  zero
//       24     8  payload bytes, uncompressed
//       32     8  payload bytes, as stored
//       40    16  feature shape: four u32, unused ones 0
//       56     .  payload: n example ids (u64), n lengths (int32, versions 2, 4, 6 and 8), n
//                   weights (float32, versions 3, 4, 7 and 8), n*w labels (int32 classes, with
//                   kNoLabel at places without a class; or float32 targets), n rows of features
//      end     8  XXH3-64 of all bytes before it
//
// An uncompressed payload is used in place. A dataset is cut into blocks of as many examples as fit
// into kBlockBytes before compression (block_cutting.h). An example that is larger than kBlockBytes
// has a block of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/block_source.h"
#include "dataset/schema.h"

namespace dl::dataset {

// Returns XXH3-64 of the id's eight little-endian bytes. The wrapping sum over an epoch is compared
// with the sum in the manifest, so a dropped or repeated example is detected.
uint64_t ExampleHash(uint64_t example_id);

// Content of a block: `ids.size()` examples in order. `features` are rows of the schema's type.
// Has `classes` or `targets`, as the schema requires, or neither if the schema has no labels.
struct BlockContent {
  std::span<const uint64_t> ids;
  std::span<const int32_t> lengths;  // empty unless lengths vary
  std::span<const float> weights;    // empty unless the schema has weights
  std::span<const int32_t> classes;
  std::span<const float> targets;
  std::span<const std::byte> features;
};

enum class Compression : uint8_t { kNone = 0, kZstd = 1 };

// Returns the bytes of a block. Returns InvalidArgument if the schema is invalid, or if sizes do
// not match it or exceed the limits. Returns Internal if zstd fails. Does not check the values of
// lengths, weights and classes.
StatusOr<Bytes> EncodeBlock(const Schema& schema, const BlockContent& content,
                            Compression compression);

// A decoded block. Its views point into bytes that it shares. Immutable, thread-safe.
class Block {
 public:
  // Decodes a block. Checks the layout, and compares types, shape and label width with `schema`.
  // Also checks the ranges of lengths, weights and classes, but not the values of targets and
  // features. Returns DataLoss with the offset if a check fails, and VersionMismatch for an unknown
  // version. Allocates at most kMaxBlockBytes. Keeps `bytes` if the payload is not compressed.
  static StatusOr<std::shared_ptr<const Block>> Decode(std::shared_ptr<const Bytes> bytes,
                                                       const Schema& schema);

  int64_t examples() const { return static_cast<int64_t>(ids_.size()); }
  std::span<const uint64_t> ids() const { return ids_; }
  // [examples]; empty unless the schema has variable_length.
  std::span<const int32_t> lengths() const { return lengths_; }
  // [examples]; empty unless the schema has weights. Without weights, each example counts 1.
  std::span<const float> weights() const { return weights_; }
  // [examples, labels_per_example]; empty unless labels are classes.
  std::span<const int32_t> classes() const { return classes_; }
  // [examples, labels_per_example, target_size]; empty unless labels are targets.
  std::span<const float> targets() const { return targets_; }
  // [examples, feature size]; empty if the features are floats.
  std::span<const uint8_t> features_u8() const { return u8_; }
  // [examples, feature size]; empty if the features are bytes.
  std::span<const float> features_f32() const { return f32_; }
  // Bytes that the block keeps: the encoded bytes, or the decompressed payload.
  int64_t memory_bytes() const { return static_cast<int64_t>(storage_->size()); }

 private:
  Block() = default;

  std::shared_ptr<const Bytes> storage_;  // the encoded bytes or the decompressed payload
  std::span<const uint64_t> ids_;
  std::span<const int32_t> lengths_;
  std::span<const float> weights_;
  std::span<const int32_t> classes_;
  std::span<const float> targets_;
  std::span<const uint8_t> u8_;
  std::span<const float> f32_;
};

}  // namespace dl::dataset
