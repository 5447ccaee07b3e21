// A master core with simulated peers. Executors and users are calls of the test, and the engine
// answers when the test says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "master/gateway/announcement_parsing.h"
#include "tests/unit/master_core/driven_core.h"

namespace dl::master {

class CoreHarness : public DrivenCore {
 public:
  explicit CoreHarness(CoreOptions options = {}) : DrivenCore(options) {}

  // A job of two workers with two examples each. An epoch is one round.
  static JobDefinition Definition();

  uint64_t Register(const std::string& executor, rpc::RegisterRequest rest = {});
  struct Source {
    std::string resume_from, init_from;
    std::string owner;
    rpc::Scheduling scheduling;
  };
  StatusOr<std::string> Submit(JobDefinition definition, const std::string& request_id = "r1") {
    return Submit(std::move(definition), request_id, {});
  }
  StatusOr<std::string> Submit(JobDefinition definition, const std::string& request_id,
                               Source source);
  StatusOr<std::string> Act(rpc::JobActionRequest request);
  // Retention looks for checkpoints that are due.
  Status Prune(const std::string& job);
  Json Query(const std::string& what, const std::string& job);
  std::vector<rpc::Lease> LeaseUnits(uint64_t session, int32_t slots = 1);
  // Parks a request for work. LeasesOf returns the leases that the last event gave to it.
  uint64_t Park(uint64_t session, int32_t slots = 8);
  std::vector<rpc::Lease> LeasesOf(uint64_t parked) const;
  rpc::HeartbeatReply Heartbeat(uint64_t session, std::vector<rpc::UnitProgress> running = {});
  // Returns the ticket that the executor would have got with this lease.
  uint64_t TicketOf(const std::string& executor, const rpc::Lease& lease) const;
  // Announces a result with the lease's id and a valid ticket. Equal `bits` stand for equal bytes.
  StatusOr<rpc::AnnounceReply> Announce(uint64_t session, const rpc::Lease& lease, uint64_t bits);
  rpc::AnnounceRequest Announcement(uint64_t session, const rpc::Lease& lease, uint64_t bits) const;
  Status ReportFailure(uint64_t session, const rpc::Lease& lease, const std::string& code,
                       bool not_finite = false, rpc::Fault fault = rpc::Fault::kUnit);
  // Answers of the merge engine.
  void StateIsPrepared(const std::string& job, int64_t round = 0, Status status = {});
  void Stage(const rpc::Lease& lease, uint64_t bits, uint64_t session);
  void RoundIsMerged(const std::string& job, int64_t round, const std::string& state = "");
  void CheckpointIsWritten(const std::string& job, int64_t round, Status status = {});

  // Submits a job and opens its first round. Returns its id.
  std::string RunningJob(JobDefinition definition);
  // Computes the open round by `session` and merges it.
  void CompleteRound(const std::string& job, uint64_t session);

 private:
  Json JobsInMemory();
  std::string NameOf(uint64_t session) const {
    const auto name = names_.find(session);
    return name == names_.end() ? "" : name->second;
  }
  std::map<uint64_t, std::string> names_;  // names of executors, by session
};

}  // namespace dl::master
