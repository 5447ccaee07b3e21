#include "base/part_name.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/parallel.h"
#include "base/status.h"

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

// Appends the pieces of `content`.
void CutInto(std::vector<std::span<const std::byte>>& pieces, std::span<const std::byte> content) {
  while (!content.empty()) {
    pieces.push_back(content.first(std::min<size_t>(kPieceBytes, content.size())));
    content = content.subspan(pieces.back().size());
  }
}

// Below this size, hashing is faster than waking other threads.
constexpr size_t kHashedAlone = size_t{64} << 10;

PieceHashes HashEach(std::span<const std::span<const std::byte>> pieces) {
  PieceHashes hashes(pieces.size() * kPieceHashBytes, '\0');
  size_t bytes = 0;
  for (const std::span<const std::byte> piece : pieces) bytes += piece.size();
  const auto hash_piece = [&](int64_t i) {
    Sha256 hash;
    hash.Update(pieces[i]);
    const Sha256::Digest digest = hash.Finish();
    std::memcpy(hashes.data() + i * kPieceHashBytes, digest.data(), digest.size());
  };
  const auto count = static_cast<int64_t>(pieces.size());
  if (bytes >= kHashedAlone) {
    InParallel(count, hash_piece);
  } else {
    for (int64_t i = 0; i < count; ++i) hash_piece(i);
  }
  return hashes;
}

}  // namespace

int64_t PieceHashesBytes(const SegmentTable& table) {
  const int64_t bytes = table.size() * static_cast<int64_t>(sizeof(float));
  return (bytes + kPieceBytes - 1) / kPieceBytes * kPieceHashBytes;
}

std::vector<PartHashes> HashParts(std::span<const PartContent> parts) {
  std::vector<std::span<const std::byte>> pieces;
  for (const PartContent& part : parts) {
    DL_CHECK(static_cast<int64_t>(part.flat.size()) == part.table->size());
    CutInto(pieces, std::as_bytes(part.flat));
  }
  const PieceHashes all = HashEach(pieces);
  std::vector<PartHashes> hashes;
  int64_t at = 0;
  for (const PartContent& part : parts) {
    PieceHashes own = all.substr(at, PieceHashesBytes(*part.table));
    at += static_cast<int64_t>(own.size());
    hashes.push_back({.name = PartSha256OfPieces(*part.table, own), .pieces = std::move(own)});
  }
  return hashes;
}

std::string PartSha256(const SegmentTable& table, std::span<const float> flat) {
  const PartContent part{&table, flat};
  return HashParts({&part, 1}).front().name;
}

PieceHashes HashPieces(std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> pieces;
  CutInto(pieces, bytes);
  return HashEach(pieces);
}

std::string PartSha256OfPieces(const SegmentTable& table, std::string_view pieces) {
  Sha256 hash;
  hash.Update(kPartTag);
  HashTable(hash, table);
  hash.Update(pieces);
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
