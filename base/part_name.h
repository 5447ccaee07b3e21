// Names of contents of a state (docs/formats.md): of a part, which is one flat vector with its
// table, and of a whole state. A part's name is the root of a tree of hashes, so that it is
// computed on several cores, and each piece of the part can be verified by itself
// (base/piece_verifier.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/segment_table.h"

namespace dl {

// The last piece of a part may be shorter.
inline constexpr int64_t kPieceBytes = int64_t{1} << 20;

// The SHA-256 of each piece of a part, 32 bytes each, one behind the other: what its name is made
// of beside its table. It travels and is stored in this form.
using PieceHashes = std::string;
inline constexpr int64_t kPieceHashBytes = 32;
// How many bytes that list has of a part of that table.
int64_t PieceHashesBytes(const SegmentTable& table);

struct PartContent {
  const SegmentTable* table = nullptr;
  std::span<const float> flat;  // of the table's size
};

struct PartHashes {
  std::string name;  // SHA-256, as 64 lower-case hex digits
  PieceHashes pieces;
};

// Of several parts together, because the pieces of all of them are shared out at once: small parts
// keep several cores busy too. Thread-safe, as all of these; the calling thread works along with
// threads that all calls share.
std::vector<PartHashes> HashParts(std::span<const PartContent> parts);

// The name of one. REQUIRES: flat.size() == table.size().
std::string PartSha256(const SegmentTable& table, std::span<const float> flat);

// Of bytes that begin where a piece does.
PieceHashes HashPieces(std::span<const std::byte> bytes);

// The name of the part of that table whose pieces have these hashes.
std::string PartSha256OfPieces(const SegmentTable& table, std::string_view pieces);

// Of a state whose parts have these names: by key ("model", "updater-3", ...), SHA-256 in hex.
std::string StateSha256(const std::map<std::string, std::string>& parts);

}  // namespace dl
