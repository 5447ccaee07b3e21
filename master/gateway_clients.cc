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

// Names, sizes and bytes are of the same blocks.
Status CheckBlocks(const rpc::PutBlocksRequest& request) {
  if (request.sha256.size() != request.sizes.size()) {
    return InvalidArgument({.message = absl::StrCat(request.sha256.size(), " names and ",
                                                    request.sizes.size(), " sizes of blocks"),
                            .where = "sizes"});
  }
  if (static_cast<int64_t>(request.sha256.size()) > limits::kMaxPutBlocks) {
    return ResourceExhausted(
        {.message = absl::StrCat(request.sha256.size(), " blocks in one upload, the limit is ",
                                 limits::kMaxPutBlocks),
         .where = "sha256",
         .remedy = "Split the upload."});
  }
  auto left = static_cast<int64_t>(request.bytes.size());
  for (const int64_t size : request.sizes) {
    if (size < 0 || size > left) {
      return InvalidArgument({.message = absl::StrCat("a block of ", size, " bytes where ", left,
                                                      " are left in the upload"),
                              .where = "sizes"});
    }
    left -= size;
  }
  if (left == 0) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(left, " bytes of the upload are of no block"), .where = "bytes"});
}

}  // namespace

StatusOr<rpc::MissingBlocksReply> Gateway::MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                         Duration) {
  rpc::MissingBlocksReply reply;
  DL_ASSIGN_OR_RETURN(reply.missing, options_.blobs->Missing(request.sha256));
  return reply;
}

Status Gateway::PutBlocks(const rpc::PutBlocksRequest& request, Duration) {
  DL_RETURN_IF_ERROR(CheckBlocks(request));
  std::vector<storage::Blob> blobs;
  auto rest = std::as_bytes(std::span(request.bytes));
  for (size_t i = 0; i < request.sizes.size(); ++i) {
    blobs.push_back({request.sha256[i], rest.first(request.sizes[i])});
    rest = rest.subspan(request.sizes[i]);
  }
  return options_.blobs->Put(blobs);
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
  turn.ShrinkTo(0);
  DL_ASSIGN_OR_RETURN(const MemoryBudget::Charge acting, acting_.Take(1, end));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> blocks,
                      BlocksOf(request.train_manifest, request.test_manifest));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> missing, options_.blobs->Missing(blocks));
  if (!missing.empty()) {
    return FailedPrecondition(
        {.message = absl::StrCat(missing.size(), " blocks of the dataset are not on the master"),
         .where = missing.front(),
         .remedy = "Upload them first; dl-submit does"});
  }
  const std::string& source = request.resume_from.empty() ? request.init_from : request.resume_from;
  return AskOfJob<rpc::SubmitReply>(std::move(submission), source.substr(0, source.rfind('@')),
                                    &Submission::source, end);
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> Gateway::AskOfJob(Request request, const std::string& job,
                                      std::shared_ptr<const RecoveredJob> Request::*ended,
                                      Instant end) {
  if (job.empty()) return AskFor<ReplyType>(std::move(request), end - Clock::Real().Now());
  DL_ASSIGN_OR_RETURN(request.*ended, history_.Find(job));
  auto reply = AskFor<ReplyType>(request, end - Clock::Real().Now());
  if (!absl::IsNotFound(reply.status()) || request.*ended != nullptr) return reply;
  // It may have ended, and left the core's memory, since it was looked for.
  DL_ASSIGN_OR_RETURN(request.*ended, history_.Find(job));
  if (request.*ended == nullptr) return reply;
  return AskFor<ReplyType>(request, end - Clock::Real().Now());
}

StatusOr<rpc::JobActionReply> Gateway::Act(const rpc::JobActionRequest& request,
                                           Duration deadline) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "a request needs a request id"});
  const Instant end = Clock::Real().Now() + deadline;
  DL_ASSIGN_OR_RETURN(const MemoryBudget::Charge turn, acting_.Take(1, end));
  auto reply = AskOfJob<rpc::JobActionReply>(UserAction{.request = request}, request.job,
                                             &UserAction::ended, end);
  if (!reply.ok() || request.action != rpc::JobAction::kDelete) return reply;
  if (const Status collected = Collect(); !collected.ok()) {
    absl::StrAppend(&reply->message, "; its space is given back at the next start: ",
                    std::string(collected.message()));
  }
  return reply;
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

StatusOr<rpc::QueryReply> Gateway::JobsPage(const rpc::QueryRequest& request, Duration deadline) {
  constexpr uint64_t kJobsPerPage = 100, kNumbersPerPage = 2000;
  if (request.first < 0) return InvalidArgument({.message = "jobs are counted from 1"});
  // Behind everything that the core was told before.
  DL_RETURN_IF_ERROR(AskFor<rpc::QueryReply>(JobsQuery{}, deadline).status());
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> created,
                      options_.meta->Get(keys::kJobsCreated));
  uint64_t last = 0;
  if (created) (void)absl::SimpleAtoi(*created, &last);
  const uint64_t first = std::max<uint64_t>(1, static_cast<uint64_t>(request.first));
  std::vector<std::string> ids;
  uint64_t number = first;
  for (; number <= last && ids.size() < kJobsPerPage && number - first < kNumbersPerPage;
       ++number) {
    DL_ASSIGN_OR_RETURN(std::optional<std::string> id, options_.meta->Get(keys::Number(number)));
    if (id) ids.push_back(*std::move(id));
  }
  rpc::QueryReply page{.json = "["};
  page.next_page = number <= last ? static_cast<int64_t>(number) : 0;
  DL_ASSIGN_OR_RETURN(const rpc::QueryReply in_memory,
                      AskFor<rpc::QueryReply>(JobsQuery{first, number}, deadline));
  DL_ASSIGN_OR_RETURN(const Json known, ParseJson(in_memory.json, "jobs"));
  std::map<std::string, std::string> told;
  for (const Json& job : known) told[job.value("job", "")] = JsonText(job);
  for (const std::string& id : ids) {
    std::string text = told[id];
    if (text.empty()) {
      const StatusOr<Json> ended = history_.Tell("job", id);
      if (absl::IsNotFound(ended.status())) continue;  // deleted meanwhile
      DL_RETURN_IF_ERROR(ended.status());
      text = JsonText(*ended);
    }
    const auto bytes = static_cast<int64_t>(page.json.size() + text.size() + 2);
    if (page.json.size() > 1 && bytes > limits::kMaxLogPageBytes) {
      page.next_page = static_cast<int64_t>(JobNumber(id));
      break;
    }
    absl::StrAppend(&page.json, page.json.size() > 1 ? "," : "", text);
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
  if (request.what == "jobs") return JobsPage(request, deadline);
  StatusOr<rpc::QueryReply> reply = AskFor<rpc::QueryReply>(request, deadline);
  if (absl::IsNotFound(reply.status())) {
    DL_ASSIGN_OR_RETURN(const Json told, history_.Tell(request.what, request.job));
    return rpc::QueryReply{JsonText(told)};
  }
  DL_RETURN_IF_ERROR(reply.status());
  if (request.what == "cluster") {
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply->json, "cluster"));
    json["core"] = step_times_.ToJson();
    reply->json = JsonText(json);
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
  DL_ASSIGN_OR_RETURN(std::string text, Document(keys::Checkpoint(job, round), "checkpoint"));
  Post(CheckpointRead{job, round});
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, request.sha256));
  DL_ASSIGN_OR_RETURN(const CheckpointInfo info, CheckpointInfoFromJson(json, request.sha256));
  DL_ASSIGN_OR_RETURN(const Json parsed, ParseJson(info.manifest, request.sha256));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest,
                      storage::CheckpointManifestFromJson(parsed, request.sha256));
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
