// Deletes ended jobs. When a job ends and more ended jobs exist than allowed, deletes the jobs that
// ended first. Periodically deletes jobs that ended too long ago, uploaded
// blocks without a job, and checkpoints that were left for later (keys::DueCheckpoints). Has its
// own thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "master/gateway/actions.h"
#include "master/gateway/expiry.h"
#include "master/gateway/log_lines.h"
#include "storage/meta_store.h"

namespace dl::master {

inline constexpr Duration kUploadsKept = std::chrono::hours(7 * 24);

// Limits of retention. Independently of them, ended jobs stay if they have pinned checkpoints, if
// other jobs begin from or after them, or while a client reads them.
struct RetentionPolicy {
  // Number of ended jobs to keep, without those that have pinned checkpoints; 0: all.
  int64_t jobs = 0;
  Duration time = Duration::zero();  // how long a job is kept after its end; zero: forever
  Duration uploads = kUploadsKept;   // how long a block without a job is kept; more than zero
};

// Thread-safe.
class Retention {
 public:
  struct Options {
    RetentionPolicy kept;
    storage::MetaStore* meta = nullptr;  // these must outlive this object
    Actions* actions = nullptr;
    LogLines* log = nullptr;
  };
  // Starts the thread, which first completes the deletions of an earlier process.
  explicit Retention(Options options);
  ~Retention();

  // Must be called when a job has ended or was paused. The thread then deletes ended jobs beyond
  // the allowed number.
  void JobReleased(const std::string& job) DL_EXCLUDES(mutex_);

 private:
  struct Ended {
    std::string id;
    int64_t at_unix_ms = 0;  // 0: unknown
  };

  void Run() DL_EXCLUDES(mutex_);
  // Waits for released jobs, or until `next`. Returns the jobs that were released since the last
  // call in `released`. Returns false if the thread must end.
  bool Await(Instant next, std::vector<std::string>& released) DL_EXCLUDES(mutex_);
  // Returns the ended jobs whose state can be read, in the order of their submission. Returns
  // VersionMismatch for a record of a newer build, and errors of the store.
  StatusOr<std::vector<Ended>> AllEnded();
  // Keeps the jobs that ended last, as many as allowed, and all jobs with pinned checkpoints.
  // Deletes the others, except `released`: a job is never deleted in the same look in which it
  // ended. Returns when the next look is due; Instant::Max() if only an ended job requires it.
  Instant DeleteSurplus(const std::vector<std::string>& released);
  // Returns the jobs to be deleted because of their number, those that ended first before the
  // others. Returns an error if they are unknown.
  StatusOr<std::vector<Ended>> Surplus();
  void RecordEnds(const std::vector<std::string>& released);
  void DeleteExpired(const Expiry& expiry);
  void DeleteDueCheckpoints();
  // Returns false if the job stays, Unavailable if a later attempt may delete it. `why` is for the
  // log.
  StatusOr<bool> Delete(const Ended& job, const std::string& why);

  const Options options_;
  // Used by the thread: no ended job ended earlier than this. 0: unknown, records must be read.
  int64_t oldest_unix_ms_ = 0;

  Mutex mutex_;
  CondVar wake_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  std::vector<std::string> released_ DL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace dl::master
