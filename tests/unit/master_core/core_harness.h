// Drives a master core by hand: its peers are lines of the test, its engine answers when the test
// says so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/core.h"
#include "storage/memory_meta_store.h"

namespace dl::master {

class CoreHarness {
 public:
  explicit CoreHarness(CoreOptions options = {});

  // Two workers of two examples each, one round an epoch.
  static JobDefinition Definition();

  // One event; what it persists goes to the store, what it does is in `effects` until the next one.
  void Do(const Event& event);
  void Wait(Duration time);  // in ticks, when the core asks for them

  uint64_t Register(const std::string& executor, rpc::RegisterRequest rest = {});
  struct Source {
    std::string resume_from, init_from;
  };
  StatusOr<std::string> Submit(JobDefinition definition, const std::string& request_id = "r1") {
    return Submit(std::move(definition), request_id, {});
  }
  StatusOr<std::string> Submit(JobDefinition definition, const std::string& request_id,
                               Source source);
  StatusOr<std::string> Act(rpc::JobActionRequest request);
  Json Query(const std::string& what, const std::string& job);
  std::vector<rpc::Lease> LeaseUnits(uint64_t session, int32_t slots = 1);
  // A request that waits until there is something for it, and what the last event gave it.
  uint64_t Park(uint64_t session, int32_t slots = 8);
  std::vector<rpc::Lease> LeasesOf(uint64_t parked) const;
  rpc::HeartbeatReply Heartbeat(uint64_t session, std::vector<rpc::UnitProgress> running = {});
  // A result of the unit: `bits` name its bytes. With the lease's id, or none.
  StatusOr<rpc::AnnounceReply> Announce(uint64_t session, const rpc::Lease& lease, uint64_t bits);
  rpc::AnnounceRequest Announcement(uint64_t session, const rpc::Lease& lease, uint64_t bits) const;
  Status ReportFailure(uint64_t session, const rpc::Lease& lease, const std::string& code,
                       bool not_finite = false, rpc::Fault fault = rpc::Fault::kUnit);
  // The engine's answers.
  void StateIsPrepared(const std::string& job, int64_t round = 0, Status status = {});
  void Stage(const rpc::Lease& lease, uint64_t bits, uint64_t session);
  void RoundIsMerged(const std::string& job, int64_t round, const std::string& state = "");
  void CheckpointIsWritten(const std::string& job, int64_t round, Status status = {});

  // Submitted and with its first round open.
  std::string RunningJob(JobDefinition definition);
  // The open round, computed by `session` and merged.
  void CompleteRound(const std::string& job, uint64_t session);
  void Restart();                              // a new core from the store
  CoreOptions& options() { return options_; }  // of the next one

  // Also one that ended and is in the store alone.
  const Job& job(const std::string& id) const;
  const Core& core() const { return *core_; }
  template <typename T>
  std::vector<T> EffectsOf() const {
    std::vector<T> found;
    for (const Effect& effect : effects) {
      if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
    }
    return found;
  }

  std::vector<Effect> effects;
  Duration spent{};  // processor time of the core for the last event that the test gave it
  Instant came = Instant::Max();  // of the next events, where it is earlier than `now`
  storage::MemoryMetaStore store;
  bool checks_invariants = true;  // which takes as long as there are units
  bool holds_back_ends = false;   // the core is not told that ends are durable
  Instant now{1'000'000'000};

 private:
  void Take(Output output);
  // What the core asks of the log is read at once; the store tells of a job's end at once.
  void AnswerReads();
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(Request request);

  CoreOptions options_;
  std::optional<Core> core_;
  uint64_t token_ = 0;
  mutable std::map<std::string, Job> stored_;  // that job() read
};

}  // namespace dl::master
