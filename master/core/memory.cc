// Whose memory holds what (core.h says the rules).
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "nn/conf/contract_id.h"

namespace dl::master {
namespace {

// In MiB, so that what does not fit shows as more than what there is.
int64_t MebibytesUp(int64_t bytes) { return (bytes + (int64_t{1} << 20) - 1) >> 20; }
int64_t MebibytesDown(int64_t bytes) { return bytes >> 20; }

}  // namespace

int64_t Core::MemoryOf(const Session& session) {
  const int64_t said = session.who.unit_memory_bytes;
  return said > 0 ? said : std::numeric_limits<int64_t>::max();
}

bool Core::Holds(const Session& session, const Job& job) {
  return job.definition.unit_bytes <= MemoryOf(session);
}

// What the units leave that it has leased. A unit whose lease has ended, and whose thread has not
// come back, is not counted: its slot is not asked for either.
int64_t Core::RoomOf(const Session& session) const {
  int64_t room = MemoryOf(session);
  if (session.who.unit_memory_bytes <= 0) return room;
  for (const std::string& id : leased_jobs_) {
    const Job& job = jobs_.at(id);
    room -= job.board.held_by(session.id) * job.definition.unit_bytes;
  }
  return room;
}

// A lease of the session has ended: it may have room for what it waits for.
void Core::NoteRoom(uint64_t session) {
  const Session* found = FindSession(session);
  if (found == nullptr || found->parked == 0 || found->who.unit_memory_bytes <= 0) return;
  ask_again_.insert(found->parked);
}

// It might compute units of the job, if its memory held one.
bool Core::WouldCount(const Session& session, const Job& job) const {
  if (job.record.contract.empty()) return OffersWhatIsAsked(session, job);
  return nn::OffersContract(session.who.contract, job.record.contract) &&
         !quarantined_.contains(session.who.executor);
}

Core::TooSmall Core::TooSmallFor(const Job& job) const {
  TooSmall executors;
  for (const auto& [id, session] : sessions_) {
    if (Holds(session, job) || !WouldCount(session, job)) continue;
    executors.names.push_back(session.who.executor);
    executors.largest = std::max(executors.largest, MemoryOf(session));
  }
  return executors;
}

std::string Core::WhyTooSmall(const Job& job, const TooSmall& executors) {
  return absl::StrCat("a unit takes up to ", MebibytesUp(job.definition.unit_bytes),
                      " MiB of memory, and the largest of ", executors.names.size(),
                      executors.names.size() == 1 ? " executor" : " executors", " has ",
                      MebibytesDown(executors.largest),
                      " MiB for units, which is half of its --memory");
}

// InvalidArgument: nobody will ever compute it.
Status Core::FitsAnywhere(const JobDefinition& definition) const {
  if (options_.only_unit_memory == 0 || definition.unit_bytes <= options_.only_unit_memory)
    return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("a unit of the job takes up to ", MebibytesUp(definition.unit_bytes),
                               " MiB of memory, and this machine, which computes it alone, has ",
                               MebibytesDown(options_.only_unit_memory), " MiB"),
       .where = "training.batch_size",
       .remedy = "Use a smaller batch or model, or submit it to a cluster with a larger machine"});
}

void Core::CountEligible(const Session& session, int64_t change) {
  auto& by_memory = eligible_[session.who.contract];
  int64_t& sessions = by_memory[MemoryOf(session)];
  sessions += change;
  if (sessions == 0) by_memory.erase(MemoryOf(session));
  if (by_memory.empty()) eligible_.erase(session.who.contract);
}

Status Core::CheckMemory() const {
  std::map<uint64_t, int64_t> leased;
  for (const auto& [id, job] : jobs_) {
    for (const auto& [index, unit] : job.units) {
      for (const UnitLease& lease : unit.leases) leased[lease.session] += job.definition.unit_bytes;
    }
  }
  for (const auto& [id, bytes] : leased) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || bytes <= MemoryOf(session->second)) continue;
    return Internal({.message = "an executor has leases that its memory does not hold",
                     .where = session->second.who.executor});
  }
  return absl::OkStatus();
}

}  // namespace dl::master
