#include "base/segment_table.h"

#include "base/checksum.h"

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

namespace {

void HashSegments(Sha256& hash, const SegmentTable& table, std::span<const float> flat) {
  for (const Segment& segment : table.segments()) {
    hash.UpdateU32(segment.name.size());
    hash.Update(segment.name);
    hash.UpdateU32(static_cast<uint32_t>(segment.kind));
    hash.UpdateU32(segment.shape.size());
    for (int64_t extent : segment.shape) hash.UpdateU64(extent);
    hash.Update(std::as_bytes(table.View(segment, flat)));
  }
}

}  // namespace

std::string StateSha256(const SegmentTable& table, std::span<const float> flat,
                        const SegmentTable& worker_table,
                        std::span<const std::span<const float>> workers) {
  Sha256 hash;
  HashSegments(hash, table, flat);
  for (std::span<const float> worker : workers) HashSegments(hash, worker_table, worker);
  return hash.HexDigest();
}

}  // namespace dl
