// The exchanged form of a model: one flat float32 vector and the table that names its parts.
// Everything outside nn/ sees a model only as this: no layer, no shape rule, just named segments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl {

// What a segment holds decides how it is merged. Stored numbers: never reuse a value.
enum class SegmentKind : uint8_t {
  kParameter = 1,  // weighted mean
  kUpdater = 2,    // by policy: weighted mean, reset to zero, or kept per worker
  kMean = 3,       // batch-norm running mean; the segment right behind it is its variance
  kVariance = 4,   // pooled together with the mean in front of it
  kCarried = 5,    // what recurrent layers carry from step to step: each worker's own
};
// "parameter", "updater", "mean", "variance", "carried"
std::string_view SegmentKindName(SegmentKind kind);

struct Segment {
  std::string name;  // "conv1.weight", "conv1.weight/momentum", "bn2.mean"
  SegmentKind kind = SegmentKind::kParameter;
  std::vector<int64_t> shape;  // row-major, canonical layout; the product is the size
  int64_t offset = 0;          // first element in the flat vector
  int64_t size = 0;            // elements

  bool operator==(const Segment&) const = default;
};

// Order of a table: all parameters, then mean/variance pairs, then updater state, then what is
// carried. Offsets are dense and ascending.
class SegmentTable {
 public:
  SegmentTable() = default;

  // Appends a segment behind the last one; its offset and size are computed.
  void Add(std::string name, SegmentKind kind, std::vector<int64_t> shape);

  const std::vector<Segment>& segments() const { return segments_; }
  int64_t size() const { return size_; }  // elements of the flat vector
  // Elements of all segments of `kind`.
  int64_t SizeOf(SegmentKind kind) const;
  const Segment* Find(
      std::string_view name) const;  // nullptr when absent; valid as long as the table
  std::span<const float> View(const Segment& segment, std::span<const float> flat) const {
    return flat.subspan(segment.offset, segment.size);
  }
  std::span<float> View(const Segment& segment, std::span<float> flat) const {
    return flat.subspan(segment.offset, segment.size);
  }
  // The table of the segments of the given kinds only, densely packed anew in the same order.
  SegmentTable Subset(std::span<const SegmentKind> kinds) const;

  bool operator==(const SegmentTable&) const = default;

 private:
  std::vector<Segment> segments_;
  int64_t size_ = 0;
};

// Whole segments of a flat vector.
struct Stretch {
  int64_t offset = 0;  // in the vector
  std::span<const float> values;
};
// The segment's values; nothing where no stretch has it.
std::optional<std::span<const float>> FindIn(std::span<const Stretch> stretches,
                                             const Segment& segment);

}  // namespace dl
