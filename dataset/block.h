// A block is the unit in which examples are stored, sent, verified and cached. Its name is the
// SHA-256 of its bytes.
//
// Byte layout, little-endian, no gaps. The version says what examples have besides id, label and
// features: 1 nothing, 2 a length (sequences of variable length), 3 a weight, 4 both.
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
//       16     4  label width w: classes or target floats of an example
//       20     4  zero
//       24     8  payload bytes, uncompressed
//       32     8  payload bytes, as stored
//       40    16  feature shape: four u32, unused ones 0
//       56     .  payload: n example ids (u64), n lengths (int32, versions 2 and 4), n weights
//                   (float32, versions 3 and 4), n*w labels (int32 or float32; -1 after the end of
//                   a sequence), n rows of features
//      end     8  XXH3-64 of all bytes before it
//
// An uncompressed payload is used in place. A block holds as many whole records as fit into
// kBlockBytes before compression. Only a block with a single example may exceed this size.
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
// Either `classes` or `targets` is filled, as the schema requires.
struct BlockContent {
  std::span<const uint64_t> ids;
  std::span<const int32_t> lengths;  // if lengths vary
  std::span<const float> weights;    // if the schema has weights
  std::span<const int32_t> classes;
  std::span<const float> targets;
  std::span<const std::byte> features;
};

enum class Compression : uint8_t { kNone = 0, kZstd = 1 };

// Returns the bytes of a block. Returns InvalidArgument if sizes do not match the schema or exceed
// the limits, Internal if zstd fails.
StatusOr<Bytes> EncodeBlock(const Schema& schema, const BlockContent& content,
                            Compression compression);

// A decoded block. Its views point into bytes that it shares. Immutable, thread-safe.
class Block {
 public:
  // Checks everything in the layout, also against `schema`: type, shape, label width, and the
  // ranges of lengths, weights and classes. Hostile bytes give DataLoss with the offset, an unknown
  // version VersionMismatch. Allocates at most kMaxBlockBytes. Keeps `bytes` if the payload is not
  // compressed.
  static StatusOr<std::shared_ptr<const Block>> Decode(std::shared_ptr<const Bytes> bytes,
                                                       const Schema& schema);

  int64_t examples() const { return static_cast<int64_t>(ids_.size()); }
  std::span<const uint64_t> ids() const { return ids_; }
  // Empty: all examples have all steps.
  std::span<const int32_t> lengths() const { return lengths_; }
  std::span<const float> weights() const { return weights_; }  // empty: each is 1
  // [examples, labels_per_example], empty for targets.
  std::span<const int32_t> classes() const { return classes_; }
  std::span<const float> targets() const {
    return targets_;
  }  // [examples, labels_per_example, target_size]
  std::span<const uint8_t> features_u8() const {
    return u8_;
  }  // [examples, feature size]; empty if the features are floats
  std::span<const float> features_f32() const { return f32_; }
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
