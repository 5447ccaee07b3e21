#include "master/gateway/queries.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/record_keys.h"
#include "master/core/records/report_record.h"
#include "master/gateway/cluster_json.h"
#include "master/gateway/documents.h"
#include "master/job_definition.h"
#include "master/stored_events.h"

namespace dl::master {

Queries::Queries(storage::MetaStore& meta, CoreShell& core, EventFeed& feed,
                 const Shortage& shortage)
    : meta_(meta),
      core_(core),
      feed_(feed),
      shortage_(shortage),
      history_(meta, DefinitionFromDocuments),
      recent_([this](const rpc::QueryRequest& request, Duration deadline) {
        return QueryNow(request, deadline);
      }) {}

StatusOr<std::map<std::string, JobView>> Queries::JobsInMemory(const std::vector<std::string>& ids,
                                                               Instant end) {
  std::map<std::string, JobView> jobs;
  for (size_t first = 0; first < ids.size(); first += JobsQuery::kMostJobs) {
    JobsQuery query;
    for (size_t i = first; i < std::min(ids.size(), first + JobsQuery::kMostJobs); ++i)
      query.ids.push_back(ids[i]);
    DL_ASSIGN_OR_RETURN(JobViews views,
                        core_.AskFor<JobViews>(std::move(query), end - Clock::Real().Now()));
    jobs.merge(views.by_id);
  }
  return jobs;
}

StatusOr<std::optional<std::string>> Queries::ReportOf(
    const std::string& id, const std::map<std::string, JobView>& in_memory, Instant end) {
  if (const auto found = in_memory.find(id); found != in_memory.end())
    return ReportText(found->second);
  StatusOr<std::string> ended = history_.Tell("job", id, end);
  if (ended.ok()) return *std::move(ended);
  if (!absl::IsNotFound(ended.status())) return ended.status();
  // The job was deleted, or resumed after the core was asked.
  DL_ASSIGN_OR_RETURN(const auto again, JobsInMemory({id}, end));
  if (again.empty()) return std::nullopt;
  return ReportText(again.begin()->second);
}

StatusOr<rpc::QueryReply> Queries::JobsPage(const rpc::QueryRequest& request, Duration deadline) {
  constexpr uint64_t kJobsPerPage = 100, kNumbersPerPage = 2000;
  if (request.first < 0)
    return InvalidArgument({.message = "the number of a job must be at least 0"});
  const Instant end = Clock::Real().Now() + deadline;
  // When the core answers, all records of earlier requests are durable.
  DL_RETURN_IF_ERROR(core_.AskFor<JobViews>(JobsQuery{}, deadline).status());
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> created, meta_.Get(keys::kJobsCreated));
  uint64_t last = 0;
  if (created) (void)absl::SimpleAtoi(*created, &last);
  const uint64_t first = std::max<uint64_t>(1, static_cast<uint64_t>(request.first));
  std::vector<std::string> ids;
  uint64_t number = first;
  for (; number <= last && ids.size() < kJobsPerPage && number - first < kNumbersPerPage;
       ++number) {
    DL_ASSIGN_OR_RETURN(std::optional<std::string> id, meta_.Get(keys::Number(number)));
    if (id) ids.push_back(*std::move(id));
  }
  rpc::QueryReply page{.json = "["};
  page.next_first = number <= last ? static_cast<int64_t>(number) : 0;
  DL_ASSIGN_OR_RETURN(const auto in_memory, JobsInMemory(ids, end));
  for (const std::string& id : ids) {
    DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, ReportOf(id, in_memory, end));
    if (!text) continue;
    const auto bytes = static_cast<int64_t>(page.json.size() + text->size() + 2);
    if (page.json.size() > 1 && bytes > limits::kMaxLogPageBytes) {
      page.next_first = static_cast<int64_t>(JobNumber(id));
      break;
    }
    absl::StrAppend(&page.json, page.json.size() > 1 ? "," : "", *text);
  }
  page.json += ']';
  return page;
}

StatusOr<rpc::QueryReply> Queries::Query(const rpc::QueryRequest& request, Duration deadline) {
  if (request.what == "spec") {
    rpc::QueryReply reply;
    DL_ASSIGN_OR_RETURN(reply.json, Document(meta_, keys::Spec(request.job), "spec"));
    return reply;
  }
  if (request.what == "train_manifest" || request.what == "test_manifest") {
    const bool test = request.what == "test_manifest";
    rpc::QueryReply reply;
    DL_ASSIGN_OR_RETURN(
        reply.json,
        Document(meta_, test ? keys::TestManifest(request.job) : keys::TrainManifest(request.job),
                 test ? "test manifest" : "training manifest"));
    return reply;
  }
  if (request.what == "log") return LogPage(meta_, request);
  if (request.max_age_ms < 0) {
    return InvalidArgument({.message = "max_age_ms must be at least 0", .where = "max_age_ms"});
  }
  if (request.max_age_ms > 0) return recent_.Get(request, deadline);
  return QueryNow(request, deadline);
}

template <typename View, typename Question>
StatusOr<std::string> Queries::AskCore(const std::string& job, Duration deadline) {
  DL_ASSIGN_OR_RETURN(const View view, core_.AskFor<View>(Question{job}, deadline));
  return ReportText(view);
}

StatusOr<std::string> Queries::AskCore(const rpc::QueryRequest& request, Duration deadline) {
  if (request.what == "job") return AskCore<JobView, JobQuery>(request.job, deadline);
  if (request.what == "result") return AskCore<ResultView, ResultQuery>(request.job, deadline);
  if (request.what == "checkpoints")
    return AskCore<CheckpointsView, CheckpointsQuery>(request.job, deadline);
  return InvalidArgument({.message = absl::StrCat("unknown query \"", request.what, "\"")});
}

StatusOr<rpc::QueryReply> Queries::Cluster(Duration deadline) {
  DL_ASSIGN_OR_RETURN(const ClusterView view, core_.AskFor<ClusterView>(ClusterQuery{}, deadline));
  Json json = ToJson(view);
  json["core"] = ToJson(core_.step_times().View());
  json["shortages"] = shortage_.count();
  return rpc::QueryReply{JsonText(json)};
}

StatusOr<rpc::QueryReply> Queries::QueryNow(const rpc::QueryRequest& request, Duration deadline) {
  if (request.what == "jobs") return JobsPage(request, deadline);
  if (request.what == "cluster") return Cluster(deadline);
  const Instant end = Clock::Real().Now() + deadline;
  StatusOr<std::string> report = AskCore(request, deadline);
  if (absl::IsNotFound(report.status())) {
    report = history_.Tell(request.what, request.job, end);
    // A job that was resumed after the core was asked is live again.
    if (absl::IsNotFound(report.status())) report = AskCore(request, end - Clock::Real().Now());
  }
  DL_RETURN_IF_ERROR(report.status());
  return rpc::QueryReply{*std::move(report)};
}

StatusOr<rpc::EventsReply> Queries::Events(const rpc::EventsRequest& request, Duration deadline) {
  const Duration wait =
      std::min<Duration>({std::chrono::milliseconds(std::max<int64_t>(0, request.wait_ms)),
                          limits::kLongPoll, deadline});
  // Events before the feed's first one, including those of earlier masters, are in the store.
  const int64_t first = feed_.First(request.job);
  if (request.after + 1 < first) {
    DL_ASSIGN_OR_RETURN(rpc::EventsReply stored,
                        ReadStoredEvents(meta_, request.job, request.after, first));
    if (!stored.events.empty()) return stored;
  }
  // If the feed has no events of the job, ask the core before waiting: the job may be unknown, or
  // may have ended before this master started.
  const bool remembered = first != INT64_MAX;
  rpc::EventsReply reply =
      feed_.Read(request.job, request.after, remembered ? wait : Duration::zero());
  if (!reply.events.empty()) return reply;
  DL_ASSIGN_OR_RETURN(rpc::QueryReply result,
                      Query({.what = "result", .job = request.job}, deadline));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(result.json, "result"));
  JobState state = JobState::kQueued;
  if (ParseJobState(json.value("state", ""), state) && IsTerminal(state)) {
    // The job may have ended after the feed was read. Its last events come before its end.
    rpc::EventsReply late = feed_.Read(request.job, request.after, Duration::zero());
    if (!late.events.empty()) return late;
    reply.events.push_back(std::move(result.json));
    reply.terminal = true;
    return reply;
  }
  return remembered ? reply : feed_.Read(request.job, request.after, wait);
}

}  // namespace dl::master
