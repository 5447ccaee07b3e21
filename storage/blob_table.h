// How the blobs of one Put lie in the bulk database: one table file, whose keys begin with its
// number, so that no two tables overlap whatever they hold. Its first and its last key have the
// same value, the directory, so that a start reads what is there without reading it, also when one
// of them is damaged. Byte layout: docs/formats.md. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/bulk_database.h"

namespace dl::storage {

using BlobName = std::array<char, 32>;  // the SHA-256 itself
// REQUIRES: IsSha256Hex(sha256).
BlobName NameOf(std::string_view sha256);
std::string HexOf(const BlobName& name);

struct StoredBlob {
  BlobName name;
  int64_t bytes = 0;
};
// A copy that does not count: its blob was deleted, or has a newer copy.
struct BuriedBlob {
  uint64_t table = 0;  // kOldTable: one of the old layout
  BlobName name;
};
inline constexpr uint64_t kOldTable = 0;

struct BlobDirectory {
  std::vector<StoredBlob> stored;  // in this table, by name
  std::vector<BuriedBlob> buried;  // everything that is, when this table was written
};

// A large blob lies in pieces, so that a part of it can be read alone. Most blocks are a little
// over 1 MiB and lie in one.
inline constexpr int64_t kLargestWhole = 2 << 20;
inline constexpr int64_t kPieceBytes = 1 << 20;
inline int64_t PiecesOf(int64_t bytes) {
  return bytes <= kLargestWhole ? 1 : (bytes + kPieceBytes - 1) / kPieceBytes;
}

std::string PieceKey(uint64_t table, const BlobName& name, int64_t piece);
// All keys of the table are in [TableBegin(table), TableBegin(table + 1)).
std::string TableBegin(uint64_t table);
// Whether a key is one of such a table, and of which.
bool IsTableKey(std::string_view key, uint64_t& table);

// Calls `add_pieces` between the two copies of the directory: it adds the pieces of every stored
// blob, in order.
Status WriteBlobTable(uint64_t table, const BlobDirectory& directory,
                      const std::function<Status()>& add_pieces, TableWriter& writer);
// DataLoss when neither copy can be read.
StatusOr<BlobDirectory> ReadDirectory(BulkDatabase& database, uint64_t table);

}  // namespace dl::storage
