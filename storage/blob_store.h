// Content named by its SHA-256: dataset blocks and manifests on the master. A name that is there
// stays there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/bulk_database.h"

namespace dl::storage {

struct Blob {
  std::string sha256;  // 64 lower-case hex digits
  std::span<const std::byte> bytes;
};

bool IsSha256Hex(std::string_view text);

// Thread-safe.
class BlobStore {
 public:
  // `database` must outlive the store.
  explicit BlobStore(BulkDatabase& database) : database_(database) {}

  // Stores what is missing, durable when it returns OK: all of it or, after an error, any of it (a
  // repeat is harmless). A stored blob that is damaged is replaced. InvalidArgument when a content
  // does not hash to its name (nothing is stored) or exceeds kMaxBlockBytes; ResourceExhausted when
  // the disk is full.
  Status Put(std::span<const Blob> blobs);

  // Those of `names` that are not stored, or that a Get found damaged (also in an earlier life of
  // the store), in their order. Reads no content.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names);

  // The content, checked against its name. NotFound; DataLoss, naming the blob, when the stored
  // bytes are damaged.
  StatusOr<std::string> Get(std::string_view sha256);

  struct Range {
    int64_t total = 0;  // bytes of the whole
    std::string bytes;
  };
  // Up to `length` bytes of it, from `offset` on; fewer at its end. Takes little more memory
  // than those (2 MiB), whatever the blob has; checked by the store's sums of its pieces. Errors as
  // Get; InvalidArgument for an offset behind the end.
  StatusOr<Range> GetRange(std::string_view sha256, int64_t offset, int64_t length);

 private:
  StatusOr<std::string> Read(std::string_view sha256);
  StatusOr<Range> ReadRange(std::string_view sha256, int64_t offset, int64_t length);
  // Of a blob in several pieces; none when it is one.
  StatusOr<std::optional<int64_t>> TotalOf(std::string_view sha256);
  StatusOr<std::string> ReadPieces(std::string_view sha256, int64_t offset, int64_t length);
  // An empty file says that the blob is damaged, until it is replaced.
  std::string DamageMark(std::string_view sha256) const;
  void MarkDamaged(std::string_view sha256);

  BulkDatabase& database_;
};

}  // namespace dl::storage
