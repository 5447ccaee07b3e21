#include "storage/blob_table.h"

#include <cstring>

#include "absl/strings/escaping.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "storage/key_number.h"

namespace dl::storage {
namespace {

// Keys are "b", the table's number, the kind of key, and for a piece the blob's name and the piece.
// Numbers are big-endian, so that the keys sort by number.
constexpr char kTableKeys = 'b';
constexpr char kFirstDirectory = 0, kPiece = 1, kLastDirectory = 2;
constexpr uint32_t kVersion = 1;

std::string DirectoryKey(uint64_t table, char which) { return TableBegin(table) + which; }

template <typename Number>
void Append(std::string& text, Number value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Encode(const BlobDirectory& directory) {
  std::string text;
  Append(text, kVersion);
  Append(text, static_cast<uint32_t>(directory.stored.size()));
  Append(text, static_cast<uint64_t>(directory.dead_blobs.size()));
  for (const StoredBlob& blob : directory.stored) {
    text.append(blob.name.data(), blob.name.size());
    Append(text, blob.bytes);
  }
  for (const DeadBlob& blob : directory.dead_blobs) {
    Append(text, blob.table);
    text.append(blob.name.data(), blob.name.size());
  }
  Append(text, Xxh3(text));
  return text;
}

// Reads values from the front of a text whose length has been checked.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  template <typename Value>
  Value Take() {
    Value value;
    std::memcpy(&value, text_.data(), sizeof(value));
    text_.remove_prefix(sizeof(value));
    return value;
  }

 private:
  std::string_view text_;
};

constexpr size_t kHeaderBytes = 16, kSumBytes = 8;
constexpr size_t kEntryBytes = sizeof(BlobName) + 8;

Status Decode(std::string_view text, BlobDirectory& directory) {
  const Status damaged = DataLoss({.message = "the directory of a blob table is damaged"});
  if (text.size() < kHeaderBytes + kSumBytes) return damaged;
  const std::string_view body = text.substr(0, text.size() - kSumBytes);
  if (Cursor(text.substr(body.size())).Take<uint64_t>() != Xxh3(body)) return damaged;
  Cursor cursor(body);
  if (cursor.Take<uint32_t>() != kVersion) return damaged;  // another version has another FORMAT
  const uint64_t stored = cursor.Take<uint32_t>(), dead_blobs = cursor.Take<uint64_t>();
  const size_t entries = (body.size() - kHeaderBytes) / kEntryBytes;
  if (dead_blobs > entries || stored + dead_blobs != entries ||
      body.size() != kHeaderBytes + entries * kEntryBytes)
    return damaged;
  directory.stored.resize(stored);
  directory.dead_blobs.resize(dead_blobs);
  for (StoredBlob& blob : directory.stored) {
    blob.name = cursor.Take<BlobName>();
    blob.bytes = cursor.Take<int64_t>();
    if (blob.bytes < 0 || blob.bytes > limits::kMaxBlockBytes) return damaged;
  }
  for (DeadBlob& blob : directory.dead_blobs) {
    blob.table = cursor.Take<uint64_t>();
    blob.name = cursor.Take<BlobName>();
  }
  return absl::OkStatus();
}

}  // namespace

BlobName NameOf(std::string_view sha256) {
  const std::string bytes = absl::HexStringToBytes(std::string(sha256));
  BlobName name;
  std::memcpy(name.data(), bytes.data(), name.size());
  return name;
}

std::string HexOf(const BlobName& name) {
  return absl::BytesToHexString(std::string(name.data(), name.size()));
}

std::string TableBegin(uint64_t table) {
  std::string key(1, kTableKeys);
  AppendNumber(key, table, kNumberBytes);
  return key;
}

bool IsTableKey(std::string_view key, uint64_t& table) {
  if (key.size() < 1 + kNumberBytes || key.front() != kTableKeys) return false;
  table = 0;
  for (size_t i = 1; i <= kNumberBytes; ++i)
    table = table << 8 | static_cast<unsigned char>(key[i]);
  return true;
}

std::string PieceKey(uint64_t table, const BlobName& name, int64_t piece) {
  std::string key = TableBegin(table) + kPiece;
  key.append(name.data(), name.size());
  AppendNumber(key, static_cast<uint64_t>(piece), 4);
  return key;
}

Status WriteBlobTable(uint64_t table, const BlobDirectory& directory,
                      const std::function<Status()>& add_pieces, TableWriter& writer) {
  const std::string text = Encode(directory);
  const auto bytes = std::as_bytes(std::span(text));
  DL_RETURN_IF_ERROR(writer.Add(DirectoryKey(table, kFirstDirectory), bytes));
  DL_RETURN_IF_ERROR(add_pieces());
  return writer.Add(DirectoryKey(table, kLastDirectory), bytes);
}

StatusOr<BlobDirectory> ReadDirectory(BulkDatabase& database, uint64_t table) {
  Status read;
  for (const char which : {kFirstDirectory, kLastDirectory}) {
    BlobDirectory directory;
    read = database.Read(DirectoryKey(table, which),
                         [&](std::string_view text) { return Decode(text, directory); });
    if (read.ok()) return directory;
    if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;
  }
  return DataLoss({.message = std::string(read.message()), .where = database.dir()});
}

}  // namespace dl::storage
