#include "master/gateway/leased_jobs.h"

#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::master {

void LeasedJobs::Note(uint64_t session, const rpc::LeaseReply& reply) {
  MutexLock lock(mutex_);
  for (const rpc::Lease& lease : reply.leases) {
    NoteJob(session, lease.unit.job);
    if (lease.has_hint) NoteJob(session, lease.hint.job);
  }
  for (const rpc::Gather& gather : reply.gathers) NoteJob(session, gather.job);
}

// An executor that holds results may have dropped the job that they are of.
void LeasedJobs::Note(uint64_t session, const rpc::HeartbeatReply& reply) {
  MutexLock lock(mutex_);
  for (const rpc::Gather& gather : reply.gathers) NoteJob(session, gather.job);
}

void LeasedJobs::Forget(uint64_t session) {
  MutexLock lock(mutex_);
  if (jobs_.erase(session) > 0) std::erase(order_, session);
}

bool LeasedJobs::Has(uint64_t session, const std::string& job) const {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(session);
  return found != jobs_.end() && found->second.contains(job);
}

void LeasedJobs::NoteJob(uint64_t session, const std::string& job) {
  const auto [place, fresh] = jobs_.try_emplace(session);
  place->second.insert(job);
  if (!fresh) return;
  order_.push_back(session);
  if (static_cast<int64_t>(order_.size()) <= limits::kMaxKnownSessions) return;
  jobs_.erase(order_.front());
  order_.pop_front();
}

}  // namespace dl::master
