#include "master/gateway.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "master/core/keys.h"

namespace dl::master {
namespace {

rpc::Chunk Slice(std::string_view whole, int64_t offset, int64_t length) {
  const std::string_view bytes = whole.substr(offset, length);
  return {.total = static_cast<int64_t>(whole.size()),
          .offset = offset,
          .chunk_xxh3 = Xxh3(bytes),
          .bytes = std::string(bytes)};
}

Status CheckSlice(const rpc::FetchRequest& request, int64_t total) {
  if (request.offset < 0 || request.offset > total || request.length < 0 ||
      request.length > limits::kChunkBytes) {
    return InvalidArgument(
        {.message = absl::StrCat("bytes ", request.offset, " and the ", request.length,
                                 " behind are asked of a content of ", total)});
  }
  return absl::OkStatus();
}

Status Stopping() {
  return Unavailable({.message = "the master is stopping", .remedy = "Try again when it is back"});
}

}  // namespace

Gateway::Gateway(Options options) : options_(std::move(options)), feed_(options_.recovered.term) {
  engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
      .checkpoints = options_.checkpoints,
      .term = options_.recovered.term,
      .material = [this](const std::string& job) -> StatusOr<JobMaterial> {
        DL_ASSIGN_OR_RETURN(std::string spec, Document(keys::Spec(job), "spec"));
        return MaterialFromSpec(spec);
      },
      .post = [this](Event event) { Post(std::move(event)); }});
  core_thread_ = Thread("core", [this] { RunCore(); });
}

Gateway::~Gateway() {
  feed_.Close();
  {
    MutexLock lock(mutex_);
    stop_ = true;
    wake_core_.NotifyAll();
    answered_.NotifyAll();
  }
  core_thread_.Join();
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
    answered_.WaitFor(mutex_, left);
  }
}

void Gateway::Post(Event event) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(event));
  wake_core_.NotifyOne();
}

StatusOr<Reply> Gateway::Ask(uint64_t token, Event event, Duration deadline) {
  const Instant end = Clock::Real().Now() + deadline;
  auto waiter = std::make_shared<Waiter>();
  MutexLock lock(mutex_);
  if (stop_ || dead_) return Stopping();
  if (static_cast<int64_t>(waiters_.size()) >= limits::kMaxRequestsWaiting) {
    return ResourceExhausted(
        {.message = "too many requests wait for the master", .remedy = "Try again later"});
  }
  waiters_[token] = waiter;
  queue_.push_back(std::move(event));
  wake_core_.NotifyOne();
  while (!waiter->done && !stop_ && !dead_) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    answered_.WaitFor(mutex_, left);
  }
  waiters_.erase(token);
  if (!waiter->done)
    return stop_ || dead_ ? Stopping()
                          : DeadlineExceeded({.message = "the master did not answer in time"});
  if (!waiter->status.ok()) return waiter->status;
  return std::move(waiter->reply);
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> Gateway::AskFor(const Request& request, Duration deadline) {
  const uint64_t token = next_token_++;
  DL_ASSIGN_OR_RETURN(Reply reply, Ask(token, Asked<Request>{token, request}, deadline));
  if constexpr (std::is_same_v<ReplyType, std::monostate>) {
    return std::monostate{};
  } else {
    ReplyType* typed = std::get_if<ReplyType>(&reply);
    if (typed == nullptr) return Internal({.message = "the core gave an answer of another kind"});
    return std::move(*typed);
  }
}

void Gateway::RunCore() {
  Clock& clock = Clock::Real();
  Output output;
  Core core(options_.core, std::move(options_.recovered), clock.Now(), output);
  std::vector<Event> drained;
  for (;;) {
    // One synced batch for everything that was drained; nothing leaves before it is durable.
    if (Status status = options_.meta->Write(output.batch); !status.ok()) {
      LogError("the store failed: ", DescribeError(status));
      {
        MutexLock lock(mutex_);
        dead_ = true;
        answered_.NotifyAll();
      }
      feed_.Close();
      options_.on_fatal(status);
      return;
    }
    (void)FailPoint("master.durable");
    Release(output);
    output = {};
    drained.clear();
    {
      MutexLock lock(mutex_);
      if (core.ReadyToStop()) {
        ready_to_stop_ = true;
        answered_.NotifyAll();
      }
      for (;;) {
        if (stop_) return;
        if (!queue_.empty()) break;
        const Duration left = core.NextDeadline() == Instant::Max()
                                  ? Duration(std::chrono::hours(1))
                                  : core.NextDeadline() - clock.Now();
        if (left <= Duration::zero()) break;
        wake_core_.WaitFor(mutex_, left);
      }
      drained.swap(queue_);
    }
    if (drained.empty()) drained.push_back(Tick{});
    for (const Event& event : drained) core.Step(event, clock.Now(), clock.WallUnixMs(), output);
  }
}

void Gateway::Release(Output& output) {
  for (Effect& effect : output.effects) {
    if (Answer* answer = std::get_if<Answer>(&effect)) {
      MutexLock lock(mutex_);
      auto waiter = waiters_.find(answer->token);
      if (waiter == waiters_.end()) continue;  // gave up waiting; it will ask again
      waiter->second->done = true;
      waiter->second->status = std::move(answer->status);
      waiter->second->reply = std::move(answer->reply);
      answered_.NotifyAll();
    } else if (Emit* emit = std::get_if<Emit>(&effect)) {
      feed_.Append(emit->job, std::move(emit->event));
    } else {
      std::visit(
          [this](auto& e) {
            using T = std::decay_t<decltype(e)>;
            if constexpr (!std::is_same_v<T, Answer> && !std::is_same_v<T, Emit>) engine_->Do(e);
          },
          effect);
    }
  }
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

// ---- executors ----

StatusOr<rpc::RegisterReply> Gateway::Register(const rpc::RegisterRequest& request,
                                               Duration deadline) {
  if (request.executor.empty() || request.slots < 1 || request.contract.empty()) {
    return InvalidArgument(
        {.message =
             "an executor registers with a name, at least one slot and its kernel contract"});
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
  return AskFor<rpc::AnnounceReply>(request, deadline);
}

Status Gateway::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return AskFor<std::monostate>(request, deadline).status();
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
  DL_ASSIGN_OR_RETURN(std::string block, options_.blobs->Get(request.sha256));
  DL_RETURN_IF_ERROR(CheckSlice(request, static_cast<int64_t>(block.size())));
  return Slice(block, request.offset, request.length);
}

StatusOr<rpc::ContributionReply> Gateway::Contribute(const rpc::ContributionChunk& chunk,
                                                     Duration) {
  return engine_->Contribute(chunk);
}

Status Gateway::OfferPart(const rpc::OfferChunk& chunk, Duration) {
  return engine_->OfferPart(chunk);
}

void Gateway::ConnectionLost(uint64_t session) { Post(SessionDisconnected{session}); }

// ---- clients ----

StatusOr<rpc::MissingBlocksReply> Gateway::MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                         Duration) {
  rpc::MissingBlocksReply reply;
  DL_ASSIGN_OR_RETURN(reply.missing, options_.blobs->Missing(request.sha256));
  return reply;
}

Status Gateway::PutBlock(const rpc::PutBlockRequest& request, Duration) {
  const storage::Blob blob{request.sha256, std::as_bytes(std::span(request.bytes))};
  return options_.blobs->Put(std::span(&blob, 1));
}

StatusOr<rpc::SubmitReply> Gateway::Submit(const rpc::SubmitRequest& request, Duration deadline) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "a submission needs a request id"});
  Submission submission{.request_id = request.request_id,
                        .spec = request.spec,
                        .train_manifest = request.train_manifest,
                        .test_manifest = request.test_manifest,
                        .resume_from = request.resume_from,
                        .init_from = request.init_from};
  DL_ASSIGN_OR_RETURN(
      submission.definition,
      DefinitionFromDocuments("", request.spec, request.train_manifest, request.test_manifest));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> blocks,
                      BlocksOf(request.train_manifest, request.test_manifest));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> missing, options_.blobs->Missing(blocks));
  if (!missing.empty()) {
    return FailedPrecondition(
        {.message = absl::StrCat(missing.size(), " blocks of the dataset are not on the master"),
         .where = missing.front(),
         .remedy = "Upload them first; dl-submit does"});
  }
  return AskFor<rpc::SubmitReply>(submission, deadline);
}

StatusOr<rpc::JobActionReply> Gateway::Act(const rpc::JobActionRequest& request,
                                           Duration deadline) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "a request needs a request id"});
  return AskFor<rpc::JobActionReply>(request, deadline);
}

StatusOr<rpc::QueryReply> Gateway::Query(const rpc::QueryRequest& request, Duration deadline) {
  if (request.what == "spec") {
    rpc::QueryReply reply;
    DL_ASSIGN_OR_RETURN(reply.json, Document(keys::Spec(request.job), "spec"));
    return reply;
  }
  if (request.what == "train_manifest" || request.what == "test_manifest") {
    const bool test = request.what == "test_manifest";
    rpc::QueryReply reply;
    DL_ASSIGN_OR_RETURN(reply.json, Document(test ? keys::TestManifest(request.job)
                                                  : keys::TrainManifest(request.job),
                                             test ? "test manifest" : "training manifest"));
    return reply;
  }
  if (request.what == "log") {
    Json list = Json::array();
    DL_RETURN_IF_ERROR(options_.meta->Scan(
        keys::LogPrefix(request.job), [&](std::string_view key, std::string_view text) -> Status {
          DL_ASSIGN_OR_RETURN(Json record, ParseJson(text, key));
          list.push_back(std::move(record));
          return absl::OkStatus();
        }));
    return rpc::QueryReply{list.dump()};
  }
  return AskFor<rpc::QueryReply>(request, deadline);
}

StatusOr<rpc::EventsReply> Gateway::Events(const rpc::EventsRequest& request, Duration deadline) {
  const Duration wait =
      std::min<Duration>({std::chrono::milliseconds(std::max<int64_t>(0, request.wait_ms)),
                          limits::kLongPoll, deadline});
  rpc::EventsReply reply = feed_.Read(request.job, request.after, wait);
  if (!reply.events.empty()) return reply;
  // Nothing is remembered: an unknown job, a quiet one, or one that ended before this master
  // started.
  DL_ASSIGN_OR_RETURN(rpc::QueryReply result,
                      Query({.what = "result", .job = request.job}, deadline));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(result.json, "result"));
  JobState state = JobState::kQueued;
  if (ParseJobState(json.value("state", ""), state) && IsTerminal(state)) {
    reply.events.push_back(std::move(result.json));
    reply.terminal = true;
  }
  return reply;
}

StatusOr<rpc::Chunk> Gateway::FetchCheckpoint(const rpc::FetchRequest& request, Duration) {
  const size_t slash = request.sha256.rfind('/');
  const size_t at = request.sha256.rfind('@', slash);
  int64_t round = -1;
  if (slash == std::string::npos || at == std::string::npos ||
      !absl::SimpleAtoi(request.sha256.substr(at + 1, slash - at - 1), &round) || round < 0) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", request.sha256, "\" is not of the form JOB@ROUND/PART")});
  }
  MutexLock lock(export_mutex_);
  if (export_name_ != request.sha256 || request.offset == 0) {
    DL_ASSIGN_OR_RETURN(
        std::string text,
        Document(keys::Checkpoint(request.sha256.substr(0, at), round), "checkpoint"));
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, request.sha256));
    DL_ASSIGN_OR_RETURN(
        storage::CheckpointManifest manifest,
        storage::CheckpointManifestFromJson(json.value("manifest", Json()), request.sha256));
    const std::string part = request.sha256.substr(slash + 1);
    const int index = manifest.PartIndex(part);
    if (index < 0) {
      return NotFound(
          {.message = absl::StrCat("checkpoint ", manifest.Name(), " has no part \"", part, "\"")});
    }
    DL_ASSIGN_OR_RETURN(
        FloatBuffer buffer,
        FloatBuffer::Create(manifest.parts[index].bytes / static_cast<int64_t>(sizeof(float))));
    DL_RETURN_IF_ERROR(
        options_.checkpoints->Read(manifest, part, std::as_writable_bytes(buffer.span())));
    export_part_ = std::make_shared<const FloatBuffer>(std::move(buffer));
    export_name_ = request.sha256;
  }
  const std::span<const std::byte> bytes = AsBytes(*export_part_);
  DL_RETURN_IF_ERROR(CheckSlice(request, static_cast<int64_t>(bytes.size())));
  return Slice({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, request.offset,
               request.length);
}

}  // namespace dl::master
