// The form in which models are exchanged: one flat float32 vector, and a table that names its
// segments. Merges, transfers and checkpoints use models only in this form, without layers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl {

// The kind of a segment decides how it is merged. The numbers are stored: never reuse a value.
enum class SegmentKind : uint8_t {
  kParameter = 1,  // weighted mean
  kUpdater = 2,    // by policy: weighted mean, reset to zero, or kept per worker
  kMean = 3,       // batch-norm running mean; the next segment is its variance
  kVariance = 4,   // pooled together with the mean, which is the previous segment
  kCarried = 5,    // state carried from one minibatch to the next; kept per worker
};
// Returns "parameter", "updater", "mean", "variance" or "carried".
std::string_view SegmentKindName(SegmentKind kind);

struct Segment {
  std::string name;  // "conv1.weight", "conv1.weight/momentum", "bn2.mean"
  SegmentKind kind = SegmentKind::kParameter;
  std::vector<int64_t> shape;  // row-major, canonical layout; its product is the size
  int64_t offset = 0;          // index of the first element in the flat vector
  int64_t size = 0;            // number of elements

  bool operator==(const Segment&) const = default;
};

// The segments of a flat vector, in this order: parameters, mean/variance pairs, updater state,
// carried state. Offsets are dense and ascending.
class SegmentTable {
 public:
  SegmentTable() = default;

  // Appends a segment and computes its offset and size. REQUIRES: the order of kinds above.
  void Add(std::string name, SegmentKind kind, std::vector<int64_t> shape);

  const std::vector<Segment>& segments() const { return segments_; }
  int64_t size() const { return size_; }  // number of elements of the flat vector
  // Returns the number of elements of all segments of `kind`.
  int64_t SizeOf(SegmentKind kind) const;
  // Returns nullptr if no segment has this name. The pointer is valid until the table changes.
  const Segment* Find(std::string_view name) const;
  // Returns the segment's elements in a vector with this table.
  std::span<const float> View(const Segment& segment, std::span<const float> flat) const {
    return flat.subspan(segment.offset, segment.size);
  }
  std::span<float> View(const Segment& segment, std::span<float> flat) const {
    return flat.subspan(segment.offset, segment.size);
  }
  // Returns a table of the segments of the given kinds, in the same order, with dense offsets.
  SegmentTable Subset(std::span<const SegmentKind> kinds) const;

  bool operator==(const SegmentTable&) const = default;

 private:
  std::vector<Segment> segments_;
  int64_t size_ = 0;
};

// A range of a flat vector that contains whole segments.
struct SegmentSpan {
  int64_t offset = 0;  // in the vector
  std::span<const float> values;
};
// Returns the segment's values, or nullopt if none of the spans contains the whole segment.
std::optional<std::span<const float>> FindIn(std::span<const SegmentSpan> spans,
                                             const Segment& segment);

}  // namespace dl
