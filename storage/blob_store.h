// Content named by its SHA-256: dataset blocks on the master. A name that is there stays there
// until it is deleted. What lies where is known from memory (about 100 bytes for each blob), so
// that no call takes longer because more is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/blob_index.h"
#include "storage/bulk_database.h"
#include "storage/old_blobs.h"

namespace dl::storage {

struct Blob {
  std::string sha256;  // 64 lower-case hex digits
  std::span<const std::byte> bytes;
};

// Thread-safe. Those that change it wait for each other; reads wait for nobody.
class BlobStore {
 public:
  // Reads what `database`, which must outlive the store, holds, and ends what a kill left half
  // done. Of it nothing but directories is read. A table whose directory is damaged is told of in
  // the log and left as it is: what it holds is missing until an import brings it back.
  static StatusOr<std::unique_ptr<BlobStore>> Open(BulkDatabase& database);

  // Stores what is missing in one table file, durable when it returns OK: all of it or, after an
  // error, none. A stored blob that is damaged is replaced. InvalidArgument when a content does not
  // hash to its name or exceeds kMaxBlockBytes; ResourceExhausted when the disk is full.
  Status Put(std::span<const Blob> blobs);

  // Those of `names` that are not stored, or that a Get found damaged (also in an earlier life of
  // the store), in their order. Reads no content.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names);

  // The content, checked against its name. NotFound; DataLoss, naming the blob, when the stored
  // bytes are damaged.
  StatusOr<std::string> Get(std::string_view sha256);

  using Range = BlobRange;
  // Up to `length` bytes of it, from `offset` on; fewer at its end. Takes little more memory
  // than those (2 MiB), whatever the blob has; checked by the store's sums of its pieces. Errors as
  // Get; InvalidArgument for an offset behind the end.
  StatusOr<Range> GetRange(std::string_view sha256, int64_t offset, int64_t length);

  // Everything that is stored, sorted.
  std::vector<std::string> Names() const;

  // Those of `names` that are stored are gone when it returns OK, all of them and durably; a kill
  // leaves all or none. Files of which nothing counts any more are given back to the disk, others
  // are written anew when a quarter of them does not. After an error none is gone, or all are and
  // the space comes back with a later Delete.
  Status Delete(std::span<const std::string> names);

 private:
  explicit BlobStore(BulkDatabase& database) : database_(database) {}

  Status Load() DL_REQUIRES(writing_);
  Status LoadTable(uint64_t table, const std::string& file, std::vector<BuriedBlob>& buried)
      DL_REQUIRES(writing_);
  StatusOr<std::vector<const Blob*>> Wanted(std::span<const Blob> blobs);
  Status WriteTable(std::span<const Blob* const> blobs) DL_REQUIRES(writing_);
  struct NewTable {
    uint64_t number = 0;
    int64_t bytes = 0;  // of its blobs
    BulkDatabase::Reserve reserve = BulkDatabase::Reserve::kKeep;
  };
  Status IngestTable(const NewTable& table, const BlobDirectory& directory,
                     const std::function<Status(TableWriter&)>& add_pieces) DL_REQUIRES(writing_);
  // Writes down what is buried: what is now, and `more`.
  Status Bury(std::span<const BuriedBlob> more) DL_REQUIRES(writing_);
  Status GiveBackSpace() DL_REQUIRES(writing_);
  Status DropDead() DL_REQUIRES(writing_);
  Status Rewrite(uint64_t table) DL_REQUIRES(writing_);
  Status DropTable(uint64_t table) DL_REQUIRES(writing_);

  std::optional<BlobIndex::Place> Find(std::string_view sha256) const DL_EXCLUDES(mutex_);
  StatusOr<std::string> Read(std::string_view sha256);
  StatusOr<Range> ReadRange(std::string_view sha256, int64_t offset, int64_t length);
  StatusOr<Range> ReadAt(const BlobIndex::Place& place, std::string_view sha256, int64_t offset,
                         int64_t length);
  // An empty file says that the blob is damaged, until it is replaced.
  std::string DamageMark(std::string_view sha256) const;
  void MarkDamaged(std::string_view sha256) DL_EXCLUDES(mutex_);
  void UnmarkDamaged(std::string_view sha256) DL_EXCLUDES(mutex_);

  BulkDatabase& database_;
  Mutex writing_;  // whoever changes the store; before mutex_
  uint64_t next_table_ DL_GUARDED_BY(writing_) = 1;
  // Tables that only say what is buried. The newest has all of it.
  std::set<uint64_t> burials_ DL_GUARDED_BY(writing_);

  mutable Mutex mutex_;
  BlobIndex index_ DL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> damaged_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::storage
