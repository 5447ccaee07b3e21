// Blocks that clients upload, or find on the master, before a job names them. Blocks that no job
// ever names are deleted, for example because their client was killed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "master/gateway/expiry.h"
#include "rpc/messages.h"
#include "storage/content_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Uploads {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // these must outlive this object
    storage::ContentStore* blobs = nullptr;
    const Clock* clock = &Clock::Real();
  };
  explicit Uploads(Options options);

  // Returns those of `names` that are not stored. The others are kept as if they were uploaded now,
  // because the caller will not upload them. Returns errors of the stores.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names);

  // Stores all blocks of an upload, or none. Returns InvalidArgument if names, sizes and bytes do
  // not match, or if the content of a block does not match its name. Returns ResourceExhausted if
  // there are too many blocks or too little space. Also returns errors of the stores.
  Status Put(const rpc::PutBlocksRequest& request);

  // Records that durable manifests of a job name these blocks.
  void RecordNamed(std::span<const std::string> names);

  // Deletes blocks of deleted jobs, except those that clients uploaded or found stored: they are
  // kept until they are due. After an error of the stores a later call retries. REQUIRES: no job
  // names the blocks, and no job is submitted during the call.
  Status DeleteReleased(std::span<const std::string> names) DL_EXCLUDES(mutex_);

  // Deletes blocks that are due and that no manifest names. Returns their number. If a manifest
  // cannot be read, no block is deleted. After any error a later call retries. REQUIRES: no job is
  // submitted during the call.
  StatusOr<int64_t> CollectUnnamed(const Expiry& expiry);

 private:
  // Records the time of blocks durably. REQUIRES: the blocks are stored afterwards, so that a kill
  // leaves no stored block without a time.
  Status RecordBrought(std::span<const std::string> names) DL_EXCLUDES(mutex_);
  Status ForgetNotes(std::span<const std::string> names);

  const Options options_;
  // Held while blocks are deleted, so that Missing() never reports a block as stored that is being
  // deleted.
  Mutex mutex_;
  // Blocks that no known job names, with the latest wall-clock time of an upload or query. The
  // store has the latest time of an upload.
  std::map<std::string, int64_t, std::less<>> unnamed_ DL_GUARDED_BY(mutex_);
  // Other blocks that a client found stored, with the wall-clock time of the last query. The store
  // has no times of them while a job names them.
  std::map<std::string, int64_t, std::less<>> found_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
