// Names of parts and of states (docs/formats.md). A part is one flat vector with its table. Its
// name is the root of a tree of hashes. So the name can be computed on several cores, and each
// piece of a part can be verified separately (base/piece_verifier.h).
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

// Size of a piece of a part. The last piece may be shorter.
inline constexpr int64_t kPieceBytes = int64_t{1} << 20;

// The SHA-256 of each piece of a part, 32 bytes each, concatenated. The part's name is computed
// from them and from its table. They are sent and stored in this form.
using PieceHashes = std::string;
inline constexpr int64_t kPieceHashBytes = 32;
// Returns the size of the PieceHashes of a part with this table.
int64_t PieceHashesBytes(const SegmentTable& table);

struct PartContent {
  const SegmentTable* table = nullptr;  // not null
  std::span<const float> flat;          // of the table's size
};

struct PartHashes {
  std::string name;  // SHA-256, as 64 lower-case hex digits
  PieceHashes pieces;
};

// Returns the hashes of several parts, in their order. The pieces of all parts are distributed to
// cores together, so that small parts use several cores also (base/parallel.h). Parts of less than
// 64 KiB in total are hashed on the calling thread alone. Thread-safe, like all functions here.
std::vector<PartHashes> HashParts(std::span<const PartContent> parts);

// Returns the name of one part. REQUIRES: flat.size() == table.size().
std::string PartSha256(const SegmentTable& table, std::span<const float> flat);

// Returns the hashes of the pieces in `bytes`, which begin at the start of a piece. The last piece
// may be shorter.
PieceHashes HashPieces(std::span<const std::byte> bytes);

// Returns the name of the part with this table whose pieces have these hashes. The size of `pieces`
// is not checked: if it is not PieceHashesBytes(table), the result is the name of no part.
std::string PartSha256OfPieces(const SegmentTable& table, std::string_view pieces);

// Returns the name of a state, a SHA-256 in hex, from the names of its parts by key ("model",
// "updater-3", ...).
std::string StateSha256(const std::map<std::string, std::string>& parts);

}  // namespace dl
