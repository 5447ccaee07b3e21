// The master's shell on virtual time: a queue of events, which is drained also while the writer's
// thread writes a batch. Owns what dies with the process.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "master/core/core.h"
#include "master/gateway/action_turns.h"
#include "master/gateway/executor_requests.h"
#include "master/gateway/open_sessions.h"
#include "master/gateway/writer.h"
#include "master/history.h"
#include "master/merge/merge_engine.h"
#include "rpc/access.h"
#include "rpc/caller_rights.h"
#include "tests/sim/agenda.h"
#include "tests/sim/delivery_rules.h"
#include "tests/sim/disk.h"
#include "tests/sim/process_meta_store.h"
#include "tests/sim/rules.h"
#include "tests/sim/virtual_scheduler.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class MasterProcess {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    VirtualScheduler* scheduler = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    uint64_t seed = 0;
    master::CoreOptions core;
    double death_at_write = 0;  // ProcessMetaStore::Options
    double slow_write = 0;
    std::function<void()> died;     // the process ended by itself; it must be destroyed, later
    std::function<void()> stopped;  // likewise, when it was told to (ShutDown)
    std::function<void(const master::Event& event, Duration computed)> stepped;  // of each step
    std::function<void(std::string)> breach;
  };
  // Opens the store: a new term, real recovery. Null, with a breach, when recovery fails.
  static std::unique_ptr<MasterProcess> Start(Options options);
  ~MasterProcess();

  void Enqueue(master::Event event);
  // A caller of the server. `instance` names its process.
  struct Caller {
    security::Identity who;
    std::string instance;
  };
  // Decides about a call as the server does: by the caller's role, token and session. Sets the
  // caller in the request.
  template <typename Service, typename Request>
  Status Admit(const Caller& caller, std::string_view method, Request& request) const {
    rpc::CallerRights rights(
        {.find_session = [this](uint64_t session) { return sessions_.Find(session); },
         .tokens = options_.disk->tokens.get()});
    rights.Identify(caller.who, caller.instance);
    if (!rights.MayCall(*rpc::AccessTo(method))) return Denied({.message = "denied"});
    return rights.Admit<Service>(request);
  }
  // Asks the core for an executor, as the gateway does.
  template <typename ReplyType, typename Request>
  void AskFor(const std::string& executor, const Request& request,
              std::function<void(StatusOr<ReplyType>)> done) {
    auto prepared = master::ForCore(request);
    if constexpr (requires { prepared.status(); }) {
      if (!prepared.ok()) return done(prepared.status());
      senders_[next_token_] = executor;
      Ask<ReplyType>(*std::move(prepared), std::move(done));
    } else {
      senders_[next_token_] = executor;
      Ask<ReplyType>(std::move(prepared), std::move(done));
    }
  }
  // The answer comes through `done`, unless the process ends before.
  template <typename ReplyType, typename Request>
  void Ask(Request request, std::function<void(StatusOr<ReplyType>)> done) {
    const uint64_t token = next_token_++;
    waiting_[token] = [done = std::move(done)](const master::Answer& answer) {
      if (!answer.status.ok()) return done(answer.status);
      if constexpr (std::is_same_v<ReplyType, std::monostate>) {
        done(ReplyType{});
      } else {
        done(std::get<ReplyType>(answer.reply));
      }
    };
    Enqueue(master::Asked<Request>{token, std::move(request)});
  }

  // Calls of users. Answered at the latest after `deadline`; the action may still be on its way
  // then.
  void Act(const Caller& caller, rpc::JobActionRequest request, Duration deadline,
           std::function<void(StatusOr<rpc::JobActionReply>)> done);
  void Submit(const Caller& caller, rpc::SubmitRequest request, Duration deadline,
              std::function<void(StatusOr<rpc::SubmitReply>)> done);
  // Deletes a job that ended, as retention does. Does nothing to a job that goes on or is deleted.
  void DeleteExpired(const std::string& job);
  void ShutDown();  // SIGTERM

  master::MergeEngine& engine() { return *engine_; }
  const master::Core& core() const { return *core_; }
  Instant started() const { return started_; }
  Instant first_lease() const { return first_lease_; }  // Max: none yet
  // Whether a state is published whose round is not on the disk yet.
  bool ahead_of_log() const;

 private:
  explicit MasterProcess(Options options);

  template <typename ReplyType, typename Request>
  struct CallInTurn;
  void ActInTurn(master::UserAction action, Duration deadline,
                 std::function<void(StatusOr<rpc::JobActionReply>)> done);
  // Takes the turn, reads what the store knows of the job, and asks the core: as master::Actions
  // does on a thread of its own.
  template <typename ReplyType, typename Request>
  void AskInTurn(std::shared_ptr<CallInTurn<ReplyType, Request>> call);
  template <typename ReplyType, typename Request>
  void AskOfJob(std::shared_ptr<CallInTurn<ReplyType, Request>> call, Request request);
  // A thread of the merge engine.
  std::unique_ptr<WorkQueue> MakeQueue(const std::string& name);
  void Drain();
  void Step(const master::Event& event, Instant at);
  std::string SenderOf(const master::Event& event);  // an executor, or empty
  void HandOver();
  void Release(const std::vector<master::Effect>& effects);
  // The core is ready to stop, and all of its records are durable.
  void ReadyToStop();
  void StoreFailed();
  void SetTimer();
  void ReadLog(std::function<void()> read) {  // which takes a while
    Later(std::chrono::microseconds(random_.Bounded(20'000)), std::move(read));
  }
  void Later(Duration wait, std::function<void()> action);

  Options options_;
  Agenda agenda_;
  RandomStream random_;
  ProcessThreads threads_;
  ProcessMetaStore store_;
  DeliveryRules deliveries_{options_.rules->audit};
  master::ActionTurns turns_;
  master::History history_;
  std::unique_ptr<master::Core> core_;
  std::unique_ptr<master::MergeEngine> engine_;          // ends before what its threads use
  std::deque<std::pair<Instant, master::Event>> queue_;  // with the time when it came
  std::map<uint64_t, std::function<void(const master::Answer&)>> waiting_;
  std::map<uint64_t, std::string> senders_;  // executors, by tokens of events to come
  uint64_t next_token_ = 1;
  master::OpenSessions sessions_;
  master::Output output_;  // of the drain under way
  bool drain_set_ = false;
  bool dead_ = false;
  Instant timer_ = Instant::Max();
  Instant started_;
  Instant first_lease_ = Instant::Max();
  int64_t idle_ticks_ = 0;  // ticks in a row at one point of time
  Instant last_tick_;
  std::map<std::string, int64_t> published_;  // the last round, by job
  std::unique_ptr<master::Writer> writer_;
};

}  // namespace dl::sim
