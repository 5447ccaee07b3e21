#include "storage/blob_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/files.h"
#include "base/log.h"

namespace dl::storage {
namespace {

// One table file per blob: the file list says what is there, files never overlap (RocksDB reads
// what a new file overlaps, and one damaged blob would then refuse others), and a damaged one is
// replaced by dropping its file.
std::string ContentKey(std::string_view sha256) { return "a" + std::string(sha256); }
// A large blob lies in pieces, so that a part of it can be read alone: the first one under the key
// of the blob, the others behind it, by their number in four decimals, and then the size of the
// whole. Most blocks are a little over 1 MiB and lie in one.
constexpr int64_t kLargestWhole = 2 << 20;
constexpr int64_t kPieceBytes = 1 << 20;
std::string PieceKey(std::string_view sha256, int64_t number) {
  return number == 0 ? ContentKey(sha256) : absl::StrFormat("%s%04d", ContentKey(sha256), number);
}
std::string TotalKey(std::string_view sha256) { return ContentKey(sha256) + "total"; }
// Behind every key of the blob, before the next one's.
std::string EndOf(std::string_view sha256) { return ContentKey(sha256) + "z"; }

Status Write(const Blob& blob, TableWriter& table) {
  const auto total = static_cast<int64_t>(blob.bytes.size());
  if (total <= kLargestWhole) return table.Add(ContentKey(blob.sha256), blob.bytes);
  for (int64_t offset = 0; offset < total; offset += kPieceBytes) {
    const auto piece = blob.bytes.subspan(offset, std::min(kPieceBytes, total - offset));
    DL_RETURN_IF_ERROR(table.Add(PieceKey(blob.sha256, offset / kPieceBytes), piece));
  }
  const std::string text = std::to_string(total);
  return table.Add(TotalKey(blob.sha256), std::as_bytes(std::span(text)));
}

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

// What reading the blob came to.
Status Explain(std::string_view sha256, const Status& read) {
  const std::string name(sha256), where = "blob " + name;
  if (absl::IsNotFound(read))
    return NotFound({.message = "block " + name + " is not stored",
                     .where = where,
                     .remedy = "Import the dataset again: what is missing is uploaded."});
  if (absl::IsDataLoss(read))
    return DataLoss(
        {.message = "stored block " + name + " is damaged: " + std::string(read.message()),
         .where = where,
         .remedy = "Import the dataset again: what is damaged is replaced."});
  return read;
}

Status CheckRange(std::string_view sha256, int64_t total, int64_t offset, int64_t length) {
  if (offset >= 0 && offset <= total && length >= 0) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("bytes ", offset, " and the ", length,
                                                  " behind are asked of a blob of ", total),
                          .where = "blob " + std::string(sha256)});
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
        DL_RETURN_IF_ERROR(database_.DropFiles(key, EndOf(blob.sha256)));
        stored.erase(key);
      }
    }
    if (stored.insert(key).second) {
      DL_RETURN_IF_ERROR(database_.Ingest(static_cast<int64_t>(blob.bytes.size()),
                                          [&](TableWriter& table) { return Write(blob, table); }));
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

StatusOr<BlobStore::Range> BlobStore::GetRange(std::string_view sha256, int64_t offset,
                                               int64_t length) {
  StatusOr<Range> range = ReadRange(sha256, offset, length);
  if (absl::IsDataLoss(range.status())) MarkDamaged(sha256);
  return range;
}

StatusOr<BlobStore::Range> BlobStore::ReadRange(std::string_view sha256, int64_t offset,
                                                int64_t length) {
  DL_RETURN_IF_ERROR(CheckName(sha256));
  DL_ASSIGN_OR_RETURN(const std::optional<int64_t> total, TotalOf(sha256));
  Range range;
  if (total) {
    range.total = *total;
    DL_RETURN_IF_ERROR(CheckRange(sha256, range.total, offset, length));
    DL_ASSIGN_OR_RETURN(range.bytes,
                        ReadPieces(sha256, offset, std::min(length, range.total - offset)));
    return range;
  }
  Status asked;
  const Status read = database_.Read(ContentKey(sha256), [&](std::string_view whole) -> Status {
    if (Sha256Hex(whole) != sha256)
      return DataLoss({.message = "the bytes do not hash to the name"});
    range.total = static_cast<int64_t>(whole.size());
    asked = CheckRange(sha256, range.total, offset, length);
    if (asked.ok()) range.bytes.assign(whole.substr(offset, length));
    return absl::OkStatus();
  });
  DL_RETURN_IF_ERROR(Explain(sha256, read));
  DL_RETURN_IF_ERROR(asked);
  return range;
}

StatusOr<std::optional<int64_t>> BlobStore::TotalOf(std::string_view sha256) {
  int64_t total = 0;
  const Status read = database_.Read(TotalKey(sha256), [&](std::string_view value) -> Status {
    const bool good = absl::SimpleAtoi(std::string(value), &total) && total > kLargestWhole &&
                      total <= limits::kMaxBlockBytes;
    return good ? absl::OkStatus() : DataLoss({.message = "the stored size is no size"});
  });
  if (absl::IsNotFound(read)) return std::nullopt;
  DL_RETURN_IF_ERROR(Explain(sha256, read));
  return total;
}

StatusOr<std::string> BlobStore::ReadPieces(std::string_view sha256, int64_t offset,
                                            int64_t length) {
  std::string bytes;
  bytes.reserve(length);
  while (static_cast<int64_t>(bytes.size()) < length) {
    const int64_t at = offset + static_cast<int64_t>(bytes.size());
    Status read =
        database_.Read(PieceKey(sha256, at / kPieceBytes), [&](std::string_view piece) -> Status {
          const auto wanted = piece.substr(std::min<size_t>(at % kPieceBytes, piece.size()));
          bytes.append(wanted.substr(0, length - bytes.size()));
          return wanted.empty() ? DataLoss({.message = "a piece of it is too short"})
                                : absl::OkStatus();
        });
    if (absl::IsNotFound(read)) read = DataLoss({.message = "a piece of it is missing"});
    DL_RETURN_IF_ERROR(Explain(sha256, read));
  }
  return bytes;
}

StatusOr<std::string> BlobStore::Read(std::string_view sha256) {
  DL_ASSIGN_OR_RETURN(Range whole, ReadRange(sha256, 0, limits::kMaxBlockBytes));
  // Of pieces only the store's own sums have been checked.
  if (Sha256Hex(whole.bytes) != sha256)
    return Explain(sha256, DataLoss({.message = "the bytes do not hash to the name"}));
  return std::move(whole.bytes);
}

}  // namespace dl::storage
