#include "master/gateway/uploads.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/lower_hex.h"
#include "base/utf8.h"
#include "master/collection.h"
#include "master/core/record_keys.h"

namespace dl::master {
namespace {

// Number of keys in one batch of the store.
constexpr size_t kNotesInBatch = 10'000;
// Number of notes of blocks that are not stored that are held in memory at a time.
constexpr size_t kStaleNotesAtOnce = 200'000;

// Returns the blocks of the request, which refer to its bytes.
StatusOr<std::vector<storage::Blob>> SplitIntoBlocks(const rpc::PutBlocksRequest& request) {
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
  std::vector<storage::Blob> blocks;
  auto left = std::as_bytes(std::span(request.bytes));
  for (size_t i = 0; i < request.sizes.size(); ++i) {
    const int64_t size = request.sizes[i];
    if (size < 0 || size > static_cast<int64_t>(left.size())) {
      return InvalidArgument({.message = absl::StrCat("a block has ", size, " bytes, but only ",
                                                      left.size(), " bytes are left in the upload"),
                              .where = "sizes"});
    }
    blocks.push_back({request.sha256[i], left.first(static_cast<size_t>(size))});
    left = left.subspan(static_cast<size_t>(size));
  }
  if (left.empty()) return blocks;
  return InvalidArgument(
      {.message = absl::StrCat(left.size(), " bytes of the upload belong to no block"),
       .where = "bytes"});
}

// The store checks this too, but only when the names are recorded.
Status CheckContents(std::span<const storage::Blob> blocks) {
  for (const storage::Blob& block : blocks) {
    if (Sha256Hex(block.bytes) != block.sha256) {
      return InvalidArgument(
          {.message = "the content does not match its SHA-256 name, so it was not stored",
           .where = "block " + std::string(Utf8Prefix(block.sha256, 64))});
    }
  }
  return absl::OkStatus();
}

}  // namespace

Uploads::Uploads(Options options) : options_(options), unnamed_(options.bounds) {
  MutexLock order(notes_);
  if (const Status read = ReadStoredNotes(); !read.ok())
    LogWarning("cannot read the list of blocks that belong to no job: ", DescribeError(read));
}

Status Uploads::ReadStoredNotes() {
  if (has_stored_notes_) return absl::OkStatus();
  const std::string_view prefix = keys::kUploadedPrefix;
  std::map<std::string, std::string> stored;
  bool has_stale = false;
  std::vector<std::string> names, notes;  // not yet in `stored`
  const auto keep_stored = [&]() -> Status {
    DL_ASSIGN_OR_RETURN(const std::vector<std::string> missing, options_.blobs->Missing(names));
    has_stale |= !missing.empty();
    auto next = missing.begin();
    for (size_t i = 0; i < names.size(); ++i) {
      if (next != missing.end() && *next == names[i])
        ++next;
      else
        stored.insert_or_assign(std::move(names[i]), std::move(notes[i]));
    }
    names.clear();
    notes.clear();
    return absl::OkStatus();
  };
  DL_RETURN_IF_ERROR(options_.meta->Scan(prefix, [&](std::string_view key, std::string_view note) {
    key.remove_prefix(prefix.size());
    if (!IsSha256Hex(key)) return absl::OkStatus();
    names.emplace_back(key);
    notes.emplace_back(note);
    return names.size() < kNotesInBatch ? absl::OkStatus() : keep_stored();
  }));
  DL_RETURN_IF_ERROR(keep_stored());
  has_stored_notes_ = true;
  has_stale_notes_ = has_stale;
  MutexLock lock(mutex_);
  for (const auto& [name, note] : stored) {
    unnamed_.Restore(name, note);
    if (const auto found = found_.extract(name); !found.empty())
      unnamed_.Renew(name, found.mapped());
  }
  return absl::OkStatus();
}

Status Uploads::DeleteStaleNotes() {
  const std::string_view prefix = keys::kUploadedPrefix;
  while (has_stale_notes_) {
    std::vector<std::string> names;
    const Status scanned = options_.meta->Scan(prefix, [&](std::string_view key, std::string_view) {
      key.remove_prefix(prefix.size());
      MutexLock lock(mutex_);
      if (IsSha256Hex(key) && !unnamed_.Contains(key)) names.emplace_back(key);
      return names.size() < kStaleNotesAtOnce ? absl::OkStatus() : absl::CancelledError();
    });
    const bool is_full = names.size() == kStaleNotesAtOnce;
    if (!is_full) DL_RETURN_IF_ERROR(scanned);
    DL_RETURN_IF_ERROR(DeleteNotes(names));
    has_stale_notes_ = is_full;
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
    } else if (!unnamed_.Renew(name, now)) {
      int64_t& time = found_.try_emplace(name, now).first->second;
      time = std::max(time, now);  // as UnnamedBlocks::Renew
    }
  }
  return missing;
}

Status Uploads::Put(const rpc::PutBlocksRequest& request) {
  DL_ASSIGN_OR_RETURN(const std::vector<storage::Blob> blocks, SplitIntoBlocks(request));
  DL_RETURN_IF_ERROR(CheckContents(blocks));
  DL_RETURN_IF_ERROR(RecordUploaded(request));
  return options_.blobs->Put(blocks);
}

Status Uploads::RecordUploaded(const rpc::PutBlocksRequest& request) {
  std::vector<UnnamedBlocks::Block> blocks;
  for (size_t i = 0; i < request.sha256.size(); ++i)
    blocks.push_back({.name = request.sha256[i], .bytes = request.sizes[i]});
  const security::Identity& by = request.by;
  MutexLock order(notes_);
  const int64_t now = options_.clock->WallUnixMs();
  storage::MetaBatch notes;
  {
    MutexLock lock(mutex_);
    DL_RETURN_IF_ERROR(unnamed_.Add(blocks, by.token.empty() ? by.owner : by.token, now));
    for (const std::string& name : request.sha256)
      notes.Put(keys::Uploaded(name), unnamed_.NoteText(name));
  }
  return options_.meta->Write(notes);
}

void Uploads::RecordNamed(std::span<const std::string> names) {
  MutexLock order(notes_);
  std::vector<std::string> noted;
  {
    MutexLock lock(mutex_);
    for (const std::string& name : names) {
      if (unnamed_.Erase(name)) noted.push_back(name);
      found_.erase(name);
    }
  }
  // A note that could not be deleted is corrected when it is due.
  if (const Status forgotten = DeleteNotes(noted); !forgotten.ok())
    LogWarning("cannot record that blocks belong to a job: ", DescribeError(forgotten));
}

Status Uploads::DeleteNotes(std::span<const std::string> names) {
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
  std::vector<std::string> going, kept;
  MutexLock order(notes_);
  DL_RETURN_IF_ERROR(ReadStoredNotes());
  MutexLock lock(mutex_);
  for (const std::string& name : names) {
    if (unnamed_.Contains(name)) continue;
    const auto found = found_.find(name);
    const UnnamedBlocks::Block block{.name = name};
    // Beyond the limits, a client has to upload the block again.
    if (found == found_.end() || !unnamed_.Add({&block, 1}, "", found->second).ok())
      going.push_back(name);
    else
      kept.push_back(name);
  }
  if (const Status written = WriteNotes(kept); !written.ok()) {
    for (const std::string& name : kept) unnamed_.Erase(name);
    return written;
  }
  for (const std::string& name : names) found_.erase(name);
  return options_.blobs->Delete(going);
}

Status Uploads::WriteNotes(std::span<const std::string> names) {
  for (size_t begin = 0; begin < names.size(); begin += kNotesInBatch) {
    storage::MetaBatch batch;
    for (const std::string& name :
         names.subspan(begin, std::min(kNotesInBatch, names.size() - begin)))
      batch.Put(keys::Uploaded(name), unnamed_.NoteText(name));
    DL_RETURN_IF_ERROR(options_.meta->Write(batch));
  }
  return absl::OkStatus();
}

StatusOr<int64_t> Uploads::CollectUnnamed(const Expiry& expiry) {
  std::set<std::string> due;
  {
    MutexLock order(notes_);
    DL_RETURN_IF_ERROR(ReadStoredNotes());
    DL_RETURN_IF_ERROR(DeleteStaleNotes());
    MutexLock lock(mutex_);
    std::erase_if(found_, [&](const auto& entry) { return expiry.IsDue(entry.second); });
    unnamed_.ForEach([&](const std::string& name, int64_t unix_ms) {
      if (expiry.IsDue(unix_ms)) due.insert(name);
    });
  }
  if (due.empty()) return 0;
  std::set<std::string> unnamed = due;
  // Read without the lock, because it takes long.
  DL_RETURN_IF_ERROR(EraseNamed(*options_.meta, {}, unnamed));
  std::vector<std::string> going, noted;
  MutexLock order(notes_);
  MutexLock lock(mutex_);
  for (const std::string& name : due) {
    const std::optional<int64_t> unix_ms = unnamed_.TimeOf(name);
    if (!unix_ms || !expiry.IsDue(*unix_ms)) continue;  // a client asked for it meanwhile
    noted.push_back(name);
    if (unnamed.contains(name)) going.push_back(name);
  }
  DL_RETURN_IF_ERROR(options_.blobs->Delete(going));
  DL_RETURN_IF_ERROR(DeleteNotes(noted));
  for (const std::string& name : noted) unnamed_.Erase(name);
  return static_cast<int64_t>(going.size());
}

}  // namespace dl::master
