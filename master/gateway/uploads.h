// Blocks of datasets and initial weights that clients bring before they submit a job that names
// them. A client asks which blocks the master lacks (Missing) and uploads these (Put). Blocks that
// no job names are deleted after a time, for example if their client was killed.
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
#include "master/gateway/unnamed_blocks.h"
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
    UnnamedBlocks::Bounds bounds = {};
  };
  // Reads the stored notes of uploads, without those of blocks that are not stored. If that fails,
  // it logs a warning, and the next call of DeleteReleased() or CollectUnnamed() reads them.
  explicit Uploads(Options options);

  // Returns the names of blocks that are not stored or were found damaged, in the order of `names`.
  // The other blocks are kept as if they were uploaded now, because the caller will not upload
  // them. A restart of the master forgets this. Returns errors of the store of blocks.
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names);

  // Stores all blocks of an upload, or none. Returns InvalidArgument if names, sizes and bytes do
  // not match, or if the content of a block does not match its name; no name is then recorded.
  // Returns ResourceExhausted if there are too many blocks or too little space, or if the blocks
  // that no job names exceed a limit (UnnamedBlocks). Also returns errors of the stores.
  Status Put(const rpc::PutBlocksRequest& request);

  // Records that a job names these blocks, and forgets when clients uploaded or found them. If that
  // job is deleted and no other job names the blocks, a client that relied on them has to upload
  // them again. REQUIRES: the job's manifests are durable.
  void RecordNamed(std::span<const std::string> names);

  // Deletes these blocks of deleted jobs. Blocks that a client uploaded or found stored since a job
  // last named them remain until CollectUnnamed deletes them. A block that was only found stored is
  // deleted nevertheless if it would exceed a limit (UnnamedBlocks); its client has to upload it
  // again. After an error of the stores, the call may be repeated with the same names. REQUIRES: no
  // job names the blocks, and no job is submitted during the call.
  Status DeleteReleased(std::span<const std::string> names) DL_EXCLUDES(mutex_);

  // Deletes blocks that no job names and whose last upload or Missing() is due (Expiry::IsDue). The
  // first call after a start also deletes the notes of blocks that are not stored. Returns the
  // number of deleted blocks. If a manifest cannot be read, no block is deleted. After any error, a
  // later call retries. REQUIRES: no job is submitted during the call.
  StatusOr<int64_t> CollectUnnamed(const Expiry& expiry);

 private:
  // Reads the stored notes of uploads, unless they were read before.
  Status ReadStoredNotes() DL_REQUIRES(notes_) DL_EXCLUDES(mutex_);
  // Deletes the notes of blocks that are not stored, if ReadStoredNotes() found any.
  Status DeleteStaleNotes() DL_REQUIRES(notes_) DL_EXCLUDES(mutex_);
  // Records durably that the blocks of `request` are uploaded now, and charges them to its caller.
  // REQUIRES: their contents match their names, and they are stored after this call. A kill in
  // between leaves the note of a block that is not stored, which is deleted after a start. The
  // other order could leave a stored block without a note.
  Status RecordUploaded(const rpc::PutBlocksRequest& request) DL_EXCLUDES(mutex_);
  // Stores the notes of these blocks. REQUIRES: all are in `unnamed_`.
  Status WriteNotes(std::span<const std::string> names) DL_REQUIRES(notes_, mutex_);
  // Deletes the stored notes of these blocks.
  Status DeleteNotes(std::span<const std::string> names) DL_REQUIRES(notes_);

  const Options options_;
  // Held from a change of a note until it is in the meta store, so that the store gets these
  // changes in the same order. Missing() changes times without it, because its changes are not
  // stored. Locked before `mutex_`.
  Mutex notes_;
  bool has_stored_notes_ DL_GUARDED_BY(notes_) = false;
  bool has_stale_notes_ DL_GUARDED_BY(notes_) = false;  // DeleteStaleNotes() has work to do
  // Held while blocks are deleted, so that Missing() never reports a block as stored that is being
  // deleted.
  Mutex mutex_;
  // Blocks that no job is known to name. The meta store has a note of the last upload of each.
  UnnamedBlocks unnamed_ DL_GUARDED_BY(mutex_);
  // Other blocks that a client found stored, each with the wall-clock time in milliseconds of its
  // last query. The meta store has no notes of these blocks, because jobs name them.
  std::map<std::string, int64_t, std::less<>> found_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
