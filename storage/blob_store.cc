#include "storage/blob_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/checksum.h"
#include "base/files.h"
#include "base/log.h"

namespace dl::storage {
namespace {

// One table file per blob: the file list says what is there, files never overlap (RocksDB reads
// what a new file overlaps, and one damaged blob would then refuse others), and a damaged one is
// replaced by dropping its file.
std::string ContentKey(std::string_view sha256) { return "a" + std::string(sha256); }

StatusOr<std::set<std::string>> StoredKeys(BulkDatabase& database) {
  DL_ASSIGN_OR_RETURN(const std::vector<BulkDatabase::TableFile> files, database.Files());
  std::set<std::string> keys;
  for (const BulkDatabase::TableFile& file : files) keys.insert(file.smallest_key);
  return keys;
}

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
    return InvalidArgument({.message = "the content does not hash to its name; it was not stored",
                            .where = "blob " + blob.sha256});
  return absl::OkStatus();
}

}  // namespace

bool IsSha256Hex(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status BlobStore::Put(std::span<const Blob> blobs) {
  for (const Blob& blob : blobs) DL_RETURN_IF_ERROR(CheckBlob(blob));
  DL_ASSIGN_OR_RETURN(std::set<std::string> stored, StoredKeys(database_));
  for (const Blob& blob : blobs) {
    const std::string key = ContentKey(blob.sha256);
    if (stored.contains(key)) {
      const Status read = Read(blob.sha256).status();
      if (!read.ok() && !absl::IsDataLoss(read)) return read;
      if (absl::IsDataLoss(read)) {
        DL_RETURN_IF_ERROR(database_.DropFiles(key, key + '\0'));
        stored.erase(key);
      }
    }
    if (stored.insert(key).second) {
      DL_RETURN_IF_ERROR(
          database_.Ingest(static_cast<int64_t>(blob.bytes.size()),
                           [&](TableWriter& table) { return table.Add(key, blob.bytes); }));
    }
    std::error_code ignored;  // a mark that stays costs one more upload
    std::filesystem::remove(DamageMark(blob.sha256), ignored);
  }
  return absl::OkStatus();
}

StatusOr<std::vector<std::string>> BlobStore::Missing(std::span<const std::string> names) {
  DL_ASSIGN_OR_RETURN(const std::set<std::string> stored, StoredKeys(database_));
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    DL_RETURN_IF_ERROR(CheckName(name));
    std::error_code ignored;
    if (!stored.contains(ContentKey(name)) || std::filesystem::exists(DamageMark(name), ignored))
      missing.push_back(name);
  }
  return missing;
}

StatusOr<std::string> BlobStore::Get(std::string_view sha256) {
  StatusOr<std::string> content = Read(sha256);
  if (absl::IsDataLoss(content.status())) MarkDamaged(sha256);
  return content;
}

std::string BlobStore::DamageMark(std::string_view sha256) const {
  return database_.dir() + "/damaged/" + std::string(sha256);
}

void BlobStore::MarkDamaged(std::string_view sha256) {
  Status marked = CreateFolders(database_.dir() + "/damaged");
  if (marked.ok()) marked = AtomicWriteFile(DamageMark(sha256), "");
  if (!marked.ok()) LogWarning("marking a damaged block: ", DescribeError(marked));
}

StatusOr<std::string> BlobStore::Read(std::string_view sha256) {
  DL_RETURN_IF_ERROR(CheckName(sha256));
  const std::string where = "blob " + std::string(sha256);
  std::string content;
  const Status read = database_.Read(ContentKey(sha256), [&](std::string_view value) -> Status {
    if (Sha256Hex(value) != sha256)
      return DataLoss({.message = "the bytes do not hash to the name"});
    content.assign(value);
    return absl::OkStatus();
  });
  if (absl::IsNotFound(read))
    return NotFound({.message = "block " + std::string(sha256) + " is not stored",
                     .where = where,
                     .remedy = "Import the dataset again: what is missing is uploaded."});
  if (absl::IsDataLoss(read))
    return DataLoss({.message = "stored block " + std::string(sha256) +
                                " is damaged: " + std::string(read.message()),
                     .where = where,
                     .remedy = "Import the dataset again: what is damaged is replaced."});
  DL_RETURN_IF_ERROR(read);
  return content;
}

}  // namespace dl::storage
