#include "master/gateway.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "master/core/keys.h"
#include "master/log_reading.h"
#include "master/merge/slice.h"
#include "rpc/executor_name.h"
#include "rpc/failure_report.h"

namespace dl::master {
namespace {

// What happens to jobs, for whoever runs the master: their states and warnings; else empty.
std::string LogLineOf(const std::string& job, const Json& event) {
  const std::string type = event.value("type", ""), message = event.value("message", "");
  if (type == "warning") return absl::StrCat("job ", job, ": ", message);
  if (type != "state") return "";
  const std::string reason = event.value("reason", "");
  return absl::StrCat("job ", job, ": ", event.value("state", ""),
                      reason.empty() ? "" : absl::StrCat(" (", reason, ")"),
                      message.empty() ? "" : ": ", message);
}

bool PublishesAhead(const Output& output) {
  return std::any_of(output.ahead.begin(), output.ahead.end(),
                     [](const Effect& effect) { return std::holds_alternative<Publish>(effect); });
}

}  // namespace

Gateway::Gateway(Options options)
    : options_(std::move(options)),
      history_(*options_.meta, DefinitionFromDocuments),
      log_("log"),
      round_logs_("round-logs"),
      collection_("collection") {
  engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
      .checkpoints = options_.checkpoints,
      .term = options_.recovered.term,
      .material = [this](const std::string& job) -> StatusOr<JobMaterial> {
        DL_ASSIGN_OR_RETURN(std::string spec, Document(keys::Spec(job), "spec"));
        return MaterialFromSpec(spec);
      },
      .post = [this](Event event) { Post(std::move(event)); }});
  collection_.Post([this] {  // what an earlier life did not come to
    {
      const auto turn = acting_.Take(1, Instant::Max());
      if (turn.ok()) (void)Collect();
    }
    Retain();
  });
  writer_thread_ = Thread("writer", [this] { RunWriter(); });
  core_thread_ = Thread("core", [this, now = Clock::Real().Now()] { RunCore(now); });
}

Gateway::~Gateway() {
  feed_.Close();
  validating_.Close();
  acting_.Close();
  {
    MutexLock lock(mutex_);
    stop_ = true;
    wake_core_.NotifyAll();
    wake_writer_.NotifyAll();
    WakeEverybody();
  }
  core_thread_.Join();
  writer_thread_.Join();
  engine_.reset();
}

void Gateway::Shutdown(Duration limit) {
  {
    MutexLock lock(mutex_);
    if (shut_down_ || dead_) return;
    shut_down_ = true;
  }
  Post(ShutdownRequested{});
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (!ready_to_stop_ && !dead_) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    stopping_.WaitFor(mutex_, left);
  }
}

void Gateway::Post(Event event) {
  MutexLock lock(mutex_);
  Enqueue(std::move(event));
}

void Gateway::Enqueue(Event event) {
  queue_.push_back({Clock::Real().Now(), std::move(event)});
  wake_core_.NotifyOne();
}

bool Gateway::Persist(const storage::MetaBatch& batch) {
  Span span(spans::kCommit);
  const Status status = options_.meta->Write(batch);
  span.End();
  if (status.ok()) return true;
  LogError("the store failed: ", DescribeError(status));
  {
    MutexLock lock(mutex_);
    dead_ = true;
    wake_core_.NotifyAll();
    WakeEverybody();
  }
  feed_.Close();
  options_.on_fatal(status);
  return false;
}

std::optional<std::deque<Gateway::Arrival>> Gateway::TakeEvents(Instant due) {
  MutexLock lock(mutex_);
  for (;;) {
    if (stop_ || dead_) return std::nullopt;
    if (!queue_.empty()) return std::exchange(queue_, {});
    const Instant now = Clock::Real().Now();
    const Duration left = due == Instant::Max() ? Duration(std::chrono::hours(1)) : due - now;
    if (left <= Duration::zero()) return std::deque<Arrival>{{now, Tick{}}};
    wake_core_.WaitFor(mutex_, left);
  }
}

std::optional<uint64_t> Gateway::WaitForRoom() {
  constexpr auto kFull = static_cast<uint64_t>(limits::kMetaFullBatchBytes);
  MutexLock lock(mutex_);
  while (!stop_ && !dead_ &&
         (unwritten_.batch.bytes() >= kFull ||
          unwritten_.effects.size() >= limits::kMaxEffectsUnwritten)) {
    wake_core_.Wait(mutex_);
  }
  if (stop_ || dead_) return std::nullopt;
  return kFull - unwritten_.batch.bytes();
}

void Gateway::RunCore(Instant began) {
  Output output;
  Core core(options_.core, std::move(options_.recovered), began, output);
  std::deque<Arrival> drained;
  for (;;) {
    HandOver(output, core.ReadyToStop());
    output = {};
    if (drained.empty()) {
      auto events = TakeEvents(core.NextDeadline());
      if (!events) return;
      drained = *std::move(events);
    }
    // What would make the batch larger than the store takes waits for the next one.
    const std::optional<uint64_t> room = WaitForRoom();
    if (!room) return;
    while (!drained.empty() && output.batch.bytes() < *room) {
      Step(core, drained.front(), output);
      drained.pop_front();
    }
  }
}

void Gateway::Step(Core& core, const Arrival& arrival, Output& output) {
  const Span span(spans::kCore);
  const Duration before = ThreadTime();
  const Instant now = Clock::Real().Now();
  core.Step(arrival.event,
            {.now = now, .came = arrival.at, .wall_unix_ms = Clock::Real().WallUnixMs()}, output);
  const Duration computed = ThreadTime() - before;
  if (step_times_.Note(arrival.event, computed, now)) {
    WriteLog(absl::StrCat("everybody waited for the master while it took ", Seconds(computed),
                          " s for one ", std::string(KindOf(arrival.event))));
  }
}

void Gateway::HandOver(Output& output, bool ready_to_stop) {
  Release(output.ahead);
  {
    MutexLock lock(mutex_);
    if (writing_ || !unwritten_.empty() || !output.batch.empty()) {
      unwritten_.published_ahead |= !output.batch.empty() && PublishesAhead(output);
      unwritten_.ready_to_stop |= ready_to_stop;
      unwritten_.batch.Append(std::move(output.batch));
      std::move(output.effects.begin(), output.effects.end(),
                std::back_inserter(unwritten_.effects));
      wake_writer_.NotifyOne();
      return;
    }
  }
  // Everything before is durable and has left, and only this thread gives the writer work.
  Release(output.effects);
  if (ready_to_stop) NoteReadyToStop();
}

void Gateway::RunWriter() {
  for (;;) {
    Unwritten taken;
    {
      MutexLock lock(mutex_);
      writing_ = false;
      while (unwritten_.empty() && !stop_) wake_writer_.Wait(mutex_);
      if (unwritten_.empty()) return;
      taken = std::exchange(unwritten_, {});
      writing_ = true;
      wake_core_.NotifyOne();  // there is room
    }
    // One synced batch for everything that was stepped meanwhile. Executors may have begun; nothing
    // else leaves before it is durable.
    if (taken.published_ahead) (void)FailPoint("master.ahead");
    if (!Persist(taken.batch)) return;
    (void)FailPoint("master.durable");
    Release(taken.effects);
    if (taken.ready_to_stop) NoteReadyToStop();
  }
}

void Gateway::NoteReadyToStop() {
  MutexLock lock(mutex_);
  ready_to_stop_ = true;
  WakeEverybody();
}

void Gateway::Release(std::vector<Effect>& effects) {
  for (Effect& effect : effects) {
    if (Answer* answer = std::get_if<Answer>(&effect)) {
      Deliver(*answer);
    } else if (const Log* log = std::get_if<Log>(&effect)) {
      WriteLog(log->line);
    } else if (Emit* emit = std::get_if<Emit>(&effect)) {
      if (std::string line = LogLineOf(emit->job, emit->event); !line.empty())
        WriteLog(std::move(line));
      feed_.Append(emit->job, emit->sequence, emit->event);
    } else {
      std::visit(
          [this](auto& e) {
            using T = std::decay_t<decltype(e)>;
            if constexpr (std::is_same_v<T, SurveyLog> || std::is_same_v<T, ReadCommits>) {
              Do(e);
            } else if constexpr (std::is_same_v<T, ReleaseJob>) {
              engine_->Do(e);
              Post(EndRecorded{e.job, e.end});
              collection_.Post([this] { Retain(); });
            } else if constexpr (!std::is_same_v<T, Answer> && !std::is_same_v<T, Emit> &&
                                 !std::is_same_v<T, Log>) {
              engine_->Do(e);
            }
          },
          effect);
    }
  }
}

void Gateway::Do(const SurveyLog& effect) {
  round_logs_.Post([this, effect] { Post(Survey(*options_.meta, effect)); });
}

void Gateway::Do(const ReadCommits& effect) {
  round_logs_.Post([this, effect] { Post(Read(*options_.meta, effect)); });
}

void Gateway::WriteLog(std::string line) {
  constexpr size_t kMostWaiting = 1000;  // more are lost
  if (log_.pending() < kMostWaiting) log_.Post([line = std::move(line)] { LogInfo(line); });
}

StatusOr<std::string> Gateway::Document(const std::string& key, std::string_view what) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> text, options_.meta->Get(key));
  if (!text) {
    return NotFound({.message = absl::StrCat("there is no ", std::string(what), " of that job"),
                     .where = key.substr(key.find('/') + 1),
                     .remedy = "List the jobs with: dl-submit list"});
  }
  return *std::move(text);
}

namespace {

bool NamesItsContracts(const rpc::RegisterRequest& request) {
  return !request.contracts.empty() &&
         static_cast<int64_t>(request.contracts.size()) <= limits::kMaxContracts &&
         std::ranges::none_of(request.contracts, [](const rpc::OfferedContract& offered) {
           return offered.contract.empty();
         });
}

}  // namespace

StatusOr<rpc::RegisterReply> Gateway::Register(const rpc::RegisterRequest& request,
                                               Duration deadline) {
  if (!rpc::IsExecutorName(request.executor) || request.slots < 1 || !NamesItsContracts(request) ||
      request.unit_memory_bytes < 0) {
    return InvalidArgument(
        {.message = absl::StrCat("an executor registers with a name of ", rpc::kExecutorNameRule,
                                 ", at least one slot, one to ", limits::kMaxContracts,
                                 " kernel contracts, and no negative memory")});
  }
  return AskFor<rpc::RegisterReply>(request, deadline);
}

StatusOr<rpc::HeartbeatReply> Gateway::Heartbeat(const rpc::HeartbeatRequest& request,
                                                 Duration deadline) {
  return AskFor<rpc::HeartbeatReply>(request, deadline);
}

Status Gateway::Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) {
  return AskFor<std::monostate>(request, deadline).status();
}

StatusOr<rpc::LeaseReply> Gateway::LeaseUnits(const rpc::LeaseRequest& request, Duration deadline) {
  rpc::LeaseRequest bounded = request;
  bounded.wait_ms =
      std::clamp<int64_t>(request.wait_ms, 0, limits::kLongPoll / std::chrono::milliseconds(1));
  return AskFor<rpc::LeaseReply>(bounded, deadline);
}

StatusOr<rpc::AnnounceReply> Gateway::Announce(const rpc::AnnounceRequest& request,
                                               Duration deadline) {
  for (double magnitude : request.magnitudes) {
    if (!(magnitude >= 0 &&
          magnitude <= 1e77)) {  // a squared float at most: NaN and infinity never get in
      return InvalidArgument({.message = "an announced magnitude is not a finite number",
                              .where = ToString(request.unit)});
    }
  }
  return AskFor<rpc::AnnounceReply>(Understand(request), deadline);
}

Status Gateway::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return AskFor<std::monostate>(rpc::CutToLimits(request), deadline).status();
}

StatusOr<rpc::FetchJobReply> Gateway::FetchJob(const rpc::FetchJobRequest& request, Duration) {
  rpc::FetchJobReply reply;
  DL_ASSIGN_OR_RETURN(reply.spec, Document(keys::Spec(request.job), "spec"));
  DL_ASSIGN_OR_RETURN(reply.train_manifest,
                      Document(keys::TrainManifest(request.job), "training manifest"));
  DL_ASSIGN_OR_RETURN(std::optional<std::string> test,
                      options_.meta->Get(keys::TestManifest(request.job)));
  reply.test_manifest = test.value_or("");
  DL_ASSIGN_OR_RETURN(std::string text, Document(keys::Job(request.job), "record"));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, request.job));
  DL_ASSIGN_OR_RETURN(JobRecord record, JobRecordFromJson(json, request.job));
  reply.contract = record.contract;
  return reply;
}

StatusOr<rpc::Chunk> Gateway::FetchPart(const rpc::FetchRequest& request, Duration) {
  return engine_->FetchPart(request);
}

StatusOr<rpc::Chunk> Gateway::FetchBlock(const rpc::FetchRequest& request, Duration) {
  // The whole is no more than a block; how much of it there is, the store says.
  DL_RETURN_IF_ERROR(BytesAsked(request, limits::kMaxBlockBytes).status());
  DL_ASSIGN_OR_RETURN(storage::BlobStore::Range range,
                      options_.blobs->GetRange(request.sha256, request.offset, request.length));
  rpc::Chunk chunk{.total = range.total, .offset = request.offset};
  chunk.chunk_xxh3 = Xxh3(range.bytes);
  chunk.bytes = std::move(range.bytes);
  return chunk;
}

StatusOr<rpc::ContributionReply> Gateway::Contribute(const rpc::ContributionChunk& chunk,
                                                     Duration) {
  const Span span(spans::kStage, Of(chunk.unit));
  return engine_->Contribute(chunk);
}

SharedVector Gateway::FindPart(const std::string& job, const std::string& sha256) {
  return engine_->FindPart(job, sha256);
}

StatusOr<rpc::ContributionReply> Gateway::Contribute(uint64_t session, const UnitId& unit,
                                                     uint64_t hash, SharedVector vector) {
  return engine_->Contribute(session, unit, hash, std::move(vector));
}

Status Gateway::OfferPart(const rpc::OfferChunk& chunk, Duration) {
  return engine_->OfferPart(chunk);
}

void Gateway::ConnectionLost(uint64_t session) { Post(SessionDisconnected{session}); }

}  // namespace dl::master
