// Blobs as folders of schema 1 have them: each in a table file of its own, under its name. Read,
// deleted, and not written any more. Byte layout: docs/formats.md. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/bulk_database.h"

namespace dl::storage {

struct BlobRange {
  int64_t total = 0;  // bytes of the whole
  std::string bytes;
};

// The name of the blob whose table has that first key; empty for another one.
std::string_view OldBlobOf(std::string_view smallest_key);

// As BlobStore::GetRange. NotFound and DataLoss as the database has them.
StatusOr<BlobRange> ReadOldBlob(BulkDatabase& database, std::string_view sha256, int64_t offset,
                                int64_t length);
Status DropOldBlob(BulkDatabase& database, std::string_view sha256);

// Of either layout: InvalidArgument when there is no such place in a blob of `total` bytes.
Status CheckRange(std::string_view sha256, int64_t total, int64_t offset, int64_t length);
// What `read_piece` appends of each piece: all of it but what lies before the offset.
StatusOr<std::string> JoinPieces(
    int64_t offset, int64_t length,
    const std::function<Status(int64_t piece, const std::function<Status(std::string_view)>&)>&
        read_piece);

}  // namespace dl::storage
