// A process of the master in virtual time: the shipped shell of the core, the merge engine, and
// threads that serve calls. Owns everything that ends with the process.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/master_core.h"
#include "master/gateway/actions.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/effect_dispatcher.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/executor_requests.h"
#include "master/gateway/open_sessions.h"
#include "master/gateway/queries.h"
#include "master/gateway/retention.h"
#include "master/gateway/uploads.h"
#include "master/merge/merge_engine.h"
#include "rpc/access.h"
#include "rpc/caller_rights.h"
#include "tests/sim/agenda.h"
#include "tests/sim/delivery_rules.h"
#include "tests/sim/disk.h"
#include "tests/sim/gateway_rules.h"
#include "tests/sim/process_content_store.h"
#include "tests/sim/process_meta_store.h"
#include "tests/sim/rules.h"
#include "tests/sim/server_connection.h"
#include "tests/sim/virtual_scheduler.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class MasterProcess final : private master::CoreObserver {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    VirtualScheduler* scheduler = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    uint64_t seed = 0;
    master::CoreOptions core;
    master::ShellBounds bounds;
    master::RetentionPolicy kept;
    double death_at_write = 0;  // ProcessMetaStore::Options
    double slow_write = 0;
    // The process ended by itself; it must be destroyed, but not within the call.
    std::function<void()> died;
    std::function<void()> stopped;  // as `died`, after ShutDown
    // Called after each step.
    std::function<void(const master::Event& event, Duration computed)> stepped;
    std::function<void(std::string)> breach;
  };
  // Opens the store, with a new term and real recovery. Reports a breach and returns null if
  // recovery fails.
  static std::unique_ptr<MasterProcess> Start(Options options);
  ~MasterProcess() override;

  // A caller of the server. `instance` names its process.
  struct Caller {
    security::Identity who;
    std::string instance;
  };
  template <typename ReplyType>
  using Done = std::function<void(StatusOr<ReplyType>)>;

  // Decides about a call as the server does, by the caller's role, token and session. Sets the
  // caller in the request.
  template <typename Service, typename Request>
  Status AuthorizeRequest(const Caller& caller, std::string_view method, Request& request) const {
    rpc::CallerRights rights(
        {.find_session = [this](uint64_t session) { return sessions_.Find(session); },
         .tokens = options_.disk->tokens.get()});
    rights.Identify(caller.who, caller.instance);
    if (!rights.MayCall(*rpc::FindAccess(method))) return Denied({.message = "denied"});
    return rights.AuthorizeRequest<Service>(request);
  }

  // The following calls are served by threads of the process, which pass the answer to `done`,
  // unless the process ends before.

  // Asks the core on behalf of an executor, as the gateway does.
  template <typename ReplyType, typename Request>
  void AskFor(const std::string& executor, const Request& request, Duration deadline,
              Done<ReplyType> done) {
    Serve<ReplyType>(
        [this, executor, request, deadline]() -> StatusOr<ReplyType> {
          auto prepared = master::ForCore(request);
          if constexpr (requires { prepared.status(); }) {
            DL_RETURN_IF_ERROR(prepared.status());
            return Ask<ReplyType>(executor, *std::move(prepared), deadline);
          } else {
            return Ask<ReplyType>(executor, std::move(prepared), deadline);
          }
        },
        std::move(done));
  }
  // A call whose message or answer has contents.
  struct Contents {
    std::string_view method;
    std::string token;
    size_t bytes = 0;  // bytes of the message's contents
    Duration deadline;
    bool is_slow = false;  // as in ServerConnection
  };
  // Serves a call. Takes memory for the message and the answer as the server does.
  template <typename ReplyType, typename Request>
  void ServeContents(const Contents& contents, const Request& request,
                     std::function<StatusOr<ReplyType>()> call, Done<ReplyType> done) {
    Serve<ReplyType>(
        [this, contents, answer = rpc::AnswerTo(contents.method, request),
         call = std::move(call)]() -> StatusOr<ReplyType> {
          ServerConnection connection({.budgets = &budgets_,
                                       .token = contents.token,
                                       .is_slow = contents.is_slow,
                                       .waited = [this](Duration waited) { CheckWait(waited); }});
          DL_RETURN_IF_ERROR(
              connection.Receive(contents.method, static_cast<int64_t>(contents.bytes)));
          const rpc::ConnectionMeter::InService in_service(connection.meter());
          DL_RETURN_IF_ERROR(
              connection.meter().ReserveAnswer(answer, Clock::Real().Now() + contents.deadline));
          return call();
        },
        std::move(done));
  }
  void MissingBlocks(const Caller& caller, rpc::MissingBlocksRequest request,
                     Done<rpc::MissingBlocksReply> done);
  void PutBlocks(const Caller& caller, rpc::PutBlocksRequest request, Done<std::monostate> done);
  void Act(const Caller& caller, rpc::JobActionRequest request, Duration deadline,
           Done<rpc::JobActionReply> done);
  void Submit(const Caller& caller, rpc::SubmitRequest request, Duration deadline,
              Done<rpc::SubmitReply> done);

  void Query(const Caller& caller, rpc::QueryRequest request, Duration deadline,
             Done<rpc::QueryReply> done);
  void Events(const Caller& caller, rpc::EventsRequest request, Duration deadline,
              Done<rpc::EventsReply> done);

  void Disconnect(uint64_t session) { shell_->Post(master::SessionDisconnected{session}); }
  void ShutDown();  // SIGTERM

  master::MergeEngine& engine() { return *engine_; }
  const master::Core& core() const { return *core_; }
  Instant started() const { return started_; }
  Instant first_lease() const { return first_lease_; }  // Max: none yet
  // Whether a state is published whose round is not on the disk yet.
  bool ahead_of_log() const;

 private:
  explicit MasterProcess(Options options);

  void Began(const master::Core& core, const master::Output& output) override;
  void BeforeStep(const master::Arrival& arrival, const master::Output& output) override;
  void AfterStep(const master::Event& event, const master::Output& output,
                 Duration computed) override;
  // Waits if the core's timer is due repeatedly while no time passes.
  void CheckTimer(const master::Arrival& arrival);

  // Runs a call on a thread of its own.
  void RunThread(std::function<void()> body);
  template <typename ReplyType>
  void Serve(std::function<StatusOr<ReplyType>()> call, Done<ReplyType> done) {
    RunThread([this, call = std::move(call), done = std::move(done)] {
      StatusOr<ReplyType> reply = call();
      if (!threads_.ended()) done(std::move(reply));
    });
  }
  // Asks the core. Called by a thread that serves a call of that executor.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(const std::string& executor, Request request, Duration deadline) {
    senders_[shell_->requests() + 1] = executor;
    StatusOr<ReplyType> reply = shell_->SendRequest<ReplyType>(std::move(request), deadline);
    CountRefusal(reply.status());
    return reply;
  }
  void CountRefusal(const Status& status) {
    if (absl::IsUnavailable(status) && !stopping_ && !over_)
      ++options_.rules->audit.report->refused;
  }

  // Returns the answers for users, which have a thread of their own since the first question.
  master::Queries& queries();
  // Creates a thread of the merge engine.
  std::unique_ptr<WorkQueue> MakeQueue(const std::string& name);
  std::string SenderOf(const master::Event& event);  // an executor, or empty
  // Rule: no message of an honest peer waits long for memory.
  void CheckWait(Duration waited);
  // Rule: a batch exceeds its limit by at most one step.
  void CheckSize(const storage::MetaBatch& batch);
  void Release(std::vector<master::Effect>& effects);
  void Observe(const master::Effect& effect);
  void StoreFailed();
  void Later(Duration wait, std::function<void()> action) {
    agenda_.After(wait, std::move(action));
  }

  Options options_;
  Agenda agenda_;
  RandomStream random_;
  ProcessThreads threads_;
  ProcessMetaStore store_;
  DeliveryRules deliveries_{options_.rules->audit};
  GatewayRules gateway_{options_.rules->audit, options_.rules->queries.feed};
  ProcessContentStore blocks_;
  master::EventFeed feed_{options_.rules->queries.feed};
  master::OpenSessions sessions_;
  rpc::MessageBudgets budgets_;
  std::unique_ptr<master::LogLines> log_;
  // The following are in the order of master::Gateway. The shell is stopped before they are
  // destroyed.
  std::unique_ptr<master::CoreShell> shell_;
  std::unique_ptr<master::MergeEngine> engine_;
  std::unique_ptr<master::Uploads> uploads_;
  std::unique_ptr<master::Actions> actions_;
  std::unique_ptr<master::Queries> queries_;  // null: no user has asked
  std::unique_ptr<master::Retention> retention_;
  std::unique_ptr<master::EffectDispatcher> dispatcher_;
  const master::Core* core_ = nullptr;  // core of the shell
  std::list<std::unique_ptr<VirtualThread>> calls_;
  std::map<uint64_t, std::string> senders_;  // executors, by tokens of their waiting requests
  std::set<uint64_t> answered_;              // tokens
  bool stopping_ = false;                    // after ShutDown
  bool over_ = false;                        // it has stopped, or its store has failed
  Instant started_;
  Instant first_lease_ = Instant::Max();
  uint64_t bytes_before_step_ = 0;  // bytes of the batch
  uint64_t largest_step_ = 0;       // bytes that a step added to a batch
  int64_t idle_ticks_ = 0;          // consecutive ticks at the same time
  Instant last_tick_;
  std::map<std::string, int64_t> published_;  // last round, by job
};

}  // namespace dl::sim
