#include "storage/block_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <list>
#include <map>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/closed_folder.h"
#include "base/fail_point.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/log.h"
#include "base/lower_hex.h"
#include "base/mutex.h"
#include "base/system_error.h"
#include "storage/folder_lock.h"
#include "storage/free_space.h"
#include "storage/store_format.h"

namespace dl::storage {
namespace {

// Each block is a file, DIR/blocks/STAMP-SHA256. Dropping a block frees its space immediately, and
// Open learns the blocks and their order of insertion from the names. The order of use is kept only
// in memory. Schema 1 was a database.
constexpr StoreFormat kCacheFormat{.kind = "cache", .schema = 2, .oldest = 1};
constexpr size_t kStampDigits = 16, kNameDigits = 64;
// Space that the file system needs for a file in addition to its bytes.
constexpr int64_t kFileOverheadBytes = 4096;

struct Entry {
  std::string sha256;
  uint64_t stamp = 0;
  int64_t bytes = 0;
};

std::string FileName(uint64_t stamp, std::string_view sha256) {
  return absl::StrFormat("%016x-%s", stamp, std::string(sha256));
}

// Returns nullopt for a file that is not a block, such as one that was being written.
std::optional<Entry> EntryOf(const std::string& name) {
  Entry entry;
  if (name.size() != kStampDigits + 1 + kNameDigits || name[kStampDigits] != '-' ||
      !absl::SimpleHexAtoi(name.substr(0, kStampDigits), &entry.stamp))
    return std::nullopt;
  entry.sha256 = name.substr(kStampDigits + 1);
  return IsSha256Hex(entry.sha256) ? std::optional(std::move(entry)) : std::nullopt;
}

// Does not sync: a file that a power cut damaged does not hash to its name.
Status WriteWhole(const std::string& path, std::span<const std::byte> bytes) {
  DL_RETURN_IF_ERROR(FailPoint("store.write"));
  const std::string unfinished = path + ".new";
  FileDescriptor file(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return CreationError(errno, "make a file of the block cache", path);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t done = write(file.get(), bytes.data(), bytes.size());
    if (done > 0) bytes = bytes.subspan(static_cast<size_t>(done));
    if (done < 0 && errno != EINTR) error = errno;
  }
  if (error == 0 && rename(unfinished.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  unlink(unfinished.c_str());
  return SystemError(error, "write a file of the block cache", path);
}

}  // namespace

struct BlockCache::State {
  BlockCacheOptions options;
  std::string dir;
  FileDescriptor lock;

  mutable Mutex mutex;
  std::list<Entry> by_use DL_GUARDED_BY(mutex);  // least recently used first
  std::map<std::string, std::list<Entry>::iterator, std::less<>> by_name DL_GUARDED_BY(mutex);
  std::atomic<int64_t> bytes{
      0};  // changed under the mutex, which calls that wait for the disk hold
  uint64_t next_stamp DL_GUARDED_BY(mutex) = 0;
  int64_t damaged DL_GUARDED_BY(mutex) = 0;

  std::string FileOf(uint64_t stamp, std::string_view sha256) const {
    return dir + "/blocks/" + FileName(stamp, sha256);
  }
  void Append(Entry entry) DL_REQUIRES(mutex) {
    bytes += entry.bytes;
    by_use.push_back(std::move(entry));
    by_name[by_use.back().sha256] = std::prev(by_use.end());
  }
  Status Drop(std::list<Entry>::iterator entry) DL_REQUIRES(mutex) {
    const std::string file = FileOf(entry->stamp, entry->sha256);
    if (unlink(file.c_str()) != 0 && errno != ENOENT)
      return SystemError(errno, "delete a file of the block cache", file);
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
  Status LoadEntries() DL_EXCLUDES(mutex);
};

Status BlockCache::State::LoadEntries() {
  std::vector<Entry> entries;
  std::error_code error;
  const std::string folder = dir + "/blocks";
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    std::optional<Entry> entry = EntryOf(it->path().filename().string());
    const auto size = std::filesystem::file_size(it->path(), gone);
    if (!entry || gone) {
      std::filesystem::remove(it->path(), gone);
      continue;
    }
    entry->bytes = static_cast<int64_t>(size) + kFileOverheadBytes;
    entries.push_back(*std::move(entry));
  }
  if (error) return SystemError(error.value(), "list the block cache", folder);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.stamp < b.stamp; });
  MutexLock hold(mutex);
  for (Entry& entry : entries) {
    next_stamp = entry.stamp + 1;
    if (!by_name.contains(entry.sha256)) Append(std::move(entry));
  }
  return MakeRoom(0);
}

BlockCache::BlockCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockCache::~BlockCache() = default;

StatusOr<std::unique_ptr<BlockCache>> BlockCache::Open(const std::string& dir,
                                                       const BlockCacheOptions& options) {
  DL_RETURN_IF_ERROR(CheckFormat(dir, kCacheFormat));
  DL_RETURN_IF_ERROR(CreateSecretFolder(dir));
  auto state = std::make_unique<State>();
  state->options = options;
  state->dir = dir;
  DL_ASSIGN_OR_RETURN(state->lock, LockFolder(dir));
  if (RequireFormat(dir, kCacheFormat).ok()) {
    std::error_code ignored;  // files of schema 1 that cannot be removed only take space
    for (const char* old : {"/db", "/staging"}) std::filesystem::remove_all(dir + old, ignored);
  }
  DL_RETURN_IF_ERROR(EnsureFormat(dir, kCacheFormat));
  DL_RETURN_IF_ERROR(CreateClosedFolder(dir + "/blocks"));
  DL_RETURN_IF_ERROR(state->LoadEntries());
  return std::unique_ptr<BlockCache>(new BlockCache(std::move(state)));
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
  StatusOr<std::string> content = ReadFile(state_->FileOf(stamp, sha256), limits::kMaxBlockBytes);
  if (content.ok() && Sha256Hex(*content) == sha256)
    return std::optional<std::string>(*std::move(content));
  if (IsShortage(content.status())) return content.status();
  const std::string why = content.ok() ? "the bytes do not match the SHA-256 name"
                                       : std::string(content.status().message());

  MutexLock hold(state_->mutex);
  const auto found = state_->by_name.find(sha256);
  if (found == state_->by_name.end() || found->second->stamp != stamp)
    return std::optional<std::string>();  // dropped by another thread
  ++state_->damaged;
  LogWarning("the block cache: block ", std::string(sha256),
             " is damaged and fetched again: ", why);
  DL_RETURN_IF_ERROR(state_->Drop(found->second));
  return std::optional<std::string>();
}

Status BlockCache::Put(std::string_view sha256, std::span<const std::byte> bytes) {
  if (!IsSha256Hex(sha256) || Sha256Hex(bytes) != sha256)
    return InvalidArgument(
        {.message = "the content does not match its SHA-256 name, so it was not cached",
         .where = "block " + std::string(sha256.substr(0, 80))});
  const int64_t needed = static_cast<int64_t>(bytes.size()) + kFileOverheadBytes;
  MutexLock hold(state_->mutex);
  if (needed > state_->options.capacity_bytes || state_->by_name.contains(sha256))
    return absl::OkStatus();
  DL_RETURN_IF_ERROR(state_->MakeRoom(needed));
  const uint64_t stamp = state_->next_stamp++;
  DL_RETURN_IF_ERROR(RequireFreeBytes(state_->dir, needed + state_->options.min_free_bytes));
  DL_RETURN_IF_ERROR(WriteWhole(state_->FileOf(stamp, sha256), bytes));
  state_->Append({.sha256 = std::string(sha256), .stamp = stamp, .bytes = needed});
  return absl::OkStatus();
}

const std::string& BlockCache::dir() const { return state_->dir; }

int64_t BlockCache::bytes() const { return state_->bytes; }

int64_t BlockCache::damaged() const {
  MutexLock hold(state_->mutex);
  return state_->damaged;
}

}  // namespace dl::storage
