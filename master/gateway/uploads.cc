#include "master/gateway/uploads.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/lower_hex.h"
#include "master/collection.h"
#include "master/core/record_keys.h"

namespace dl::master {
namespace {

// Number of keys in one batch of the store.
constexpr size_t kNotesInBatch = 10'000;

Status CheckBlocks(const rpc::PutBlocksRequest& request) {
  if (request.sha256.size() != request.sizes.size()) {
    return InvalidArgument({.message = absl::StrCat(request.sha256.size(), " names, but ",
                                                    request.sizes.size(), " sizes of blocks"),
                            .where = "sizes"});
  }
  if (static_cast<int64_t>(request.sha256.size()) > limits::kMaxPutBlocks) {
    return ResourceExhausted(
        {.message = absl::StrCat(request.sha256.size(), " blocks in one upload, but the limit is ",
                                 limits::kMaxPutBlocks),
         .where = "sha256",
         .remedy = "Split the upload."});
  }
  auto left = static_cast<int64_t>(request.bytes.size());
  for (const int64_t size : request.sizes) {
    if (size < 0 || size > left) {
      return InvalidArgument({.message = absl::StrCat("a block has ", size, " bytes, but only ",
                                                      left, " bytes are left in the upload"),
                              .where = "sizes"});
    }
    left -= size;
  }
  if (left == 0) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(left, " bytes of the upload belong to no block"), .where = "bytes"});
}

// Sets the time of a block, unless it has a later one: a clock that is wrong for a moment must not
// make a block old. Returns the time that it has now.
int64_t Renew(std::map<std::string, int64_t, std::less<>>& times, const std::string& name,
              int64_t unix_ms) {
  int64_t& time = times.try_emplace(name, unix_ms).first->second;
  return time = std::max(time, unix_ms);
}

}  // namespace

Uploads::Uploads(Options options) : options_(options) {
  MutexLock order(notes_);
  if (const Status read = ReadStoredTimes(); !read.ok())
    LogWarning("cannot read the list of blocks that belong to no job: ", DescribeError(read));
}

Status Uploads::ReadStoredTimes() {
  if (has_stored_times_) return absl::OkStatus();
  const std::string_view prefix = keys::kUploadedPrefix;
  std::map<std::string, int64_t, std::less<>> stored;
  DL_RETURN_IF_ERROR(options_.meta->Scan(prefix, [&](std::string_view key, std::string_view value) {
    int64_t unix_ms = 0;  // damaged: treated as old, deleted unless a manifest names it
    (void)absl::SimpleAtoi(absl::string_view(value.data(), value.size()), &unix_ms);
    stored.emplace(key.substr(prefix.size()), unix_ms);
    return absl::OkStatus();
  }));
  has_stored_times_ = true;
  MutexLock lock(mutex_);
  for (const auto& [name, unix_ms] : stored) {
    if (auto found = found_.extract(name); !found.empty()) unnamed_.insert(std::move(found));
    Renew(unnamed_, name, unix_ms);
  }
  return absl::OkStatus();
}

StatusOr<std::vector<std::string>> Uploads::Missing(std::span<const std::string> names) {
  const int64_t now = options_.clock->WallUnixMs();
  MutexLock lock(mutex_);
  DL_ASSIGN_OR_RETURN(std::vector<std::string> missing, options_.blobs->Missing(names));
  auto next = missing.begin();
  for (const std::string& name : names) {
    if (next != missing.end() && *next == name) {
      ++next;
    } else {
      Renew(unnamed_.contains(name) ? unnamed_ : found_, name, now);
    }
  }
  return missing;
}

Status Uploads::Put(const rpc::PutBlocksRequest& request) {
  DL_RETURN_IF_ERROR(CheckBlocks(request));
  std::vector<storage::Blob> blocks;
  auto rest = std::as_bytes(std::span(request.bytes));
  for (size_t i = 0; i < request.sizes.size(); ++i) {
    blocks.push_back({request.sha256[i], rest.first(request.sizes[i])});
    rest = rest.subspan(request.sizes[i]);
  }
  DL_RETURN_IF_ERROR(RecordBrought(request.sha256));
  return options_.blobs->Put(blocks);
}

Status Uploads::RecordBrought(std::span<const std::string> names) {
  MutexLock order(notes_);
  const int64_t now = options_.clock->WallUnixMs();
  storage::MetaBatch notes;
  {
    MutexLock lock(mutex_);
    for (const std::string& name : names) {
      if (!IsSha256Hex(name)) continue;
      notes.Put(keys::Uploaded(name), absl::StrCat(Renew(unnamed_, name, now)));
    }
  }
  return options_.meta->Write(notes);
}

void Uploads::RecordNamed(std::span<const std::string> names) {
  MutexLock order(notes_);
  std::vector<std::string> noted;
  {
    MutexLock lock(mutex_);
    for (const std::string& name : names) {
      if (unnamed_.erase(name) > 0) noted.push_back(name);
      found_.erase(name);
    }
  }
  // A note that could not be deleted is corrected when it is due.
  if (const Status forgotten = ForgetNotes(noted); !forgotten.ok())
    LogWarning("cannot record that blocks belong to a job: ", DescribeError(forgotten));
}

Status Uploads::ForgetNotes(std::span<const std::string> names) {
  for (size_t begin = 0; begin < names.size(); begin += kNotesInBatch) {
    storage::MetaBatch batch;
    for (const std::string& name :
         names.subspan(begin, std::min(kNotesInBatch, names.size() - begin)))
      batch.Delete(keys::Uploaded(name));
    DL_RETURN_IF_ERROR(options_.meta->Write(batch));
  }
  return absl::OkStatus();
}

Status Uploads::DeleteReleased(std::span<const std::string> names) {
  std::vector<std::string> going;
  storage::MetaBatch notes;
  MutexLock order(notes_);
  DL_RETURN_IF_ERROR(ReadStoredTimes());
  MutexLock lock(mutex_);
  for (const std::string& name : names) {
    if (unnamed_.contains(name)) continue;
    const auto found = found_.find(name);
    if (found == found_.end()) {
      going.push_back(name);
    } else {
      notes.Put(keys::Uploaded(name), absl::StrCat(found->second));
      if (notes.changes().size() == kNotesInBatch)
        DL_RETURN_IF_ERROR(options_.meta->Write(std::exchange(notes, {})));
    }
  }
  DL_RETURN_IF_ERROR(options_.meta->Write(notes));
  for (const std::string& name : names) {
    if (auto found = found_.extract(name); !found.empty()) unnamed_.insert(std::move(found));
  }
  return options_.blobs->Delete(going);
}

StatusOr<int64_t> Uploads::CollectUnnamed(const Expiry& expiry) {
  std::set<std::string> due;
  {
    MutexLock order(notes_);
    DL_RETURN_IF_ERROR(ReadStoredTimes());
    MutexLock lock(mutex_);
    std::erase_if(found_, [&](const auto& entry) { return expiry.IsDue(entry.second); });
    for (const auto& [name, unix_ms] : unnamed_) {
      if (expiry.IsDue(unix_ms)) due.insert(name);
    }
  }
  if (due.empty()) return 0;
  std::set<std::string> unnamed = due;
  // Read without the lock, because it takes long.
  DL_RETURN_IF_ERROR(EraseNamed(*options_.meta, {}, unnamed));
  std::vector<std::string> going, noted;
  MutexLock order(notes_);
  MutexLock lock(mutex_);
  for (const std::string& name : due) {
    const auto it = unnamed_.find(name);
    // A client asked for it meanwhile.
    if (it == unnamed_.end() || !expiry.IsDue(it->second)) continue;
    noted.push_back(name);
    if (unnamed.contains(name)) going.push_back(name);
  }
  DL_RETURN_IF_ERROR(options_.blobs->Delete(going));
  DL_RETURN_IF_ERROR(ForgetNotes(noted));
  for (const std::string& name : noted) unnamed_.erase(name);
  return static_cast<int64_t>(going.size());
}

}  // namespace dl::master
