// Content named by its SHA-256: the master's blocks of datasets and of initial weights. Stored
// content stays until it is deleted. The index is in memory (about 100 bytes per blob), so the time
// of Missing, Get and GetRange does not grow with the number of stored blobs.
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
#include "storage/content_store.h"
#include "storage/old_blobs.h"

namespace dl::storage {

// Thread-safe. Put and Delete wait for each other; reads do not wait for writes. Methods with names
// return InvalidArgument for a name that is not 64 lower-case hex digits. Methods that use the
// database return its errors.
class BlobStore final : public ContentStore {
 public:
  // Reads the directories of the tables in `database`, but no content, and completes a deletion
  // that a kill interrupted. A table whose directory is damaged is logged and left unchanged; its
  // blobs count as missing until they are imported again. `database` must outlive the store.
  static StatusOr<std::unique_ptr<BlobStore>> Open(BulkDatabase& database);

  // The blobs of one call are in one table file. Reads and verifies copies that are stored already,
  // to find the damaged ones.
  Status Put(std::span<const Blob> blobs) override;

  // A blob that Get or GetRange found damaged stays missing, also after a restart, until Put.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names) override;

  // Returns the content, checked against its name. Returns NotFound if it is not stored, and
  // DataLoss with the blob's name if the stored bytes are damaged.
  StatusOr<std::string> Get(std::string_view sha256);

  using Range = BlobRange;
  // Returns up to `length` bytes from `offset` on, fewer at the end of the blob. At most 2 MiB of
  // memory are used beyond the result. A blob larger than 2 MiB is read in pieces, which are
  // verified only by the database's checksums. Returns the errors of Get, and InvalidArgument for
  // an offset after the end and for negative numbers.
  StatusOr<Range> GetRange(std::string_view sha256, int64_t offset, int64_t length);

  // Returns the names of all stored blobs, sorted.
  std::vector<std::string> Names() const;

  // Deletes table files without a live blob, and rewrites files of which a quarter or more is dead,
  // by number of blobs or by bytes. It may therefore copy other blobs.
  Status Delete(std::span<const std::string> names) override;

 private:
  explicit BlobStore(BulkDatabase& database) : database_(database) {}

  Status Load() DL_REQUIRES(writing_);
  Status LoadTable(uint64_t table, const std::string& file, std::vector<DeadBlob>& dead_blobs)
      DL_REQUIRES(writing_);
  StatusOr<std::vector<const Blob*>> Wanted(std::span<const Blob> blobs);
  Status WriteTable(std::span<const Blob* const> blobs) DL_REQUIRES(writing_);
  struct NewTable {
    uint64_t number = 0;
    int64_t bytes = 0;  // total size of its blobs
    BulkDatabase::Reserve reserve = BulkDatabase::Reserve::kKeep;
  };
  Status IngestTable(const NewTable& table, const BlobDirectory& directory,
                     const std::function<Status(TableWriter&)>& add_pieces) DL_REQUIRES(writing_);
  // Writes a table that lists all dead blobs, including `more`.
  Status WriteDeadBlobs(std::span<const DeadBlob> more) DL_REQUIRES(writing_);
  Status GiveBackSpace() DL_REQUIRES(writing_);
  Status DropDead() DL_REQUIRES(writing_);
  Status Rewrite(uint64_t table) DL_REQUIRES(writing_);
  Status DropTable(uint64_t table) DL_REQUIRES(writing_);

  std::optional<BlobIndex::Place> Find(std::string_view sha256) const DL_EXCLUDES(mutex_);
  StatusOr<std::string> Read(std::string_view sha256);
  StatusOr<Range> ReadRange(std::string_view sha256, int64_t offset, int64_t length);
  StatusOr<Range> ReadAt(const BlobIndex::Place& place, std::string_view sha256, int64_t offset,
                         int64_t length);
  // Path of the empty file that marks a blob as damaged until it is replaced.
  std::string DamageMark(std::string_view sha256) const;
  void MarkDamaged(std::string_view sha256) DL_EXCLUDES(mutex_);
  void UnmarkDamaged(std::string_view sha256) DL_EXCLUDES(mutex_);

  BulkDatabase& database_;
  Mutex writing_;  // held by calls that change the store; locked before mutex_
  uint64_t next_table_ DL_GUARDED_BY(writing_) = 1;
  // Tables that contain only a list of dead blobs. The newest list is complete.
  std::set<uint64_t> dead_list_tables_ DL_GUARDED_BY(writing_);

  mutable Mutex mutex_;
  BlobIndex index_ DL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> damaged_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::storage
