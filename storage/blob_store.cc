#include "storage/blob_store.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/lower_hex.h"

namespace dl::storage {
namespace {

Status CheckName(std::string_view sha256) {
  if (IsSha256Hex(sha256)) return absl::OkStatus();
  return InvalidArgument({.message = "a blob's name must be 64 lower-case hex digits",
                          .where = std::string(sha256.substr(0, 80))});
}

Status CheckBlob(const Blob& blob) {
  DL_RETURN_IF_ERROR(CheckName(blob.sha256));
  if (blob.bytes.size() > static_cast<size_t>(limits::kMaxBlockBytes))
    return InvalidArgument({.message = "a blob of " + std::to_string(blob.bytes.size()) +
                                       " bytes exceeds the limit of " +
                                       std::to_string(limits::kMaxBlockBytes),
                            .where = "blob " + blob.sha256});
  if (Sha256Hex(blob.bytes) != blob.sha256)
    return InvalidArgument(
        {.message = "the content does not match its SHA-256 name, so it was not stored",
         .where = "blob " + blob.sha256});
  return absl::OkStatus();
}

// Converts the status of reading a blob into an error with a remedy.
Status Explain(std::string_view sha256, const Status& read) {
  const std::string name(sha256), where = "blob " + name;
  if (absl::IsNotFound(read))
    return NotFound({.message = "block " + name + " is not stored",
                     .where = where,
                     .remedy = "Import the dataset again: this uploads missing blocks."});
  if (absl::IsDataLoss(read))
    return DataLoss(
        {.message = "stored block " + name + " is damaged: " + std::string(read.message()),
         .where = where,
         .remedy = "Import the dataset again: this replaces damaged blocks."});
  return read;
}

Status AddPieces(uint64_t table, const Blob& blob, TableWriter& writer) {
  const auto total = static_cast<int64_t>(blob.bytes.size());
  const BlobName name = NameOf(blob.sha256);
  if (PiecesOf(total) == 1) return writer.Add(PieceKey(table, name, 0), blob.bytes);
  for (int64_t offset = 0; offset < total; offset += kPieceBytes) {
    const auto piece = blob.bytes.subspan(offset, std::min(kPieceBytes, total - offset));
    DL_RETURN_IF_ERROR(writer.Add(PieceKey(table, name, offset / kPieceBytes), piece));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<BlobStore>> BlobStore::Open(BulkDatabase& database) {
  std::unique_ptr<BlobStore> store(new BlobStore(database));
  MutexLock hold(store->writing_);
  DL_RETURN_IF_ERROR(store->Load());
  if (const Status dropped = store->DropDead(); !dropped.ok())
    LogWarning("cannot free the space of deleted blocks: ", DescribeError(dropped));
  return store;
}

Status BlobStore::Put(std::span<const Blob> blobs) {
  for (const Blob& blob : blobs) DL_RETURN_IF_ERROR(CheckBlob(blob));
  MutexLock hold(writing_);
  DL_ASSIGN_OR_RETURN(const std::vector<const Blob*> wanted, Wanted(blobs));
  if (!wanted.empty()) DL_RETURN_IF_ERROR(WriteTable(wanted));
  for (const Blob& blob : blobs) UnmarkDamaged(blob.sha256);
  return absl::OkStatus();
}

StatusOr<std::vector<const Blob*>> BlobStore::Wanted(std::span<const Blob> blobs) {
  std::vector<const Blob*> wanted;
  for (const Blob& blob : blobs) {
    if (Find(blob.sha256)) {
      const Status read = Read(blob.sha256).status();
      if (read.ok()) continue;
      if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;
    }
    wanted.push_back(&blob);
  }
  std::ranges::sort(wanted, {}, &Blob::sha256);
  const auto same = [](const Blob* a, const Blob* b) { return a->sha256 == b->sha256; };
  wanted.erase(std::unique(wanted.begin(), wanted.end(), same), wanted.end());
  return wanted;
}

Status BlobStore::WriteTable(std::span<const Blob* const> blobs) {
  const uint64_t table = next_table_++;
  BlobDirectory directory;
  int64_t bytes = 0;
  for (const Blob* blob : blobs) {
    const auto size = static_cast<int64_t>(blob->bytes.size());
    directory.stored.push_back({.name = NameOf(blob->sha256), .bytes = size});
    bytes += size;
  }
  DL_RETURN_IF_ERROR(
      IngestTable({.number = table, .bytes = bytes}, directory, [&](TableWriter& writer) -> Status {
        for (const Blob* blob : blobs) DL_RETURN_IF_ERROR(AddPieces(table, *blob, writer));
        return absl::OkStatus();
      }));
  {
    MutexLock hold(mutex_);
    index_.Add(table, directory.stored);
  }
  // Frees the space of damaged copies that were replaced. A failure does no harm.
  if (const Status dropped = DropDead(); !dropped.ok())
    LogWarning("cannot free the space of replaced blocks: ", DescribeError(dropped));
  return absl::OkStatus();
}

StatusOr<std::vector<std::string>> BlobStore::Missing(std::span<const std::string> names) {
  for (const std::string& name : names) DL_RETURN_IF_ERROR(CheckName(name));
  std::vector<std::string> missing;
  MutexLock hold(mutex_);
  for (const std::string& name : names) {
    if (!index_.Find(NameOf(name)) || damaged_.contains(name)) missing.push_back(name);
  }
  return missing;
}

StatusOr<std::string> BlobStore::Get(std::string_view sha256) {
  StatusOr<std::string> content = Read(sha256);
  if (absl::IsDataLoss(content.status())) MarkDamaged(sha256);
  return content;
}

StatusOr<BlobStore::Range> BlobStore::GetRange(std::string_view sha256, int64_t offset,
                                               int64_t length) {
  StatusOr<Range> range = ReadRange(sha256, offset, length);
  if (absl::IsDataLoss(range.status())) MarkDamaged(sha256);
  return range;
}

std::vector<std::string> BlobStore::Names() const {
  MutexLock hold(mutex_);
  return index_.Names();
}

std::optional<BlobIndex::Place> BlobStore::Find(std::string_view sha256) const {
  MutexLock hold(mutex_);
  return index_.Find(NameOf(sha256));
}

StatusOr<BlobStore::Range> BlobStore::ReadRange(std::string_view sha256, int64_t offset,
                                                int64_t length) {
  DL_RETURN_IF_ERROR(CheckName(sha256));
  for (;;) {
    const std::optional<BlobIndex::Place> place = Find(sha256);
    if (!place) return Explain(sha256, NotFound({.message = "the index has no entry for it"}));
    StatusOr<Range> range = ReadAt(*place, sha256, offset, length);
    if (range.ok() || absl::IsInvalidArgument(range.status())) return range;
    if (Find(sha256) != place) continue;  // a rewrite has moved the blob
    if (absl::IsNotFound(range.status()))
      return Explain(sha256, DataLoss({.message = "its table file is missing"}));
    return Explain(sha256, range.status());
  }
}

StatusOr<BlobStore::Range> BlobStore::ReadAt(const BlobIndex::Place& place, std::string_view sha256,
                                             int64_t offset, int64_t length) {
  if (place.table == kOldTable) return ReadOldBlob(database_, sha256, offset, length);
  DL_RETURN_IF_ERROR(CheckRange(sha256, place.bytes, offset, length));
  const BlobName name = NameOf(sha256);
  Range range{.total = place.bytes};
  if (PiecesOf(place.bytes) > 1) {
    DL_ASSIGN_OR_RETURN(range.bytes, JoinPieces(offset, std::min(length, place.bytes - offset),
                                                [&](int64_t piece, const auto& use) {
                                                  return database_.Read(
                                                      PieceKey(place.table, name, piece), use);
                                                }));
    return range;
  }
  DL_RETURN_IF_ERROR(
      database_.Read(PieceKey(place.table, name, 0), [&](std::string_view whole) -> Status {
        if (Sha256Hex(whole) != sha256)
          return DataLoss({.message = "the bytes do not match the SHA-256 name"});
        range.bytes.assign(whole.substr(offset, length));
        return absl::OkStatus();
      }));
  return range;
}

StatusOr<std::string> BlobStore::Read(std::string_view sha256) {
  DL_ASSIGN_OR_RETURN(Range whole, ReadRange(sha256, 0, limits::kMaxBlockBytes));
  // Pieces have been checked only by the database's checksums.
  if (Sha256Hex(whole.bytes) != sha256)
    return Explain(sha256, DataLoss({.message = "the bytes do not match the SHA-256 name"}));
  return std::move(whole.bytes);
}

std::string BlobStore::DamageMark(std::string_view sha256) const {
  return database_.dir() + "/damaged/" + std::string(sha256);
}

void BlobStore::MarkDamaged(std::string_view sha256) {
  Status marked = CreateFolders(database_.dir() + "/damaged");
  if (marked.ok()) marked = AtomicWriteFile(DamageMark(sha256), "");
  if (!marked.ok()) LogWarning("cannot mark a block as damaged: ", DescribeError(marked));
  MutexLock hold(mutex_);
  damaged_.emplace(sha256);
}

void BlobStore::UnmarkDamaged(std::string_view sha256) {
  MutexLock hold(mutex_);
  const auto marked = damaged_.find(sha256);
  if (marked == damaged_.end()) return;
  damaged_.erase(marked);
  std::error_code ignored;  // a mark that stays costs one more upload
  std::filesystem::remove(DamageMark(sha256), ignored);
}

}  // namespace dl::storage
