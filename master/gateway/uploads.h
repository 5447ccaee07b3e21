// Blocks as clients bring them, before a job names them; and those that no job came to name, whose
// space is given back: their client was killed, or thought better of it.
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
#include "storage/blob_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Uploads {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // these outlive it
    storage::BlobStore* blobs = nullptr;
    const Clock* clock = &Clock::Real();
  };
  explicit Uploads(Options options);

  // Those of `names` that are not stored. The others stay from now on as if they were brought now:
  // whoever asks does not bring them.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names);

  // All of an upload's blocks, or none. InvalidArgument when names, sizes and bytes are not of the
  // same blocks, or one is not what its name says; ResourceExhausted.
  Status Put(const rpc::PutBlocksRequest& request);

  // The manifests of a job, which are durable, name them.
  void NoteNamed(std::span<const std::string> names);

  // Deletes those that are due and that no manifest names. REQUIRES: no job is submitted meanwhile.
  // Answers how many; after an error none is gone, and a later call tries again.
  StatusOr<int64_t> CollectUnnamed(const Expiry& expiry);

 private:
  // They stay as if they were brought now.
  void KeepFor(std::span<const std::string> names) DL_EXCLUDES(mutex_);
  // Writes down since when they are there. REQUIRES: they are stored behind it, so that a kill
  // leaves no block of which nobody knows.
  Status NoteBrought(std::span<const std::string> names) DL_EXCLUDES(mutex_);
  Status ForgetNotes(std::span<const std::string> names);

  const Options options_;
  // Held while blocks are deleted: nobody is told that one is there which goes.
  Mutex mutex_;
  // Those that no job is known to name, and what the machine's clock showed when somebody last
  // brought them or asked for them. The store has when they came.
  std::map<std::string, int64_t, std::less<>> unnamed_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
