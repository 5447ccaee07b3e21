// The part of the blob store that concerns disk space: what a start finds, which copies are dead,
// and how their space is freed. The disk always has the old or the new state: a new table is
// written first, under a number of its own, and only then the tables that it replaces are deleted.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/log.h"
#include "base/lower_hex.h"
#include "storage/blob_store.h"
#include "storage/database_files.h"

namespace dl::storage {

Status BlobStore::Load() {
  DL_ASSIGN_OR_RETURN(const std::vector<BulkDatabase::TableFile> files, database_.Files());
  std::vector<DeadBlob> dead_blobs;
  for (const BulkDatabase::TableFile& file : files) {  // by key: old layout first, then by number
    uint64_t table = 0;
    if (const std::string_view old = FindOldBlobName(file.smallest_key); !old.empty()) {
      const StoredBlob blob{.name = NameOf(old), .bytes = file.bytes};
      MutexLock hold(mutex_);
      index_.Add(kOldTable, std::span(&blob, 1));
    } else if (IsTableKey(file.smallest_key, table)) {
      next_table_ = std::max(next_table_, table + 1);
      DL_RETURN_IF_ERROR(LoadTable(table, file.name, dead_blobs));
    }
  }
  std::error_code error;
  const std::string marks = database_.dir() + "/damaged";
  MutexLock hold(mutex_);
  for (const DeadBlob& blob : dead_blobs) index_.MarkDead(blob);
  if (!std::filesystem::exists(marks, error)) return absl::OkStatus();
  for (std::filesystem::directory_iterator it(marks, error), end; !error && it != end;
       it.increment(error))
    damaged_.insert(it->path().filename().string());
  return FromError(error, "list the marks of damaged blocks", marks);
}

Status BlobStore::LoadTable(uint64_t table, const std::string& file,
                            std::vector<DeadBlob>& dead_blobs) {
  StatusOr<BlobDirectory> directory = ReadDirectory(database_, table);
  if (absl::IsDataLoss(directory.status())) {
    LogWarning("table file ", file, " of ", database_.dir(),
               " is damaged, so its blocks cannot be listed; import their datasets again to "
               "restore them: ",
               std::string(directory.status().message()));
    return absl::OkStatus();
  }
  DL_RETURN_IF_ERROR(directory.status());
  if (directory->stored.empty()) {
    dead_list_tables_.insert(table);
    dead_blobs = std::move(directory->dead_blobs);
    return absl::OkStatus();
  }
  MutexLock hold(mutex_);
  index_.Add(table, directory->stored);
  return absl::OkStatus();
}

Status BlobStore::IngestTable(const NewTable& table, const BlobDirectory& directory,
                              const std::function<Status(TableWriter&)>& add_pieces) {
  const Status taken = database_.Ingest(
      table.bytes,
      [&](TableWriter& writer) {
        return WriteBlobTable(
            table.number, directory, [&] { return add_pieces(writer); }, writer);
      },
      table.reserve);
  if (taken.ok()) return taken;
  // If the disk failed, the table may exist nevertheless. Its content must not count later.
  if (const Status dropped = DropTable(table.number); !dropped.ok())
    LogWarning("cannot remove a table of blocks that was not added: ", DescribeError(dropped));
  return taken;
}

Status BlobStore::DropTable(uint64_t table) {
  return database_.DropFiles(TableBegin(table), TableBegin(table + 1));
}

Status BlobStore::Delete(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (!IsSha256Hex(name))
      return InvalidArgument({.message = "a blob's name must be 64 lower-case hex digits",
                              .where = name.substr(0, 80)});
  }
  MutexLock hold(writing_);
  std::vector<DeadBlob> going;
  for (const std::string& name : names) {
    if (const auto place = Find(name)) going.push_back({place->table, NameOf(name)});
  }
  if (!going.empty()) DL_RETURN_IF_ERROR(WriteDeadBlobs(going));
  for (const std::string& name : names) UnmarkDamaged(name);
  return GiveBackSpace();
}

Status BlobStore::WriteDeadBlobs(std::span<const DeadBlob> more) {
  BlobDirectory directory;
  {
    MutexLock hold(mutex_);
    directory.dead_blobs = index_.DeadBlobs();
  }
  directory.dead_blobs.insert(directory.dead_blobs.end(), more.begin(), more.end());
  const uint64_t table = next_table_++;
  DL_RETURN_IF_ERROR(IngestTable({.number = table, .reserve = BulkDatabase::Reserve::kUse},
                                 directory, [](TableWriter&) { return absl::OkStatus(); }));
  dead_list_tables_.insert(table);
  MutexLock hold(mutex_);
  for (const DeadBlob& blob : more) index_.MarkDead(blob);
  return absl::OkStatus();
}

Status BlobStore::GiveBackSpace() {
  DL_RETURN_IF_ERROR(DropDead());
  std::vector<uint64_t> worth;
  {
    MutexLock hold(mutex_);
    worth = index_.WorthRewriting();
  }
  for (const uint64_t table : worth) {
    const Status rewritten = Rewrite(table);
    if (absl::IsDataLoss(rewritten)) {
      LogWarning("a table of blocks keeps its space until an import replaces its damaged blocks: ",
                 DescribeError(rewritten));
      continue;
    }
    DL_RETURN_IF_ERROR(rewritten);
  }
  return DropDead();
}

Status BlobStore::DropDead() {
  std::vector<uint64_t> dead;
  std::vector<BlobName> old;
  {
    MutexLock hold(mutex_);
    dead = index_.DeadTables();
    old = index_.DeadOldBlobs();
  }
  for (const uint64_t table : dead) {
    DL_RETURN_IF_ERROR(DropTable(table));
    MutexLock hold(mutex_);
    index_.RemoveTable(table);
  }
  for (const BlobName& name : old) {
    DL_RETURN_IF_ERROR(DropOldBlob(database_, HexOf(name)));
    MutexLock hold(mutex_);
    index_.RemoveOldBlob(name);
  }
  // The newest list of dead blobs contains all others. If nothing is dead, no list is needed. Older
  // lists may be deleted only after the deletion of the dead tables is durable: a dead table that
  // reappears after a power cut would otherwise count as live.
  bool needed = false;
  {
    MutexLock hold(mutex_);
    needed = !index_.DeadBlobs().empty();
  }
  if (dead_list_tables_.size() <= (needed ? 1 : 0)) return absl::OkStatus();
  DL_RETURN_IF_ERROR(SyncFolder(database_.dir() + "/db"));
  while (dead_list_tables_.size() > (needed ? 1 : 0)) {
    DL_RETURN_IF_ERROR(DropTable(*dead_list_tables_.begin()));
    dead_list_tables_.erase(dead_list_tables_.begin());
  }
  return absl::OkStatus();
}

Status BlobStore::Rewrite(uint64_t table) {
  DL_ASSIGN_OR_RETURN(const BlobDirectory old, ReadDirectory(database_, table));
  BlobDirectory kept;
  int64_t bytes = 0;
  {
    MutexLock hold(mutex_);
    for (const StoredBlob& blob : old.stored) {
      if (index_.IsDead(table, blob.name)) continue;
      kept.stored.push_back(blob);
      bytes += blob.bytes;
    }
  }
  const uint64_t number = next_table_++;
  DL_RETURN_IF_ERROR(IngestTable(
      {.number = number, .bytes = bytes, .reserve = BulkDatabase::Reserve::kUse}, kept,
      [&](TableWriter& writer) -> Status {
        for (const StoredBlob& blob : kept.stored) {
          for (int64_t piece = 0; piece < PiecesOf(blob.bytes); ++piece) {
            const Status copied =
                database_.Read(PieceKey(table, blob.name, piece), [&](std::string_view value) {
                  return writer.Add(PieceKey(number, blob.name, piece),
                                    std::as_bytes(std::span(value)));
                });
            if (absl::IsNotFound(copied))
              return DataLoss({.message = "a piece of a block is missing"});
            DL_RETURN_IF_ERROR(copied);
          }
        }
        return absl::OkStatus();
      }));
  MutexLock hold(mutex_);
  index_.Add(number, kept.stored);
  return absl::OkStatus();
}

}  // namespace dl::storage
