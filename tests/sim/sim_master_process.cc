#include "tests/sim/sim_master_process.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/job_definition.h"
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
                    options_.rules->queries.Written(batch);
                    options_.rules->blocks.Written(batch);
                    options_.rules->retention.Written(batch);
                  }}),
      blocks_({.disk = options_.disk, .random = &random_, .rules = &options_.rules->blocks}) {}

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
                            self.store_.Get(master::keys::Spec(job)));
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
  self.uploads_ = std::make_unique<master::Uploads>(
      master::Uploads::Options{.meta = &self.store_, .blobs = &self.blocks_});
  self.actions_ =
      std::make_unique<master::Actions>(master::Actions::Options{.meta = &self.store_,
                                                                 .uploads = self.uploads_.get(),
                                                                 .core = self.shell_.get(),
                                                                 .log = self.log_.get(),
                                                                 .make_definition = DefinitionOf});
  self.retention_ =
      std::make_unique<master::Retention>(master::Retention::Options{.kept = o.kept,
                                                                     .meta = &self.store_,
                                                                     .actions = self.actions_.get(),
                                                                     .log = self.log_.get()});
  self.dispatcher_ = std::make_unique<master::EffectDispatcher>(master::EffectDispatcher::Options{
      .meta = &self.store_,
      .core = self.shell_.get(),
      .feed = &self.feed_,
      .log = self.log_.get(),
      .sessions = &self.sessions_,
      .engine = self.engine_.get(),
      .job_released = [&self](const std::string& job) { self.retention_->JobReleased(job); },
      .make_queue = [&self](const std::string& name) { return self.MakeQueue(name); }});
  self.shell_->Start(*std::move(recovered),
                     [&self](std::vector<master::Effect>& effects) { self.Release(effects); });
  self.threads_.RunAll();
  return process;
}

MasterProcess::~MasterProcess() {
  threads_.End();
  if (actions_) actions_->Close();
  budgets_.Close();
  feed_.Close();
  if (shell_) shell_->Stop();
  if (queries_) queries_->Stop();
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

void MasterProcess::MissingBlocks(const Caller& caller, rpc::MissingBlocksRequest request,
                                  Done<rpc::MissingBlocksReply> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "MissingBlocks", request);
      !may.ok())
    return done(may);
  Serve<rpc::MissingBlocksReply>(
      [this, request = std::move(request)]() -> StatusOr<rpc::MissingBlocksReply> {
        rpc::MissingBlocksReply reply;
        DL_ASSIGN_OR_RETURN(reply.missing, uploads_->Missing(request.sha256));
        return reply;
      },
      std::move(done));
}

void MasterProcess::PutBlocks(const Caller& caller, rpc::PutBlocksRequest request,
                              Done<std::monostate> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "PutBlocks", request);
      !may.ok())
    return done(may);
  Serve<std::monostate>(
      [this, request = std::move(request)]() -> StatusOr<std::monostate> {
        const Instant began = Clock::Real().Now();
        DL_RETURN_IF_ERROR(uploads_->Put(request));
        options_.rules->blocks.Acknowledged(request.sha256, began);
        return std::monostate{};
      },
      std::move(done));
}

void MasterProcess::Act(const Caller& caller, rpc::JobActionRequest request, Duration deadline,
                        Done<rpc::JobActionReply> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "Act", request); !may.ok())
    return done(may);
  Serve<rpc::JobActionReply>(
      [this, request = std::move(request), deadline] {
        options_.rules->actions.Asked(request);
        StatusOr<rpc::JobActionReply> reply = actions_->Act(request, deadline);
        CountRefusal(reply.status());
        if (reply.ok() && !threads_.ended()) {
          options_.rules->actions.Acknowledged(request);
          options_.rules->rights.Acknowledged(request);
        }
        return reply;
      },
      std::move(done));
}

void MasterProcess::Submit(const Caller& caller, rpc::SubmitRequest request, Duration deadline,
                           Done<rpc::SubmitReply> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "Submit", request); !may.ok())
    return done(may);
  Serve<rpc::SubmitReply>(
      [this, request = std::move(request), deadline] {
        StatusOr<rpc::SubmitReply> reply = actions_->Submit(request, deadline);
        CountRefusal(reply.status());
        const auto blocks = master::BlocksOf(request.train_manifest, request.test_manifest);
        if (reply.ok() && blocks.ok()) options_.rules->blocks.Submitted(*blocks);
        return reply;
      },
      std::move(done));
}

master::Queries& MasterProcess::queries() {
  if (!queries_) {
    queries_ = std::make_unique<master::Queries>(
        master::Queries::Options{.meta = &store_,
                                 .core = shell_.get(),
                                 .feed = &feed_,
                                 .shortage = &engine_->shortage(),
                                 .make_definition = DefinitionOf,
                                 .pages = options_.rules->queries.pages});
  }
  return *queries_;
}

void MasterProcess::Query(const Caller& caller, rpc::QueryRequest request, Duration deadline,
                          Done<rpc::QueryReply> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "Query", request); !may.ok())
    return done(may);
  options_.rules->queries.Admitted(caller.who);
  Serve<rpc::QueryReply>(
      [this, request = std::move(request), deadline] {
        const QueryRules::Before before = options_.rules->queries.Now();
        StatusOr<rpc::QueryReply> reply = queries().Query(request, deadline);
        if (!threads_.ended()) options_.rules->queries.Answered(request, before, reply);
        return reply;
      },
      std::move(done));
}

void MasterProcess::Events(const Caller& caller, rpc::EventsRequest request, Duration deadline,
                           Done<rpc::EventsReply> done) {
  if (const Status may = AuthorizeRequest<rpc::ClientService>(caller, "Events", request); !may.ok())
    return done(may);
  options_.rules->queries.Admitted(caller.who);
  Serve<rpc::EventsReply>(
      [this, request = std::move(request), deadline] {
        const QueryRules::Before before = options_.rules->queries.Now();
        StatusOr<rpc::EventsReply> reply = queries().Events(request, deadline);
        if (!threads_.ended()) options_.rules->queries.Answered(request, before, reply);
        return reply;
      },
      std::move(done));
}

void MasterProcess::CheckWait(Duration waited) {
  constexpr Duration kMost = std::chrono::seconds(20);
  if (waited > kMost)
    options_.breach(absl::StrCat("a message waited ", Seconds(waited), " s for memory"));
}

void MasterProcess::CheckSize(const storage::MetaBatch& batch) {
  constexpr uint64_t kLargestNotes = 1000;  // bytes of batches about blocks
  const uint64_t most = std::max(options_.bounds.batch_bytes + largest_step_, kLargestNotes);
  if (batch.bytes() > most)
    options_.breach(absl::StrCat("a batch of ", batch.bytes(), " bytes may have ", most));
}

void MasterProcess::Began(const master::Core& core, const master::Output& output) {
  core_ = &core;
  largest_step_ = output.batch.bytes();
  if (!threads_.ended()) options_.rules->lives.CheckRecovered(core);
}

void MasterProcess::BeforeStep(const master::Arrival& arrival, const master::Output& output) {
  bytes_before_step_ = output.batch.bytes();
  CheckTimer(arrival);
  options_.rules->peers.BeforeStep(*core_, arrival.event, SenderOf(arrival.event));
  options_.rules->rights.BeforeStep(*core_, arrival.event);
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

void MasterProcess::CheckTimer(const master::Arrival& arrival) {
  const Instant now = options_.time->now();
  const bool is_tick = std::holds_alternative<master::Tick>(arrival.event);
  // The core was waiting if it takes an event at once.
  const bool was_waiting = !is_tick && arrival.at == now;
  if (was_waiting && core_->NextDeadline() < now - std::chrono::milliseconds(1))
    options_.breach("the core sleeps past its deadline");
  if (!is_tick) return;
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

void MasterProcess::Observe(const master::Effect& effect) {
  options_.rules->releases.Check(effect);
  if (const auto* publish = std::get_if<master::Publish>(&effect))
    published_[publish->job] = publish->round;
  const auto* answer = std::get_if<master::Answer>(&effect);
  if (answer == nullptr) return;
  if (const auto* lease = std::get_if<rpc::LeaseReply>(&answer->reply);
      lease != nullptr && !lease->leases.empty()) {
    first_lease_ = std::min(first_lease_, options_.time->now());
  }
  if (!answered_.insert(answer->token).second) options_.breach("a request is answered twice");
}

void MasterProcess::Release(std::vector<master::Effect>& effects) {
  for (const master::Effect& effect : effects) Observe(effect);
  gateway_.BeforeDispatch(effects);
  dispatcher_->Release(effects);
  gateway_.AfterDispatch(feed_, sessions_);
}

}  // namespace dl::sim
