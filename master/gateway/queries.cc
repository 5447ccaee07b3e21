#include "master/gateway/queries.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/fleet/retries.h"
#include "master/core/record_keys.h"
#include "master/core/records/report_record.h"
#include "master/gateway/cluster_json.h"
#include "master/gateway/documents.h"
#include "master/gateway/histogram_answer.h"
#include "master/gateway/series_answer.h"
#include "master/gateway/timeline_answer.h"
#include "master/stored_events.h"
#include "storage/free_space.h"

namespace dl::master {
namespace {

// A query does not wait longer for the free space of a disk that hangs.
constexpr Duration kDiskAnswersWithin = std::chrono::seconds(1);

StatusOr<rpc::QueryReply> DocumentReply(storage::MetaStore& meta, const std::string& key,
                                        std::string_view what) {
  rpc::QueryReply reply;
  DL_ASSIGN_OR_RETURN(reply.json, Document(meta, key, what));
  return reply;
}

// The numbers of the submissions of a page, in the page's order.
class JobNumbers {
 public:
  // `newest` is the number of the newest submission.
  JobNumbers(const rpc::QueryRequest& request, uint64_t newest)
      : descending_(request.last > 0),
        newest_(newest),
        first_(descending_ ? std::min(static_cast<uint64_t>(request.last), newest)
                           : std::max<uint64_t>(1, static_cast<uint64_t>(request.first))) {}

  uint64_t first() const { return first_; }
  bool Has(uint64_t number) const { return number >= 1 && number <= newest_; }
  uint64_t After(uint64_t number) const { return descending_ ? number - 1 : number + 1; }

 private:
  const bool descending_;
  const uint64_t newest_;
  const uint64_t first_;
};

template <typename View>
std::string TextOf(const std::variant<View, std::string>& report) {
  if (const auto* view = std::get_if<View>(&report)) return ReportText(*view);
  return std::get<std::string>(report);
}

template <typename View>
StatusOr<rpc::QueryReply> ReplyOf(const StatusOr<std::variant<View, std::string>>& report) {
  DL_RETURN_IF_ERROR(report.status());
  return rpc::QueryReply{TextOf(*report)};
}

// Adds the next part of the executors to `view`, with the newer totals. An executor that has
// registered again since the first part was made is in both, and only its new entry stays.
void Append(ClusterView part, ClusterView& view) {
  std::set<std::string_view> again;
  for (const ExecutorView& executor : part.executors) again.insert(executor.executor);
  std::erase_if(view.executors,
                [&](const ExecutorView& known) { return again.contains(known.executor); });
  AddTo(part.retries, view.retries);
  std::ranges::move(part.executors, std::back_inserter(view.executors));
  part.executors = std::move(view.executors);
  view = std::move(part);
}

}  // namespace

Queries::Queries(Options options)
    : meta_(*options.meta),
      core_(*options.core),
      feed_(*options.feed),
      shortage_(*options.shortage),
      data_dir_(std::move(options.data_dir)),
      disk_({.what = "the data folder " + data_dir_,
             .otherwise = "its free space is not reported until it answers",
             .limit = kDiskAnswersWithin}),
      pages_(options.pages),
      history_(meta_, std::move(options.make_definition)),
      recent_([this](const rpc::QueryRequest& request, Duration deadline) {
        return QueryNow(request, deadline);
      }) {}

StatusOr<std::map<std::string, JobView>> Queries::JobsInMemory(const std::vector<std::string>& ids,
                                                               Instant end) {
  std::map<std::string, JobView> jobs;
  for (size_t first = 0; first < ids.size(); first += JobsQuery::kMaxJobs) {
    JobsQuery query;
    for (size_t i = first; i < std::min(ids.size(), first + JobsQuery::kMaxJobs); ++i)
      query.ids.push_back(ids[i]);
    DL_ASSIGN_OR_RETURN(JobViews views,
                        core_.SendRequest<JobViews>(std::move(query), end - Clock::Real().Now()));
    jobs.merge(views.by_id);
  }
  return jobs;
}

StatusOr<std::optional<std::string>> Queries::ReportOf(
    const std::string& id, const std::map<std::string, JobView>& in_memory, Instant end) {
  if (const auto found = in_memory.find(id); found != in_memory.end())
    return ReportText(found->second);
  StatusOr<std::string> ended = history_.Report(ReportKind::kJob, id, end);
  if (ended.ok()) return *std::move(ended);
  if (!absl::IsNotFound(ended.status())) return ended.status();
  // The job was deleted, or resumed after the core was asked.
  DL_ASSIGN_OR_RETURN(const auto again, JobsInMemory({id}, end));
  if (again.empty()) return std::nullopt;
  return ReportText(again.begin()->second);
}

StatusOr<rpc::QueryReply> Queries::JobsPage(const rpc::QueryRequest& request, Duration deadline) {
  if (request.first < 0 || request.last < 0)
    return InvalidArgument({.message = "the number of a job must be at least 0"});
  const Instant end = Clock::Real().Now() + deadline;
  // When the core answers, all records of earlier requests are durable.
  DL_RETURN_IF_ERROR(core_.SendRequest<JobViews>(JobsQuery{}, deadline).status());
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> created, meta_.Get(keys::kJobsCreated));
  uint64_t last = 0;
  if (created) (void)absl::SimpleAtoi(*created, &last);
  const JobNumbers numbers(request, last);
  std::vector<std::string> ids;
  uint64_t number = numbers.first();
  for (uint64_t read = 0; numbers.Has(number) && ids.size() < pages_.jobs && read < pages_.numbers;
       ++read) {
    DL_ASSIGN_OR_RETURN(std::optional<std::string> id, meta_.Get(keys::Number(number)));
    if (id) ids.push_back(*std::move(id));
    number = numbers.After(number);
  }
  rpc::QueryReply page{.json = "["};
  page.next_first = numbers.Has(number) ? static_cast<int64_t>(number) : 0;
  DL_ASSIGN_OR_RETURN(const auto in_memory, JobsInMemory(ids, end));
  for (const std::string& id : ids) {
    DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, ReportOf(id, in_memory, end));
    if (!text) continue;
    const auto bytes = static_cast<int64_t>(page.json.size() + text->size() + 2);
    if (page.json.size() > 1 && bytes > pages_.bytes) {
      page.next_first = static_cast<int64_t>(JobNumber(id));
      break;
    }
    absl::StrAppend(&page.json, page.json.size() > 1 ? "," : "", *text);
  }
  page.json += ']';
  return page;
}

StatusOr<rpc::QueryReply> Queries::Query(const rpc::QueryRequest& request, Duration deadline) {
  switch (request.what) {
    case rpc::QueryKind::kSpec:
      return DocumentReply(meta_, keys::Spec(request.job), "spec");
    case rpc::QueryKind::kTrainManifest:
      return DocumentReply(meta_, keys::TrainManifest(request.job), "training manifest");
    case rpc::QueryKind::kTestManifest:
      return DocumentReply(meta_, keys::TestManifest(request.job), "test manifest");
    case rpc::QueryKind::kLog:
      return LogPage(meta_, request, pages_.bytes);
    case rpc::QueryKind::kSeries: {
      rpc::QueryReply reply;
      DL_ASSIGN_OR_RETURN(reply.json, SeriesAnswer(meta_, request));
      return reply;
    }
    case rpc::QueryKind::kTimeline:
      return TimelineAnswer(meta_, request, pages_.bytes);
    case rpc::QueryKind::kHistograms:
      return HistogramAnswer(meta_, request, pages_.bytes);
    case rpc::QueryKind::kJobs:
    case rpc::QueryKind::kCluster:
    case rpc::QueryKind::kJob:
    case rpc::QueryKind::kResult:
    case rpc::QueryKind::kCheckpoints:
      break;
  }
  if (request.max_age_ms < 0) {
    return InvalidArgument({.message = "max_age_ms must be at least 0", .where = "max_age_ms"});
  }
  if (request.max_age_ms > 0) return recent_.Get(request, deadline);
  return QueryNow(request, deadline);
}

StatusOr<rpc::QueryReply> Queries::QueryNow(const rpc::QueryRequest& request, Duration deadline) {
  switch (request.what) {
    case rpc::QueryKind::kJobs:
      return JobsPage(request, deadline);
    case rpc::QueryKind::kCluster:
      return Cluster(deadline);
    case rpc::QueryKind::kJob:
      return ReplyOf(FindReport<JobView>(JobQuery{request.job}, ReportKind::kJob, deadline));
    case rpc::QueryKind::kResult:
      return ReplyOf(
          FindReport<ResultView>(ResultQuery{request.job}, ReportKind::kResult, deadline));
    case rpc::QueryKind::kCheckpoints:
      return ReplyOf(FindReport<CheckpointsView>(CheckpointsQuery{request.job},
                                                 ReportKind::kCheckpoints, deadline));
    case rpc::QueryKind::kSpec:
    case rpc::QueryKind::kTrainManifest:
    case rpc::QueryKind::kTestManifest:
    case rpc::QueryKind::kLog:
    case rpc::QueryKind::kSeries:
    case rpc::QueryKind::kTimeline:
    case rpc::QueryKind::kHistograms:
      break;
  }
  return Internal({.message = "the core has no report of this kind"});
}

template <typename View, typename Question>
StatusOr<Queries::Report<View>> Queries::FindReport(const Question& question, ReportKind kind,
                                                    Duration deadline) {
  const Instant end = Clock::Real().Now() + deadline;
  StatusOr<View> view = core_.SendRequest<View>(question, deadline);
  if (absl::IsNotFound(view.status())) {
    StatusOr<std::string> stored = history_.Report(kind, question.job, end);
    if (!absl::IsNotFound(stored.status())) {
      DL_RETURN_IF_ERROR(stored.status());
      return Report<View>{*std::move(stored)};
    }
    // A job that was resumed after the core was asked is live again.
    view = core_.SendRequest<View>(question, end - Clock::Real().Now());
  }
  DL_RETURN_IF_ERROR(view.status());
  return Report<View>{*std::move(view)};
}

StatusOr<rpc::QueryReply> Queries::Cluster(Duration deadline) {
  const Instant end = Clock::Real().Now() + deadline;
  DL_ASSIGN_OR_RETURN(ClusterView view, core_.SendRequest<ClusterView>(ClusterQuery{}, deadline));
  while (view.next != 0) {
    DL_ASSIGN_OR_RETURN(
        ClusterView part,
        core_.SendRequest<ClusterView>(ClusterQuery{.from = view.next}, end - Clock::Real().Now()));
    Append(std::move(part), view);
  }
  Json json = ToJson(view);
  json["core"] = ToJson(core_.step_times().View());
  json["shortages"] = shortage_.count();
  if (!data_dir_.empty()) {
    const auto space = disk_.Run([dir = data_dir_] { return storage::DiskSpaceOf(dir); });
    if (space && space->ok()) {
      json["data_folder"] = {{"size_bytes", (*space)->size_bytes},
                             {"free_bytes", (*space)->free_bytes}};
    }
  }
  return rpc::QueryReply{JsonText(json)};
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
  DL_ASSIGN_OR_RETURN(rpc::EventsReply reply,
                      ReadFeed(request, remembered ? wait : Duration::zero()));
  if (!reply.events.empty()) return reply;
  DL_ASSIGN_OR_RETURN(
      const Report<ResultView> result,
      FindReport<ResultView>(ResultQuery{request.job}, ReportKind::kResult, deadline));
  const auto* view = std::get_if<ResultView>(&result);
  if (view == nullptr || IsTerminal(view->state)) {
    // The job may have ended after the feed was read. Its last events come before its end.
    DL_ASSIGN_OR_RETURN(rpc::EventsReply late, ReadFeed(request, Duration::zero()));
    if (!late.events.empty()) return late;
    reply.events.push_back(TextOf(result));
    reply.terminal = true;
    return reply;
  }
  if (remembered) return reply;
  return ReadFeed(request, wait);
}

StatusOr<rpc::EventsReply> Queries::ReadFeed(const rpc::EventsRequest& request, Duration wait) {
  rpc::EventsReply reply = feed_.Read(request.job, request.after, wait);
  const auto count = static_cast<int64_t>(reply.events.size());
  if (count == 0 || reply.last - request.after == count) return reply;
  // The feed dropped events since it was asked for its first one. The store still has them.
  DL_ASSIGN_OR_RETURN(rpc::EventsReply stored,
                      ReadStoredEvents(meta_, request.job, request.after, INT64_MAX));
  return stored.events.empty() ? reply : stored;
}

}  // namespace dl::master
