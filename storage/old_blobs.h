// Blobs in the layout of schema 1: one table file per blob, under its name. They are read and
// deleted, but no longer written. Byte layout: docs/formats.md. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/bulk_database.h"

namespace dl::storage {

struct BlobRange {
  int64_t total = 0;  // size of the whole blob
  std::string bytes;
};

// Returns the name, in hex, of the blob whose table has this first key. Returns "" for the first
// key of another kind of table.
std::string_view FindOldBlobName(std::string_view smallest_key);

// Works like BlobStore::GetRange, but returns the database's NotFound and DataLoss errors
// unchanged.
StatusOr<BlobRange> ReadOldBlob(BulkDatabase& database, std::string_view sha256, int64_t offset,
                                int64_t length);
// Deletes the blob's table file and frees its disk space. Returns the errors of DropFiles.
Status DropOldBlob(BulkDatabase& database, std::string_view sha256);

// Returns InvalidArgument unless `offset` is from 0 to `total`, the size of the blob, and `length`
// is at least 0. For both layouts.
Status CheckRange(std::string_view sha256, int64_t total, int64_t offset, int64_t length);
// Returns `length` bytes from `offset` on, joined from the pieces that `read_piece` reads. For both
// layouts. Returns DataLoss if a piece is missing or too short.
StatusOr<std::string> JoinPieces(
    int64_t offset, int64_t length,
    const std::function<Status(int64_t piece, const std::function<Status(std::string_view)>&)>&
        read_piece);

}  // namespace dl::storage
