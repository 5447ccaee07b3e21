#include "tests/sim/master_process.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/keys.h"
#include "master/gateway/request_of_job.h"
#include "master/gateway/user_requests.h"
#include "master/log_reading.h"
#include "master/orphans.h"
#include "master/recovery.h"
#include "tests/sim/virtual_work_queue.h"

namespace dl::sim {

MasterProcess::MasterProcess(Options options)
    : options_(std::move(options)),
      agenda_(options_.time),
      random_({.seed = options_.seed, .a = 1}),
      threads_({.later = [this](Duration wait,
                                std::function<void()> action) { Later(wait, std::move(action)); },
                .delay = [this]() -> Duration {
                  return std::chrono::microseconds(random_.Bounded(200));
                }}),
      store_({.disk = options_.disk,
              .random = &random_,
              .death_at_write = options_.death_at_write,
              .slow_write = options_.slow_write,
              .before_write =
                  [this](const storage::MetaBatch& batch) { options_.rules->records.Check(batch); },
              .durable =
                  [this](const storage::MetaBatch& batch) {
                    options_.disk->NoteSpecs(batch);
                    options_.rules->actions.Written(batch);
                    options_.rules->ledger.Written(batch);
                  }}),
      history_(options_.disk->meta, DefinitionOf) {}

std::unique_ptr<MasterProcess> MasterProcess::Start(Options options) {
  auto process = std::unique_ptr<MasterProcess>(new MasterProcess(std::move(options)));
  MasterProcess& self = *process;
  const VirtualScheduler::InProcess in_process(*self.options_.scheduler, self.threads_);
  const Options& o = self.options_;
  auto recovered = master::LoadState(o.disk->meta, DefinitionOf);
  if (!recovered.ok()) {
    o.breach("recovery failed: " + DescribeError(recovered.status()));
    return nullptr;
  }
  self.started_ = o.time->now();
  if (const auto orphans =
          master::CollectOrphans(*recovered, o.disk->meta, o.disk->checkpoints, "");
      !orphans.ok())
    o.breach("collecting orphans: " + DescribeError(orphans.status()));
  self.engine_ = std::make_unique<master::MergeEngine>(master::MergeEngine::Options{
      .checkpoints = &o.disk->checkpoints,
      .term = recovered->term,
      .material = [&self](const std::string& job) -> StatusOr<master::JobMaterial> {
        DL_ASSIGN_OR_RETURN(const std::optional<std::string> spec,
                            self.options_.disk->meta.Get(master::keys::Spec(job)));
        if (!spec) return NotFound({.message = "no such job", .where = job});
        return MaterialOf(*spec);
      },
      .post = [&self](master::Event event) { self.Enqueue(std::move(event)); },
      .make_queue = [&self](const std::string& name) { return self.MakeQueue(name); }});
  self.writer_ = std::make_unique<master::Writer>(master::Writer::Options{
      .meta = &self.store_,
      .release = [&self](std::vector<master::Effect>& effects) { self.Release(effects); },
      .ready_to_stop = [&self] { self.ReadyToStop(); },
      .failed = [&self](const Status&) { self.StoreFailed(); }});
  self.core_ =
      std::make_unique<master::Core>(o.core, *std::move(recovered), o.time->now(), self.output_);
  o.rules->lives.CheckRecovered(*self.core_);
  self.HandOver();
  return process;
}

MasterProcess::~MasterProcess() { threads_.End(); }

void MasterProcess::ReadyToStop() {
  dead_ = true;
  options_.rules->lives.CheckStopped(*core_);
  options_.stopped();
}

void MasterProcess::StoreFailed() {
  if (threads_.ended()) return;  // it was killed
  dead_ = true;
  options_.died();
}

bool MasterProcess::ahead_of_log() const {
  return std::ranges::any_of(published_, [this](const auto& published) {
    return published.second > options_.rules->ledger.job(published.first).committed;
  });
}

std::unique_ptr<WorkQueue> MasterProcess::MakeQueue(const std::string& name) {
  const uint64_t longest_us = name == "checkpoint" ? 300'000 : 4'000;
  return std::make_unique<VirtualWorkQueue>(VirtualWorkQueue::Options{
      .process = &threads_,
      .takes = [this, longest_us]() -> Duration {
        // Some pieces take long: another process uses the disk or the processor.
        const uint64_t factor = random_.Bounded(50) == 0 ? 30 : 1;
        return std::chrono::microseconds(random_.Bounded(longest_us * factor));
      }});
}

void MasterProcess::Later(Duration wait, std::function<void()> action) {
  agenda_.After(wait, [this, action = std::move(action)] {
    if (!dead_) action();
  });
}

void MasterProcess::Enqueue(master::Event event) {
  if (dead_) return;
  queue_.emplace_back(options_.time->now(), std::move(event));
  if (drain_set_) return;
  drain_set_ = true;
  Later(std::chrono::microseconds(random_.Bounded(2000)), [this] { Drain(); });
}

// One caller: it has the turn until it is answered or gives up.
template <typename ReplyType, typename Request>
struct MasterProcess::CallInTurn {
  Request request;
  std::string job;
  std::shared_ptr<const master::RecoveredJob> Request::*ended;
  Instant end;
  std::function<void(StatusOr<ReplyType>)> done;
  bool open = true;
  master::ActionTurns::Turn turn;
  std::optional<master::RequestOfJob<Request>> of_job;

  void Answer(StatusOr<ReplyType> reply) {
    if (!std::exchange(open, false)) return;
    turn = nullptr;
    of_job.reset();
    done(std::move(reply));
  }
};

template <typename ReplyType, typename Request>
void MasterProcess::AskInTurn(std::shared_ptr<CallInTurn<ReplyType, Request>> call) {
  if (!call->open) return;
  const auto turn = turns_.Take(Instant{});  // without waiting
  if (!turn.ok()) {
    return Later(std::chrono::microseconds(100 + random_.Bounded(2000)),
                 [this, call] { AskInTurn(call); });
  }
  call->turn = call->request.turn = *turn;
  call->of_job.emplace(&history_, std::move(call->request), call->job, call->ended);
  auto first = call->of_job->First();
  if (!first.ok()) return options_.breach("reading a job: " + DescribeError(first.status()));
  AskOfJob(call, *std::move(first));
}

template <typename ReplyType, typename Request>
void MasterProcess::AskOfJob(std::shared_ptr<CallInTurn<ReplyType, Request>> call,
                             Request request) {
  Ask<ReplyType>(std::move(request), [this, call](StatusOr<ReplyType> reply) {
    if (!call->open) return;
    auto again = call->of_job->AskAgain(reply.status());
    if (!again.ok()) return options_.breach("reading a job: " + DescribeError(again.status()));
    if (*again) return AskOfJob(call, **std::move(again));
    call->Answer(std::move(reply));
  });
}

void MasterProcess::Act(const Caller& caller, rpc::JobActionRequest request, Duration deadline,
                        std::function<void(StatusOr<rpc::JobActionReply>)> done) {
  Status may = Admit<rpc::ClientService>(caller, "Act", request);
  if (may.ok()) may = master::CheckAction(request);
  if (!may.ok()) return done(may);
  ActInTurn({.request = std::move(request)}, deadline, std::move(done));
}

void MasterProcess::ActInTurn(master::UserAction action, Duration deadline,
                              std::function<void(StatusOr<rpc::JobActionReply>)> done) {
  options_.rules->actions.Asked(action);
  using Call = CallInTurn<rpc::JobActionReply, master::UserAction>;
  const rpc::JobActionRequest request = action.request;
  auto call = std::make_shared<Call>(
      Call{.request = std::move(action),
           .job = request.job,
           .ended = &master::UserAction::ended,
           .done = [this, request, done = std::move(done)](StatusOr<rpc::JobActionReply> reply) {
             if (reply.ok()) {
               options_.rules->actions.Acknowledged(request);
               options_.rules->rights.Acknowledged(request);
             }
             done(std::move(reply));
           }});
  Later(deadline, [call] { call->Answer(DeadlineExceeded({.message = "no answer in time"})); });
  AskInTurn(call);
}

void MasterProcess::Submit(const Caller& caller, rpc::SubmitRequest request, Duration deadline,
                           std::function<void(StatusOr<rpc::SubmitReply>)> done) {
  Status may = Admit<rpc::ClientService>(caller, "Submit", request);
  if (may.ok()) may = master::CheckSubmission(request);
  auto definition = DefinitionOf("", request.spec, "", "");
  if (may.ok()) may = definition.status();
  if (!may.ok()) return done(may);
  master::Submission submission = master::SubmissionOf(request);
  submission.definition = *std::move(definition);
  const std::string source =
      submission.resume_from.empty() ? submission.init_from : submission.resume_from;
  using Call = CallInTurn<rpc::SubmitReply, master::Submission>;
  auto call = std::make_shared<Call>(Call{.request = std::move(submission),
                                          .job = source.substr(0, source.rfind('@')),
                                          .ended = &master::Submission::source,
                                          .done = std::move(done)});
  Later(deadline, [call] { call->Answer(DeadlineExceeded({.message = "no answer in time"})); });
  AskInTurn(call);
}

void MasterProcess::DeleteExpired(const std::string& job) {
  const auto end = master::EndOf(options_.disk->meta, job);
  if (!end.ok() || !*end) return;
  ActInTurn({.request = {.request_id = absl::StrCat("retention-", random_.NextU64()),
                         .job = job,
                         .action = rpc::JobAction::kDelete,
                         .by = {.role = security::Role::kAdmin}},
             .expired_end_unix_ms = **end},
            std::chrono::hours(24 * 365), [](const StatusOr<rpc::JobActionReply>&) {});
}

void MasterProcess::ShutDown() {
  options_.rules->lives.NoteShutdown(*core_);
  Enqueue(master::ShutdownRequested{});
}

void MasterProcess::Drain() {
  drain_set_ = false;
  size_t take = queue_.size() <= 1 ? queue_.size() : 1 + random_.Bounded(queue_.size());
  for (; take > 0 && !dead_; --take) {
    const auto [at, event] = std::move(queue_.front());
    queue_.pop_front();
    Step(event, at);
  }
  if (!dead_) HandOver();
  if (dead_) return;
  if (!queue_.empty() && !drain_set_) {
    drain_set_ = true;
    Later(Duration{}, [this] { Drain(); });
  }
  SetTimer();
}

void MasterProcess::Step(const master::Event& event, Instant at) {
  PeerRules& peers = options_.rules->peers;
  peers.BeforeStep(*core_, event, SenderOf(event));
  const Duration before = ThreadTime();
  core_->Step(event, {.now = options_.time->now(), .came = at, .wall_unix_ms = Clock::Real().WallUnixMs()},
              output_);
  options_.stepped(event, ThreadTime() - before);
  if (const Status status = core_->CheckInvariants(); !status.ok()) {
    dead_ = true;
    return options_.breach("invariant: " + DescribeError(status));
  }
  peers.AfterStep(*core_);
  options_.rules->rights.AfterStep(*core_);
  options_.rules->leases.Check(*core_);
  options_.rules->failures.CheckBlamed(*core_);
  deliveries_.Check(*core_, options_.time->now());
}

std::string MasterProcess::SenderOf(const master::Event& event) {
  return std::visit(
      [this](const auto& e) -> std::string {
        if constexpr (requires { e.token; }) {
          auto sender = senders_.extract(e.token);
          if (!sender.empty()) return std::move(sender.mapped());
        }
        return "";
      },
      event);
}

void MasterProcess::HandOver() {
  master::Output output = std::exchange(output_, {});
  if (!std::ranges::all_of(output.ahead, master::MayLeaveAhead))
    return options_.breach("an effect leaves too early");
  writer_->HandOver(output, core_->ReadyToStop());
}

void MasterProcess::Release(const std::vector<master::Effect>& effects) {
  for (const master::Effect& effect : effects) {
    options_.rules->releases.Check(effect);
    if (const auto* publish = std::get_if<master::Publish>(&effect))
      published_[publish->job] = publish->round;
    std::visit(
        [this](const auto& e) {
          using T = std::decay_t<decltype(e)>;
          if constexpr (std::is_same_v<T, master::Answer>) {
            if (const auto* lease = std::get_if<rpc::LeaseReply>(&e.reply);
                lease != nullptr && !lease->leases.empty()) {
              first_lease_ = std::min(first_lease_, options_.time->now());
            }
            auto found = waiting_.extract(e.token);
            if (found.empty()) return options_.breach("a request is answered twice");
            found.mapped()(e);
          } else if constexpr (std::is_same_v<T, master::ReleaseJob>) {
            engine_->Do(e);
            Enqueue(master::EndRecorded{e.job, e.end});
          } else if constexpr (std::is_same_v<T, master::SurveyLog>) {
            ReadLog([this, e] { Enqueue(master::Survey(options_.disk->meta, e)); });
          } else if constexpr (std::is_same_v<T, master::ReadCommits>) {
            ReadLog([this, e] { Enqueue(master::Read(options_.disk->meta, e)); });
          } else if constexpr (std::is_same_v<T, master::SessionBegan> ||
                               std::is_same_v<T, master::SessionEnded>) {
            sessions_.Do(e);
          } else if constexpr (!std::is_same_v<T, master::Emit> &&
                               !std::is_same_v<T, master::Log>) {
            engine_->Do(e);
          }
        },
        effect);
  }
}

void MasterProcess::SetTimer() {
  const Instant next = core_->NextDeadline();
  if (next == Instant::Max() || (timer_ <= next && timer_ > options_.time->now())) return;
  timer_ = std::max(next, options_.time->now());
  agenda_.At(timer_, [this, at = timer_] {
    if (dead_ || timer_ != at) return;
    timer_ = Instant::Max();
    if (!queue_.empty()) return;  // it is set again behind them
    idle_ticks_ = last_tick_ == at ? idle_ticks_ + 1 : 0;
    last_tick_ = at;
    if (idle_ticks_ > 100) return options_.breach("the core's timer spins");
    Step(master::Tick{}, at);
    if (!dead_) HandOver();
    if (!dead_) SetTimer();
  });
}

}  // namespace dl::sim
