#include "master/gateway/open_sessions.h"

#include "rpc/messages.h"

namespace dl::master {

void OpenSessions::Do(const SessionBegan& effect) {
  MutexLock lock(mutex_);
  sessions_[effect.session].holder = {effect.holder, effect.executor};
}

void OpenSessions::Do(const SessionEnded& effect) {
  MutexLock lock(mutex_);
  sessions_.erase(effect.session);
}

void OpenSessions::RecordWork(uint64_t session, const rpc::LeaseReply& reply) {
  MutexLock lock(mutex_);
  for (const rpc::Lease& lease : reply.leases) {
    RecordJob(session, lease.unit.job);
    if (lease.has_hint) RecordJob(session, lease.hint.job);
  }
  for (const rpc::Gather& gather : reply.gathers) RecordJob(session, gather.job);
}

// An executor that holds results may have dropped the documents of their job.
void OpenSessions::RecordWork(uint64_t session, const rpc::HeartbeatReply& reply) {
  MutexLock lock(mutex_);
  for (const rpc::Gather& gather : reply.gathers) RecordJob(session, gather.job);
}

bool OpenSessions::HasJob(uint64_t session, const std::string& job) const {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second.jobs.contains(job);
}

std::optional<rpc::SessionHolder> OpenSessions::Find(uint64_t session) const {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return std::nullopt;
  return found->second.holder;
}

int64_t OpenSessions::size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(sessions_.size());
}

void OpenSessions::RecordJob(uint64_t session, const std::string& job) {
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) found->second.jobs.insert(job);
}

}  // namespace dl::master
