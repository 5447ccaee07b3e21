// The gateway's service for clients: datasets in, jobs in, answers and checkpoints out.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "master/core/keys.h"
#include "master/gateway.h"
#include "master/merge/slice.h"
#include "master/recovery.h"

namespace dl::master {
namespace {

// One batch of the store holds them all.
Status CheckSize(const rpc::SubmitRequest& request) {
  if (static_cast<int64_t>(request.spec.size()) > limits::kMaxSpecBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the job's spec has ", request.spec.size(),
                                 " bytes, the limit is ", limits::kMaxSpecBytes),
         .where = "spec",
         .remedy = "Describe a model of fewer layers."});
  }
  const size_t bytes =
      request.spec.size() + request.train_manifest.size() + request.test_manifest.size();
  if (static_cast<int64_t>(bytes) <= limits::kMaxSubmissionBytes) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("the job's spec and manifests have ", bytes, " bytes, the limit is ",
                               limits::kMaxSubmissionBytes),
       .where = "data",
       .remedy = "Train on fewer files at once, and leave out names of classes and features that "
                 "nobody reads."});
}

}  // namespace

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
  DL_RETURN_IF_ERROR(CheckSize(request));
  DL_RETURN_IF_ERROR(options_.meta->CheckRoom());
  // Documents take many times their size while they are looked at: one submission at a time.
  const Instant end = Clock::Real().Now() + deadline;
  DL_ASSIGN_OR_RETURN(MemoryBudget::Charge turn, validating_.Take(1, end));
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
  turn.ShrinkTo(0);
  return AskFor<rpc::SubmitReply>(std::move(submission), end - Clock::Real().Now());
}

StatusOr<rpc::JobActionReply> Gateway::Act(const rpc::JobActionRequest& request,
                                           Duration deadline) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "a request needs a request id"});
  DL_ASSIGN_OR_RETURN(const UserAction action, ReadyForCore(*options_.meta, request));
  return AskFor<rpc::JobActionReply>(action, deadline);
}

StatusOr<rpc::QueryReply> Gateway::LogPage(const rpc::QueryRequest& request) {
  if (request.first < 0)
    return InvalidArgument({.message = "records of the round log are counted from 0"});
  // As stored: records are JSON, and nothing is built of them here.
  rpc::QueryReply page{.json = "["};
  for (int64_t index = request.first;; ++index) {
    DL_ASSIGN_OR_RETURN(const std::optional<std::string> record,
                        options_.meta->Get(keys::LogRecord(request.job, index)));
    if (!record) break;
    if (index > request.first) {
      const auto bytes = static_cast<int64_t>(page.json.size() + record->size() + 2);
      if (bytes > limits::kMaxLogPageBytes) {
        page.next_page = index;
        break;
      }
      page.json += ',';
    }
    page.json += *record;
  }
  page.json += ']';
  return page;
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
  if (request.what == "log") return LogPage(request);
  DL_ASSIGN_OR_RETURN(rpc::QueryReply reply, AskFor<rpc::QueryReply>(request, deadline));
  if (request.what == "cluster") {
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply.json, "cluster"));
    json["core"] = step_times_.ToJson();
    reply.json = JsonText(json);
  }
  return reply;
}

StatusOr<rpc::EventsReply> Gateway::Events(const rpc::EventsRequest& request, Duration deadline) {
  const Duration wait =
      std::min<Duration>({std::chrono::milliseconds(std::max<int64_t>(0, request.wait_ms)),
                          limits::kLongPoll, deadline});
  // Of a job that the feed knows nothing of, the core is asked before anything is waited for: it
  // may be unknown, or have ended before this master started.
  const bool remembered = feed_.Remembers(request.job);
  rpc::EventsReply reply =
      feed_.Read(request.job, request.after, remembered ? wait : Duration::zero());
  if (!reply.events.empty()) return reply;
  DL_ASSIGN_OR_RETURN(rpc::QueryReply result,
                      Query({.what = "result", .job = request.job}, deadline));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(result.json, "result"));
  JobState state = JobState::kQueued;
  if (ParseJobState(json.value("state", ""), state) && IsTerminal(state)) {
    // It may have ended since the feed was read: its last events go before its end.
    rpc::EventsReply late = feed_.Read(request.job, request.after, Duration::zero());
    if (!late.events.empty()) return late;
    reply.events.push_back(std::move(result.json));
    reply.terminal = true;
    return reply;
  }
  return remembered ? reply : feed_.Read(request.job, request.after, wait);
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
  const std::string job = request.sha256.substr(0, at);
  Post(CheckpointRead{job, round});
  DL_ASSIGN_OR_RETURN(std::string text, Document(keys::Checkpoint(job, round), "checkpoint"));
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
  rpc::Chunk chunk{.total = manifest.parts[index].bytes, .offset = request.offset};
  DL_ASSIGN_OR_RETURN(const int64_t length, BytesAsked(request, chunk.total));
  chunk.bytes.resize(length);
  const auto bytes = std::as_writable_bytes(std::span(chunk.bytes));
  DL_RETURN_IF_ERROR(options_.checkpoints->ReadRange(manifest, part, request.offset, bytes));
  chunk.chunk_xxh3 = Xxh3(bytes);
  return chunk;
}

}  // namespace dl::master
