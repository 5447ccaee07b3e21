#include "storage/old_blobs.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "storage/blob_table.h"

namespace dl::storage {
namespace {

std::string ContentKey(std::string_view sha256) { return "a" + std::string(sha256); }
std::string PieceKey(std::string_view sha256, int64_t number) {
  return number == 0 ? ContentKey(sha256) : absl::StrFormat("%s%04d", ContentKey(sha256), number);
}
std::string TotalKey(std::string_view sha256) { return ContentKey(sha256) + "total"; }
// Returns a key after every key of the blob and before those of the next blob.
std::string EndOfContent(std::string_view sha256) { return ContentKey(sha256) + "z"; }

// Returns the total size of a blob in several pieces, or nullopt for a blob in one piece.
StatusOr<std::optional<int64_t>> TotalOf(BulkDatabase& database, std::string_view sha256) {
  int64_t total = 0;
  const Status read = database.Read(TotalKey(sha256), [&](std::string_view value) -> Status {
    const bool good = absl::SimpleAtoi(std::string(value), &total) &&
                      total > kMaxSinglePieceBytes && total <= limits::kMaxBlockBytes;
    return good ? absl::OkStatus() : DataLoss({.message = "the stored size is not valid"});
  });
  if (absl::IsNotFound(read)) return std::nullopt;
  DL_RETURN_IF_ERROR(read);
  return total;
}

}  // namespace

std::string_view FindOldBlobName(std::string_view smallest_key) {
  constexpr size_t kHexBytes = 2 * sizeof(BlobName);
  if (smallest_key.size() != 1 + kHexBytes || smallest_key.front() != 'a') return {};
  return smallest_key.substr(1);
}

StatusOr<BlobRange> ReadOldBlob(BulkDatabase& database, std::string_view sha256, int64_t offset,
                                int64_t length) {
  DL_ASSIGN_OR_RETURN(const std::optional<int64_t> total, TotalOf(database, sha256));
  BlobRange range;
  if (total) {
    range.total = *total;
    DL_RETURN_IF_ERROR(CheckRange(sha256, range.total, offset, length));
    DL_ASSIGN_OR_RETURN(range.bytes, JoinPieces(offset, std::min(length, range.total - offset),
                                                [&](int64_t piece, const auto& use) {
                                                  return database.Read(PieceKey(sha256, piece),
                                                                       use);
                                                }));
    return range;
  }
  Status asked;
  const Status read = database.Read(ContentKey(sha256), [&](std::string_view whole) -> Status {
    if (Sha256Hex(whole) != sha256)
      return DataLoss({.message = "the bytes do not match the SHA-256 name"});
    range.total = static_cast<int64_t>(whole.size());
    asked = CheckRange(sha256, range.total, offset, length);
    if (asked.ok()) range.bytes.assign(whole.substr(offset, length));
    return absl::OkStatus();
  });
  DL_RETURN_IF_ERROR(read);
  DL_RETURN_IF_ERROR(asked);
  return range;
}

Status DropOldBlob(BulkDatabase& database, std::string_view sha256) {
  return database.DropFiles(ContentKey(sha256), EndOfContent(sha256));
}

Status CheckRange(std::string_view sha256, int64_t total, int64_t offset, int64_t length) {
  if (offset >= 0 && offset <= total && length >= 0) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat(length, " bytes at offset ", offset,
                                                  " are outside a blob of ", total, " bytes"),
                          .where = "blob " + std::string(sha256)});
}

StatusOr<std::string> JoinPieces(
    int64_t offset, int64_t length,
    const std::function<Status(int64_t piece, const std::function<Status(std::string_view)>&)>&
        read_piece) {
  std::string bytes;
  bytes.reserve(length);
  while (static_cast<int64_t>(bytes.size()) < length) {
    const int64_t at = offset + static_cast<int64_t>(bytes.size());
    const Status read = read_piece(at / kPieceBytes, [&](std::string_view piece) -> Status {
      const auto wanted = piece.substr(std::min<size_t>(at % kPieceBytes, piece.size()));
      bytes.append(wanted.substr(0, length - bytes.size()));
      return wanted.empty() ? DataLoss({.message = "a piece of it is too short"})
                            : absl::OkStatus();
    });
    if (absl::IsNotFound(read)) return DataLoss({.message = "a piece of it is missing"});
    DL_RETURN_IF_ERROR(read);
  }
  return bytes;
}

}  // namespace dl::storage
