// Names of contents of a state (docs/formats.md): of a part, which is one flat vector with its
// table, and of a whole state. A part's name is the root of a tree of hashes, so that it is
// computed on several cores, and each piece of the part can be verified by itself.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/segment_table.h"

namespace dl {

// The last piece of a part may be shorter.
inline constexpr int64_t kPieceBytes = int64_t{1} << 20;

struct PartContent {
  const SegmentTable* table = nullptr;
  std::span<const float> flat;  // of the table's size
};

// 64 lower-case hex digits for each. Together, because the pieces of all of them are shared out at
// once: small parts keep several cores busy too. Thread-safe; the calling thread works along with
// threads that all calls share.
std::vector<std::string> PartSha256s(std::span<const PartContent> parts);

// Of one. REQUIRES: flat.size() == table.size().
std::string PartSha256(const SegmentTable& table, std::span<const float> flat);

// Of a state whose parts have these names: by key ("model", "updater-3", ...), SHA-256 in hex.
std::string StateSha256(const std::map<std::string, std::string>& parts);

}  // namespace dl
