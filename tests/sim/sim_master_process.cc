#include "tests/sim/sim_master_process.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/gateway/request_of_job.h"
#include "master/gateway/user_requests.h"
#include "master/log_reading.h"
#include "master/orphans.h"
#include "master/store_recovery.h"
#include "tests/sim/virtual_work_queue.h"

namespace dl::sim {

MasterProcess::MasterProcess(Options options)
    : options_(std::move(options)),
      agenda_(options_.time),
      random_({.seed = options_.seed, .a = 1}),
      threads_({.later = [this](Duration wait,
                                std::function<void()> action) { Later(wait, std::move(action)); },
                .delay = [this]() -> Duration {
                  return std::chrono::microseconds(random_.Bounded(1500));
                }}),
      store_({.disk = options_.disk,
              .random = &random_,
              .death_at_write = options_.death_at_write,
              .slow_write = options_.slow_write,
              .before_write =
                  [this](const storage::MetaBatch& batch) {
                    CheckSize(batch);
                    options_.rules->records.Check(batch);
                  },
              .durable =
                  [this](const storage::MetaBatch& batch) {
                    options_.disk->RecordSpecs(batch);
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
  self.log_ = std::make_unique<master::LogLines>();
  self.engine_ = std::make_unique<master::MergeEngine>(master::MergeEngine::Options{
      .checkpoints = &o.disk->checkpoints,
      .term = recovered->term,
      .material = [&self](const std::string& job) -> StatusOr<master::JobMaterial> {
        DL_ASSIGN_OR_RETURN(const std::optional<std::string> spec,
                            self.options_.disk->meta.Get(master::keys::Spec(job)));
        if (!spec) return NotFound({.message = "no such job", .where = job});
        return MaterialOf(*spec);
      },
      .post = [&self](master::Event event) { self.shell_->Post(std::move(event)); },
      .make_queue = [&self](const std::string& name) { return self.MakeQueue(name); }});
  self.shell_ = std::make_unique<master::CoreShell>(
      master::CoreShell::Options{.core = o.core,
                                 .bounds = o.bounds,
                                 .meta = &self.store_,
                                 .log = self.log_.get(),
                                 .on_fatal = [&self](const Status&) { self.StoreFailed(); },
                                 .observer = &self});
  self.shell_->Start(*std::move(recovered),
                     [&self](std::vector<master::Effect>& effects) { self.Release(effects); });
  self.threads_.RunAll();
  return process;
}

MasterProcess::~MasterProcess() {
  threads_.End();
  turns_.Close();
  budgets_.Close();
  if (shell_) shell_->Stop();
  for (const auto& call : calls_) call->Join();
}

void MasterProcess::StoreFailed() {
  if (threads_.ended()) return;  // it was killed
  over_ = true;
  options_.died();
}

void MasterProcess::ShutDown() {
  if (std::exchange(stopping_, true)) return;
  options_.rules->lives.RecordShutdown(*core_);
  RunThread([this] {
    shell_->Shutdown(std::chrono::hours(1));
    if (threads_.ended() || std::exchange(over_, true)) return;
    options_.rules->lives.CheckStopped(*core_, options_.time->now());
    options_.stopped();
  });
}

bool MasterProcess::ahead_of_log() const {
  return std::ranges::any_of(published_, [this](const auto& published) {
    return published.second > options_.rules->ledger.job(published.first).committed;
  });
}

std::unique_ptr<WorkQueue> MasterProcess::MakeQueue(const std::string& name) {
  const uint64_t longest_us = name == "checkpoint" ? 300'000 : 4'000;
  return std::make_unique<VirtualWorkQueue>(VirtualWorkQueue::Options{
      .process = &threads_, .takes = [this, longest_us]() -> Duration {
        // Some tasks take long, because another process uses the disk or the processor.
        const uint64_t factor = random_.Bounded(50) == 0 ? 30 : 1;
        return std::chrono::microseconds(random_.Bounded(longest_us * factor));
      }});
}

void MasterProcess::RunThread(std::function<void()> body) {
  std::erase_if(calls_, [](const auto& call) { return call->done(); });
  calls_.push_back(std::make_unique<VirtualThread>(threads_, std::move(body)));
  calls_.back()->Run();
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> MasterProcess::AskInTurn(
    Request request, const std::string& job,
    std::shared_ptr<const master::RecoveredJob> Request::*ended, Duration deadline) {
  const Instant end = Clock::Real().Now() + deadline;
  DL_ASSIGN_OR_RETURN(request.turn, turns_.Take(end));
  const master::ActionTurns::Turn turn = request.turn;  // held until the caller has the answer
  return master::AskOfJob(history_, std::move(request), job, ended, [&](Request asked) {
    return Ask<ReplyType>("", std::move(asked), end - Clock::Real().Now());
  });
}

void MasterProcess::Act(const Caller& caller, rpc::JobActionRequest request, Duration deadline,
                        Done<rpc::JobActionReply> done) {
  Status may = Admit<rpc::ClientService>(caller, "Act", request);
  if (may.ok()) may = master::CheckAction(request);
  if (!may.ok()) return done(may);
  Serve<rpc::JobActionReply>([this, request = std::move(request),
                              deadline] { return ActInTurn({.request = request}, deadline); },
                             std::move(done));
}

StatusOr<rpc::JobActionReply> MasterProcess::ActInTurn(master::UserAction action,
                                                       Duration deadline) {
  options_.rules->actions.Asked(action);
  const rpc::JobActionRequest request = action.request;
  StatusOr<rpc::JobActionReply> reply = AskInTurn<rpc::JobActionReply>(
      std::move(action), request.job, &master::UserAction::ended, deadline);
  if (reply.ok() && !threads_.ended()) {
    options_.rules->actions.Acknowledged(request);
    options_.rules->rights.Acknowledged(request);
  }
  return reply;
}

void MasterProcess::Submit(const Caller& caller, rpc::SubmitRequest request, Duration deadline,
                           Done<rpc::SubmitReply> done) {
  Status may = Admit<rpc::ClientService>(caller, "Submit", request);
  if (may.ok()) may = master::CheckSubmission(request);
  auto definition = DefinitionOf("", request.spec, "", "");
  if (may.ok()) may = definition.status();
  if (!may.ok()) return done(may);
  master::Submission submission = master::SubmissionOf(request);
  submission.definition = *std::move(definition);
  const std::string source =
      submission.resume_from.empty() ? submission.init_from : submission.resume_from;
  Serve<rpc::SubmitReply>(
      [this, submission = std::move(submission), job = source.substr(0, source.rfind('@')),
       deadline] {
        return AskInTurn<rpc::SubmitReply>(submission, job, &master::Submission::source, deadline);
      },
      std::move(done));
}

void MasterProcess::DeleteExpired(const std::string& job) {
  const auto end = master::EndOf(options_.disk->meta, job);
  if (!end.ok() || !*end) return;
  RunThread([this, end = **end, job, id = absl::StrCat("retention-", random_.NextU64())] {
    (void)ActInTurn({.request = {.request_id = id,
                                 .job = job,
                                 .action = rpc::JobAction::kDelete,
                                 .by = {.role = security::Role::kAdmin}},
                     .expired_end_unix_ms = end},
                    std::chrono::hours(24 * 365));
  });
}

void MasterProcess::CheckWait(Duration waited) {
  constexpr Duration kMost = std::chrono::seconds(20);
  if (waited > kMost)
    options_.breach(absl::StrCat("a message waited ", Seconds(waited), " s for memory"));
}

void MasterProcess::CheckSize(const storage::MetaBatch& batch) {
  const uint64_t most = options_.bounds.batch_bytes + largest_step_;
  if (batch.bytes() > most)
    options_.breach(absl::StrCat("a batch of ", batch.bytes(), " bytes may have ", most));
}

void MasterProcess::Began(const master::Core& core, const master::Output& output) {
  core_ = &core;
  largest_step_ = output.batch.bytes();
  if (!threads_.ended()) options_.rules->lives.CheckRecovered(core);
}

void MasterProcess::BeforeStep(const master::Event& event, const master::Output& output) {
  bytes_before_step_ = output.batch.bytes();
  CheckTimer(event);
  options_.rules->peers.BeforeStep(*core_, event, SenderOf(event));
  options_.rules->rights.BeforeStep(*core_, event);
}

void MasterProcess::AfterStep(const master::Event& event, const master::Output& output,
                              Duration computed) {
  options_.stepped(event, computed);
  largest_step_ = std::max(largest_step_, output.batch.bytes() - bytes_before_step_);
  if (const Status status = core_->CheckInvariants(); !status.ok())
    options_.breach("invariant: " + DescribeError(status));
  if (!std::ranges::all_of(output.ahead, master::MayLeaveAhead))
    options_.breach("an effect leaves too early");
  options_.rules->peers.AfterStep(*core_);
  options_.rules->rights.AfterStep(*core_);
  options_.rules->lives.RecordStep(*core_, options_.time->now());
  options_.rules->leases.Check(*core_);
  options_.rules->failures.CheckBlamed(*core_);
  deliveries_.Check(*core_, options_.time->now());
}

void MasterProcess::CheckTimer(const master::Event& event) {
  if (!std::holds_alternative<master::Tick>(event)) return;
  const Instant now = options_.time->now();
  idle_ticks_ = last_tick_ == now ? idle_ticks_ + 1 : 0;
  last_tick_ = now;
  if (idle_ticks_ <= 100) return;
  options_.breach("the core's timer spins");
  VirtualThread::Current().Sleep(std::chrono::hours(1));
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

void MasterProcess::Release(std::vector<master::Effect>& effects) {
  for (master::Effect& effect : effects) {
    options_.rules->releases.Check(effect);
    if (const auto* publish = std::get_if<master::Publish>(&effect))
      published_[publish->job] = publish->round;
    std::visit(
        [this](auto& e) {
          using T = std::decay_t<decltype(e)>;
          if constexpr (std::is_same_v<T, master::Answer>) {
            if (const auto* lease = std::get_if<rpc::LeaseReply>(&e.reply);
                lease != nullptr && !lease->leases.empty()) {
              first_lease_ = std::min(first_lease_, options_.time->now());
            }
            if (!answered_.insert(e.token).second)
              return options_.breach("a request is answered twice");
            shell_->Deliver(e);
          } else if constexpr (std::is_same_v<T, master::ReleaseJob>) {
            engine_->Do(e);
            shell_->Post(master::EndRecorded{e.job, e.end});
          } else if constexpr (std::is_same_v<T, master::SurveyLog>) {
            ReadLog([this, e] { shell_->Post(master::Survey(options_.disk->meta, e)); });
          } else if constexpr (std::is_same_v<T, master::ReadCommits>) {
            ReadLog([this, e] { shell_->Post(master::Read(options_.disk->meta, e)); });
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

}  // namespace dl::sim
