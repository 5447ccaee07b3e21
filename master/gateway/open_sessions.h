// Open sessions of executors: the process that owns each, and the jobs for which it got work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/mutex.h"
#include "master/core/master_events.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::master {

// Has an entry from the core's SessionBegan to its SessionEnded, so its size is bounded by the
// core's limit of sessions. Thread-safe.
class OpenSessions {
 public:
  void Do(const SessionBegan& effect) DL_EXCLUDES(mutex_);
  void Do(const SessionEnded& effect) DL_EXCLUDES(mutex_);

  // Records the jobs for which the answer gives work: leases, hints and gathers. The session may
  // read the documents of these jobs and of no others. Does nothing if the session is not open.
  void RecordWork(uint64_t session, const rpc::LeaseReply& reply) DL_EXCLUDES(mutex_);
  void RecordWork(uint64_t session, const rpc::HeartbeatReply& reply) DL_EXCLUDES(mutex_);
  // Returns whether such an answer gave work for the job to the session.
  bool HasJob(uint64_t session, const std::string& job) const DL_EXCLUDES(mutex_);

  // Returns the process that owns the session; nullopt if the session is not open.
  std::optional<rpc::SessionHolder> Find(uint64_t session) const DL_EXCLUDES(mutex_);
  int64_t size() const DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    rpc::SessionHolder holder;
    std::set<std::string> jobs;
  };
  void RecordJob(uint64_t session, const std::string& job) DL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<uint64_t, Entry> sessions_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
