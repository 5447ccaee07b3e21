#include "base/segment_table.h"

namespace dl {

std::string_view SegmentKindName(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kParameter:
      return "parameter";
    case SegmentKind::kUpdater:
      return "updater";
    case SegmentKind::kMean:
      return "mean";
    case SegmentKind::kVariance:
      return "variance";
    case SegmentKind::kCarried:
      return "carried";
  }
  return "unknown";
}

void SegmentTable::Add(std::string name, SegmentKind kind, std::vector<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape) size *= extent;
  segments_.push_back({std::move(name), kind, std::move(shape), size_, size});
  size_ += size;
}

int64_t SegmentTable::SizeOf(SegmentKind kind) const {
  int64_t total = 0;
  for (const Segment& segment : segments_) {
    if (segment.kind == kind) total += segment.size;
  }
  return total;
}

const Segment* SegmentTable::Find(std::string_view name) const {
  for (const Segment& segment : segments_) {
    if (segment.name == name) return &segment;
  }
  return nullptr;
}

SegmentTable SegmentTable::Subset(std::span<const SegmentKind> kinds) const {
  SegmentTable out;
  for (const Segment& segment : segments_) {
    for (SegmentKind kind : kinds) {
      if (segment.kind == kind) out.Add(segment.name, segment.kind, segment.shape);
    }
  }
  return out;
}

std::optional<std::span<const float>> FindIn(std::span<const SegmentSpan> spans,
                                             const Segment& segment) {
  for (const SegmentSpan& span : spans) {
    const int64_t at = segment.offset - span.offset;
    if (at >= 0 && at + segment.size <= static_cast<int64_t>(span.values.size()))
      return span.values.subspan(at, segment.size);
  }
  return std::nullopt;
}

}  // namespace dl
