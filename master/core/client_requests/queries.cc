// Views of jobs and of the cluster, for users.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/client_requests/client_requests.h"
#include "master/core/fleet/retries.h"

namespace dl::master {

JobView ClientRequests::ViewJob(const Job& job) const {
  JobView view = MakeJobView(job, records_.ViewResult(job));
  view.excluded = eligibility_.ExcludedFrom(job);
  return view;
}

ClusterView ClientRequests::ViewCluster(uint64_t from) const {
  ClusterView view{.term = incarnation_.term,
                   .executors_lost = fleet_.losses(),
                   .jobs_queued = static_cast<int64_t>(uses_.queue.size())};
  const auto& sessions = fleet_.sessions();
  view.executors.reserve(std::min(sessions.size(), ClusterQuery::kMaxExecutors));
  for (auto it = sessions.lower_bound(from); it != sessions.end(); ++it) {
    const Session& session = it->second;
    if (view.executors.size() == ClusterQuery::kMaxExecutors) {
      view.next = session.id;
      break;
    }
    AddTo(view.retries, session.retries);
    const rpc::RegisterRequest& who = session.who;
    view.executors.push_back({.executor = who.executor,
                              .incarnation = who.incarnation,
                              .host = who.host,
                              .pid = who.pid,
                              .slots = who.slots,
                              .unit_memory_bytes = who.unit_memory_bytes,
                              .offers = who.contracts,
                              .version = who.version,
                              .quarantined = fleet_.IsQuarantined(who.executor),
                              .backed_off = fleet_.IsBackedOff(who.executor),
                              .backoff_reason = fleet_.BackoffReason(who.executor),
                              .restart = session.restart,
                              .draining = session.drain,
                              .labels = who.labels,
                              .seconds_since_heartbeat = Seconds(step_.now - session.last_heard),
                              .blocks_cached_bytes = session.blocks_cached_bytes,
                              .blocks_read_bytes = session.blocks_read_bytes,
                              .blocks_fetched_bytes = session.blocks_fetched_bytes,
                              .retries = session.retries});
  }
  return view;
}

// Matching executors finish the units that they have leased and get no others. `executors` is the
// name of an executor or of a host.
void ClientRequests::On(const Asked<rpc::DrainRequest>& event) {
  rpc::DrainReply reply;
  for (auto& [id, session] : fleet_.sessions()) {
    if (session.who.executor != event.request.executors &&
        session.who.host != event.request.executors)
      continue;
    fleet_.LetLeave(session);
    fleet_changes_.Record();
    reply.executors.push_back(session.who.executor);
    step_.WriteLog(absl::StrCat("executor ", session.who.executor, " is told to leave"));
  }
  if (reply.executors.empty()) {
    step_.AnswerWith(
        event.token,
        rpc::AttachRemedy(
            NotFound({.message = "no executor has this name or runs on a host of this name",
                      .where = event.request.executors}),
            {.kind = rpc::RemedyKind::kListExecutors}));
    return;
  }
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

const Job* ClientRequests::FindOrRefuse(uint64_t token, const std::string& id) {
  const Job* job = std::as_const(jobs_).Find(id);
  if (job == nullptr) step_.AnswerWith(token, NoSuchJob(id));
  return job;
}

void ClientRequests::On(const Asked<JobsQuery>& event) {
  JobViews reply;
  for (const std::string& id : event.request.ids) {
    if (const Job* job = std::as_const(jobs_).Find(id)) reply.by_id[id] = ViewJob(*job);
  }
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

void ClientRequests::On(const Asked<JobQuery>& event) {
  const Job* job = FindOrRefuse(event.token, event.request.job);
  if (job == nullptr) return;
  JobView view = ViewJob(*job);
  view.queue = uses_.queue.ViewPlace(*job);
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(view));
}

void ClientRequests::On(const Asked<ResultQuery>& event) {
  if (const Job* job = FindOrRefuse(event.token, event.request.job))
    step_.AnswerWith(event.token, absl::OkStatus(), records_.ViewResult(*job));
}

void ClientRequests::On(const Asked<CheckpointsQuery>& event) {
  const Job* job = FindOrRefuse(event.token, event.request.job);
  if (job == nullptr) return;
  if (job->damage.ok()) {
    step_.AnswerWith(event.token, absl::OkStatus(), MakeCheckpointsView(*job));
  } else {
    step_.AnswerWith(event.token, job->damage);
  }
}

void ClientRequests::On(const Asked<ClusterQuery>& event) {
  step_.AnswerWith(event.token, absl::OkStatus(), ViewCluster(event.request.from));
}

}  // namespace dl::master
