#include "master/gateway/gateway.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/trace.h"
#include "master/core/record_keys.h"
#include "master/gateway/contents.h"
#include "master/gateway/documents.h"
#include "master/gateway/executor_requests.h"
#include "master/job_definition.h"

namespace dl::master {

Gateway::Gateway(Options options)
    : meta_(*options.meta),
      blobs_(*options.blobs),
      checkpoints_(*options.checkpoints),
      core_({.core = options.core,
             .meta = &meta_,
             .log = &log_,
             .on_fatal =
                 [this, on_fatal = std::move(options.on_fatal)](const Status& status) {
                   feed_.Close();
                   on_fatal(status);
                 }}),
      engine_({.checkpoints = &checkpoints_,
               .term = options.recovered.term,
               .material = [this, measures = options.core.records_history](
                               const std::string& job) -> StatusOr<JobMaterial> {
                 DL_ASSIGN_OR_RETURN(std::string spec, Document(meta_, keys::Spec(job), "spec"));
                 DL_ASSIGN_OR_RETURN(JobMaterial material,
                                     MaterialFromSpec(spec, [this](const std::string& sha256) {
                                       return blobs_.Get(sha256);
                                     }));
                 material.measures_layers = measures;
                 return material;
               },
               .post = [this](Event event) { core_.Post(std::move(event)); }}),
      uploads_({.meta = &meta_, .blobs = &blobs_}),
      actions_({.meta = &meta_, .uploads = &uploads_, .core = &core_, .log = &log_}),
      queries_({.meta = &meta_,
                .core = &core_,
                .feed = &feed_,
                .shortage = &engine_.shortage(),
                .data_dir = std::move(options.data_dir)}),
      retention_({.kept = options.kept, .meta = &meta_, .actions = &actions_, .log = &log_}),
      dispatcher_(
          {.meta = &meta_,
           .core = &core_,
           .feed = &feed_,
           .log = &log_,
           .sessions = &sessions_,
           .engine = &engine_,
           .job_released = [this](const std::string& job) { retention_.JobReleased(job); }}) {
  core_.Start(std::move(options.recovered),
              [this](std::vector<Effect>& effects) { dispatcher_.Release(effects); });
}

// Threads that release effects must end before the objects that receive them.
Gateway::~Gateway() {
  feed_.Close();
  actions_.Close();
  core_.Stop();
  queries_.Stop();
}

int64_t Gateway::waiting() { return core_.waiting(); }
int64_t Gateway::wake_ups() { return core_.wake_ups(); }
void Gateway::Shutdown(Duration limit) { core_.Shutdown(limit); }

StatusOr<rpc::RegisterReply> Gateway::Register(const rpc::RegisterRequest& request,
                                               Duration deadline) {
  DL_ASSIGN_OR_RETURN(rpc::RegisterRequest checked, ForCore(request));
  return core_.SendRequest<rpc::RegisterReply>(std::move(checked), deadline);
}

StatusOr<rpc::HeartbeatReply> Gateway::Heartbeat(const rpc::HeartbeatRequest& request,
                                                 Duration deadline) {
  auto reply = core_.SendRequest<rpc::HeartbeatReply>(request, deadline);
  if (reply.ok()) sessions_.RecordWork(request.session, *reply);
  return reply;
}

Status Gateway::Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) {
  return core_.SendRequest<std::monostate>(request, deadline).status();
}

StatusOr<rpc::LeaseReply> Gateway::LeaseUnits(const rpc::LeaseRequest& request, Duration deadline) {
  DL_ASSIGN_OR_RETURN(rpc::LeaseRequest checked, ForCore(request));
  auto reply = core_.SendRequest<rpc::LeaseReply>(std::move(checked), deadline);
  if (reply.ok()) sessions_.RecordWork(request.session, *reply);
  return reply;
}

StatusOr<rpc::AnnounceReply> Gateway::Announce(const rpc::AnnounceRequest& request,
                                               Duration deadline) {
  return core_.SendRequest<rpc::AnnounceReply>(ForCore(request), deadline);
}

Status Gateway::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return core_.SendRequest<std::monostate>(ForCore(request), deadline).status();
}

void Gateway::ConnectionLost(uint64_t session) { core_.Post(SessionDisconnected{session}); }

StatusOr<rpc::FetchJobReply> Gateway::FetchJob(const rpc::FetchJobRequest& request, Duration) {
  // Jobs of others give the same error as unknown names, because names are easily guessed.
  if (!sessions_.HasJob(request.session, request.job)) {
    return NotFound({.message = "no unit of this job was leased in this session",
                     .where = request.job,
                     .remedy = "Lease a unit of the job first"});
  }
  return DocumentsOf(meta_, request.job);
}

StatusOr<rpc::Chunk> Gateway::FetchBlock(const rpc::FetchRequest& request, Duration) {
  return BlockChunk(blobs_, request);
}

StatusOr<rpc::Chunk> Gateway::FetchPart(const rpc::FetchRequest& request, Duration) {
  return engine_.FetchPart(request);
}

StatusOr<rpc::ContributionReply> Gateway::Contribute(const rpc::ContributionChunk& chunk,
                                                     Duration) {
  const Span span(spans::kStage, SubjectOf(chunk.unit));
  return engine_.Contribute(chunk);
}

Status Gateway::OfferPart(const rpc::OfferChunk& chunk, Duration) {
  return engine_.OfferPart(chunk);
}

SharedVector Gateway::FindPart(const std::string& job, const std::string& sha256) {
  return engine_.FindPart(job, sha256);
}

StatusOr<rpc::ContributionReply> Gateway::Contribute(uint64_t session, const UnitId& unit,
                                                     uint64_t hash, SharedVector vector) {
  return engine_.Contribute(session, unit, hash, std::move(vector));
}

StatusOr<rpc::MissingBlocksReply> Gateway::MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                         Duration) {
  rpc::MissingBlocksReply reply;
  DL_ASSIGN_OR_RETURN(reply.missing, uploads_.Missing(request.sha256));
  return reply;
}

Status Gateway::PutBlocks(const rpc::PutBlocksRequest& request, Duration) {
  return uploads_.Put(request);
}

StatusOr<rpc::SubmitReply> Gateway::Submit(const rpc::SubmitRequest& request, Duration deadline) {
  return actions_.Submit(request, deadline);
}

StatusOr<rpc::JobActionReply> Gateway::Act(const rpc::JobActionRequest& request,
                                           Duration deadline) {
  return actions_.Act(request, deadline);
}

StatusOr<rpc::QueryReply> Gateway::Query(const rpc::QueryRequest& request, Duration deadline) {
  return queries_.Query(request, deadline);
}

StatusOr<rpc::EventsReply> Gateway::Events(const rpc::EventsRequest& request, Duration deadline) {
  return queries_.Events(request, deadline);
}

bool Gateway::Works(Duration limit) {
  return core_.WaitsForStore() || Query({.what = rpc::QueryKind::kCluster}, limit).ok();
}

StatusOr<rpc::DrainReply> Gateway::Drain(const rpc::DrainRequest& request, Duration deadline) {
  return core_.SendRequest<rpc::DrainReply>(request, deadline);
}

StatusOr<rpc::MeasureReply> Gateway::Measure(const rpc::MeasureRequest& request, Duration) {
  if (request.reply_bytes < 0 || request.reply_bytes > limits::kChunkBytes) {
    return InvalidArgument({.message = absl::StrCat("must be from 0 to ", limits::kChunkBytes,
                                                    ", is ", request.reply_bytes),
                            .where = "reply_bytes"});
  }
  return rpc::MeasureReply{.bytes = std::string(static_cast<size_t>(request.reply_bytes), '\0'),
                           .unix_ms = Clock::Real().WallUnixMs()};
}

// Peers choose how often they call the next two functions. The core's answer to AwaitCore() shows
// that it has processed all earlier events of the caller. So the queue has at most one event of
// each call in progress.
Status Gateway::AwaitCore(Duration deadline) {
  return core_.SendRequest<JobViews>(JobsQuery{}, deadline).status();
}

StatusOr<rpc::Chunk> Gateway::FetchCheckpoint(const rpc::FetchRequest& request, Duration deadline) {
  return CheckpointChunk(meta_, checkpoints_, request, [&](const CheckpointName& read) -> Status {
    DL_RETURN_IF_ERROR(AwaitCore(deadline));
    core_.Post(CheckpointRead{.checkpoint = read, .reader = request.reader});
    return absl::OkStatus();
  });
}

Status Gateway::EndRead(const rpc::EndReadRequest& request, Duration deadline) {
  std::optional<CheckpointName> name = ParseCheckpointName(request.checkpoint);
  if (!name) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", request.checkpoint, "\" is not of the form JOB@ROUND"),
         .where = "checkpoint"});
  }
  DL_RETURN_IF_ERROR(AwaitCore(deadline));
  core_.Post(ReadEnded{.checkpoint = *std::move(name), .reader = request.reader});
  return absl::OkStatus();
}

}  // namespace dl::master
