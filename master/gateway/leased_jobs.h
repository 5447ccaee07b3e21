// Of which jobs a session has been given work: whoever has a token for executors reads the
// documents of these, and of no others.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "base/mutex.h"
#include "rpc/messages_fwd.h"

namespace dl::master {

// Thread-safe. Of more sessions than a server knows (limits::kMaxKnownSessions) the oldest are
// forgotten: they are long over.
class LeasedJobs {
 public:
  // What the master's answer asks of the session.
  void Note(uint64_t session, const rpc::LeaseReply& reply) DL_EXCLUDES(mutex_);
  void Note(uint64_t session, const rpc::HeartbeatReply& reply) DL_EXCLUDES(mutex_);
  void Forget(uint64_t session) DL_EXCLUDES(mutex_);

  bool Has(uint64_t session, const std::string& job) const DL_EXCLUDES(mutex_);

 private:
  void NoteJob(uint64_t session, const std::string& job) DL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<uint64_t, std::set<std::string>> jobs_ DL_GUARDED_BY(mutex_);
  std::deque<uint64_t> order_ DL_GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace dl::master
