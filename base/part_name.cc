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

struct Piece {
  std::span<const std::byte> bytes;
  Sha256::Digest digest;
};

}  // namespace

std::vector<std::string> PartSha256s(std::span<const PartContent> parts) {
  std::vector<Piece> pieces;
  for (const PartContent& part : parts) {
    DL_CHECK(static_cast<int64_t>(part.flat.size()) == part.table->size());
    for (std::span<const std::byte> rest = std::as_bytes(part.flat); !rest.empty();) {
      const size_t size = std::min<size_t>(kPieceBytes, rest.size());
      pieces.push_back({rest.first(size), {}});
      rest = rest.subspan(size);
    }
  }
  InParallel(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    Sha256 hash;
    hash.Update(pieces[i].bytes);
    pieces[i].digest = hash.Finish();
  });
  std::vector<std::string> names;
  auto piece = pieces.begin();
  for (const PartContent& part : parts) {
    Sha256 hash;
    hash.Update(kPartTag);
    HashTable(hash, *part.table);
    for (size_t bytes = 0; bytes < part.flat.size_bytes(); ++piece) {
      hash.Update(piece->digest);
      bytes += piece->bytes.size();
    }
    names.push_back(hash.HexDigest());
  }
  return names;
}

std::string PartSha256(const SegmentTable& table, std::span<const float> flat) {
  const PartContent part{&table, flat};
  return PartSha256s({&part, 1}).front();
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
