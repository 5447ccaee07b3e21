#include "base/part_name.h"

#include <algorithm>
#include <vector>

#include "base/checksum.h"
#include "base/parallel.h"

namespace dl {
namespace {

constexpr std::string_view kPartTag = "paravane part 1\n";

void HashTable(Sha256& hash, const SegmentTable& table) {
  hash.UpdateU64(table.segments().size());
  for (const Segment& segment : table.segments()) {
    hash.UpdateU32(segment.name.size());
    hash.Update(segment.name);
    hash.UpdateU32(static_cast<uint32_t>(segment.kind));
    hash.UpdateU32(segment.shape.size());
    for (const int64_t extent : segment.shape) hash.UpdateU64(extent);
  }
}

}  // namespace

std::string PartSha256(const SegmentTable& table, std::span<const float> flat) {
  DL_CHECK(static_cast<int64_t>(flat.size()) == table.size());
  const std::span<const std::byte> bytes = std::as_bytes(flat);
  std::vector<Sha256::Digest> pieces((bytes.size() + kPieceBytes - 1) / kPieceBytes);
  InParallel(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const size_t at = i * kPieceBytes;
    Sha256 hash;
    hash.Update(bytes.subspan(at, std::min<size_t>(kPieceBytes, bytes.size() - at)));
    pieces[i] = hash.Finish();
  });
  Sha256 hash;
  hash.Update(kPartTag);
  HashTable(hash, table);
  for (const Sha256::Digest& piece : pieces) hash.Update(piece);
  return hash.HexDigest();
}

std::string StateSha256(const std::map<std::string, std::string>& parts) {
  Sha256 hash;
  for (const auto& [key, name] : parts) {
    hash.Update(key);
    hash.Update(" ");
    hash.Update(name);
    hash.Update("\n");
  }
  return hash.HexDigest();
}

}  // namespace dl
