#include "storage/block_cache.h"

#include <filesystem>
#include <list>
#include <map>
#include <system_error>

#include "base/checksum.h"
#include "base/log.h"
#include "base/lower_hex.h"
#include "base/mutex.h"
#include "base/system_error.h"
#include "storage/blob_store.h"
#include "storage/store_format.h"

namespace dl::storage {
namespace {

// One table file per block, under (insertion stamp, name): dropping a block returns its space at
// once, files never overlap, and an open learns what is there, how large and in which order from
// the file list alone. Use is remembered only within a process.
constexpr StoreFormat kCacheFormat{.kind = "cache", .schema = 1};
constexpr size_t kStampBytes = 8, kNameBytes = 64;
// What a table file has beside the block: footer, index, filter and properties.
constexpr int64_t kFileOverheadBytes = 4096;

std::string EntryKey(uint64_t stamp, std::string_view sha256) {
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(stamp >> shift));
  return key.append(sha256);
}

struct Entry {
  std::string sha256;
  uint64_t stamp = 0;
  int64_t bytes = 0;
};

}  // namespace

struct BlockCache::State {
  BlockCacheOptions options;
  std::unique_ptr<BulkDatabase> database;

  mutable Mutex mutex;
  std::list<Entry> by_use DL_GUARDED_BY(mutex);  // longest unused first
  std::map<std::string, std::list<Entry>::iterator, std::less<>> by_name DL_GUARDED_BY(mutex);
  int64_t bytes DL_GUARDED_BY(mutex) = 0;
  uint64_t next_stamp DL_GUARDED_BY(mutex) = 0;
  int64_t damaged DL_GUARDED_BY(mutex) = 0;

  void Append(Entry entry) DL_REQUIRES(mutex) {
    bytes += entry.bytes;
    by_use.push_back(std::move(entry));
    by_name[by_use.back().sha256] = std::prev(by_use.end());
  }
  Status Drop(std::list<Entry>::iterator entry) DL_REQUIRES(mutex) {
    const std::string key = EntryKey(entry->stamp, entry->sha256);
    DL_RETURN_IF_ERROR(database->DropFiles(key, key + '\0'));
    bytes -= entry->bytes;
    by_name.erase(entry->sha256);
    by_use.erase(entry);
    return absl::OkStatus();
  }
  Status MakeRoom(int64_t needed) DL_REQUIRES(mutex) {
    while (!by_use.empty() && bytes + needed > options.capacity_bytes)
      DL_RETURN_IF_ERROR(Drop(by_use.begin()));
    return absl::OkStatus();
  }
  Status LoadEntries() DL_EXCLUDES(mutex) {
    MutexLock hold(mutex);
    DL_ASSIGN_OR_RETURN(const std::vector<BulkDatabase::TableFile> files, database->Files());
    for (const BulkDatabase::TableFile& file : files) {
      if (file.smallest_key.size() != kStampBytes + kNameBytes ||
          file.smallest_key != file.largest_key)
        return DataLoss(
            {.message = "a file of the block cache has a wrong key", .where = database->dir()});
      uint64_t stamp = 0;
      for (size_t i = 0; i < kStampBytes; ++i)
        stamp = stamp << 8 | static_cast<unsigned char>(file.smallest_key[i]);
      next_stamp = stamp + 1;  // files come by key, so by stamp
      Append(
          {.sha256 = file.smallest_key.substr(kStampBytes), .stamp = stamp, .bytes = file.bytes});
    }
    return MakeRoom(0);
  }
};

BlockCache::BlockCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockCache::~BlockCache() = default;

StatusOr<std::unique_ptr<BlockCache>> BlockCache::Open(const std::string& dir,
                                                       const BlockCacheOptions& options) {
  const auto attempt = [&]() -> StatusOr<std::unique_ptr<BlockCache>> {
    auto state = std::make_unique<State>();
    state->options = options;
    DL_ASSIGN_OR_RETURN(state->database, BulkDatabase::Open(dir, kCacheFormat.kind, options.bulk));
    DL_RETURN_IF_ERROR(state->LoadEntries());
    return std::unique_ptr<BlockCache>(new BlockCache(std::move(state)));
  };
  StatusOr<std::unique_ptr<BlockCache>> cache = attempt();
  // A folder that nothing shows to be a cache is none to empty.
  if (!absl::IsDataLoss(cache.status()) || !RequireFormat(dir, kCacheFormat).ok()) return cache;
  LogWarning("the block cache is damaged and begins empty: ", DescribeError(cache.status()));
  std::error_code error;
  std::filesystem::remove_all(dir + "/db", error);
  if (error) return SystemError(error.value(), "empty the damaged block cache", dir);
  return attempt();
}

StatusOr<std::optional<std::string>> BlockCache::Get(std::string_view sha256) {
  uint64_t stamp = 0;
  {
    MutexLock hold(state_->mutex);
    const auto found = state_->by_name.find(sha256);
    if (found == state_->by_name.end()) return std::optional<std::string>();
    state_->by_use.splice(state_->by_use.end(), state_->by_use, found->second);
    stamp = found->second->stamp;
  }
  std::string content;
  const Status read =
      state_->database->Read(EntryKey(stamp, sha256), [&](std::string_view value) -> Status {
        if (Sha256Hex(value) != sha256)
          return DataLoss({.message = "the bytes do not hash to the name"});
        content.assign(value);
        return absl::OkStatus();
      });
  if (read.ok()) return std::optional<std::string>(std::move(content));
  if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;

  MutexLock hold(state_->mutex);
  const auto found = state_->by_name.find(sha256);
  if (found == state_->by_name.end() || found->second->stamp != stamp)
    return std::optional<std::string>();  // dropped meanwhile
  ++state_->damaged;
  LogWarning("the block cache: block ", std::string(sha256),
             " is damaged and fetched again: ", std::string(read.message()));
  DL_RETURN_IF_ERROR(state_->Drop(found->second));
  return std::optional<std::string>();
}

Status BlockCache::Put(std::string_view sha256, std::span<const std::byte> bytes) {
  if (!IsSha256Hex(sha256) || Sha256Hex(bytes) != sha256)
    return InvalidArgument({.message = "the content does not hash to its name; it was not kept",
                            .where = "block " + std::string(sha256.substr(0, 80))});
  const int64_t needed = static_cast<int64_t>(bytes.size()) + kFileOverheadBytes;
  MutexLock hold(state_->mutex);
  if (needed > state_->options.capacity_bytes || state_->by_name.contains(sha256))
    return absl::OkStatus();
  DL_RETURN_IF_ERROR(state_->MakeRoom(needed));
  const uint64_t stamp = state_->next_stamp++;
  DL_RETURN_IF_ERROR(state_->database->Ingest(
      needed, [&](TableWriter& table) { return table.Add(EntryKey(stamp, sha256), bytes); }));
  state_->Append({.sha256 = std::string(sha256), .stamp = stamp, .bytes = needed});
  return absl::OkStatus();
}

int64_t BlockCache::bytes() const {
  MutexLock hold(state_->mutex);
  return state_->bytes;
}

int64_t BlockCache::damaged() const {
  MutexLock hold(state_->mutex);
  return state_->damaged;
}

}  // namespace dl::storage
