// The layout of the blobs of one Put in the bulk database: one table file. All of its keys have a
// prefix with the table's number (TableBegin), so tables never overlap. The first and the last key
// both hold the directory, so a start can list the blobs without reading them, even if one copy is
// damaged. Byte layout: docs/formats.md. Private to this folder.
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
// Converts 64 hex digits to a name. REQUIRES: IsSha256Hex(sha256).
BlobName NameOf(std::string_view sha256);
std::string HexOf(const BlobName& name);

struct StoredBlob {
  BlobName name;
  int64_t bytes = 0;  // size of the blob
};
// A dead copy: its blob was deleted or has a newer copy.
struct DeadBlob {
  uint64_t table = 0;  // kOldTable: a table of the old layout
  BlobName name;
};
inline constexpr uint64_t kOldTable = 0;

struct BlobDirectory {
  std::vector<StoredBlob> stored;    // in this table, sorted by name
  std::vector<DeadBlob> dead_blobs;  // in all tables, when this table was written
};

// A large blob is stored in pieces, so that a range of it can be read without the rest. Most blocks
// are slightly larger than 1 MiB and have a single piece.
inline constexpr int64_t kMaxSinglePieceBytes = 2 << 20;
inline constexpr int64_t kPieceBytes = 1 << 20;
inline int64_t PiecesOf(int64_t bytes) {
  return bytes <= kMaxSinglePieceBytes ? 1 : (bytes + kPieceBytes - 1) / kPieceBytes;
}

// Returns the key of a piece of a blob; pieces are numbered from 0.
std::string PieceKey(uint64_t table, const BlobName& name, int64_t piece);
// All keys of the table are in [TableBegin(table), TableBegin(table + 1)).
std::string TableBegin(uint64_t table);
// Returns true and sets `table` if the key belongs to a table of this layout.
bool IsTableKey(std::string_view key, uint64_t& table);

// Writes the directory, the pieces and the directory again. `add_pieces` must add the pieces of
// every stored blob in order. Returns the first error of `writer` or `add_pieces`.
Status WriteBlobTable(uint64_t table, const BlobDirectory& directory,
                      const std::function<Status()>& add_pieces, TableWriter& writer);
// Reads either copy of the table's directory. Returns DataLoss if both are damaged or missing, and
// other errors of the database.
StatusOr<BlobDirectory> ReadDirectory(BulkDatabase& database, uint64_t table);

}  // namespace dl::storage
