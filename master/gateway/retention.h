// Deletes jobs that ended: the oldest, as far as there are more than are kept, whenever one ends;
// and from time to time those that ended longer ago than they are kept, and what was uploaded for
// no job. On a thread of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "master/gateway/actions.h"
#include "master/gateway/expiry.h"
#include "master/gateway/log_lines.h"
#include "storage/meta_store.h"

namespace dl::master {

inline constexpr Duration kUploadsKept = std::chrono::hours(7 * 24);

// What stays. Jobs that ended do, whatever it says, where they have pinned checkpoints or others
// begin from them.
struct Kept {
  int64_t jobs = 0;                  // so many that ended; 0: all
  Duration time = Duration::zero();  // so long; zero: for ever
  Duration uploads = kUploadsKept;   // blocks that no job names, so long
};

// Thread-safe.
class Retention {
 public:
  struct Options {
    Kept kept;
    storage::MetaStore* meta = nullptr;  // these outlive it
    Actions* actions = nullptr;
    LogLines* log = nullptr;
  };
  // Begins with what an earlier life did not come to.
  explicit Retention(Options options);
  ~Retention();

  // It ended, or rests.
  void JobReleased(const std::string& job) DL_EXCLUDES(mutex_);

 private:
  struct Ended {
    std::string id;
    int64_t at_unix_ms = 0;  // 0: nobody knows
  };

  void Run() DL_EXCLUDES(mutex_);
  // Jobs that were released since the last call. It waits for some, or until `next`. False: this is
  // over.
  bool Await(Instant next, std::vector<std::string>& released) DL_EXCLUDES(mutex_);
  // All that ended, as they were submitted.
  std::vector<Ended> AllEnded();
  void DeleteSurplus();
  void NoteEnds(const std::vector<std::string>& released);
  void DeleteExpired(const Expiry& expiry);
  // False where it stays. `why` is for the log.
  bool Delete(const Ended& job, const std::string& why);

  const Options options_;
  // Of the thread: none that is there ended earlier; 0: they have to be looked at.
  int64_t oldest_unix_ms_ = 0;

  Mutex mutex_;
  CondVar wake_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  std::vector<std::string> released_ DL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace dl::master
