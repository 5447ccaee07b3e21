// What people and scripts are told. docs/operations.md (Output) describes the JSON.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"

namespace dl::master {
namespace {

Json MetricsJson(const nn::MetricSums& sums) {
  Json json = {{"loss", sums.loss()}};
  if (sums.has_accuracy()) json["accuracy"] = sums.accuracy();
  return json;
}

Json ErrorJson(const Status& error) {
  return {{"code", ErrorCodeName(error.code())},
          {"message", std::string(error.message())},
          {"where", ErrorWhere(error)},
          {"remedy", ErrorRemedy(error)}};
}

// Exit codes of dl-submit that a job's end decides (docs/operations.md).
int ExitCode(const JobRecord& record) {
  switch (record.state) {
    case JobState::kSucceeded:
      return 0;
    case JobState::kCancelled:
      return 3;
    case JobState::kRejected:
      return 78;
    default:
      return 1;
  }
}

}  // namespace

double Core::WallSeconds(const Job& job) const {
  return job.record.wall_seconds + (job.live() ? Seconds(now_ - job.started_at) : 0.0);
}

Json Core::ResultEvent(const Job& job) const {
  const double wall = WallSeconds(job);
  const int64_t examples = job.ExamplesTrained();
  Json metrics = Json::object();
  if (job.committed > 0) metrics["train"] = MetricsJson(job.commits.at(job.committed).epoch_train);
  if (!job.evaluations.empty())
    metrics["test"] = MetricsJson(job.evaluations.rbegin()->second.test);
  Json json = {
      {"type", "result"},
      {"job", job.definition.id},
      {"state", JobStateName(job.record.state)},
      {"reason", ReasonName(job.record.reason)},
      {"exit_code", ExitCode(job.record)},
      {"attempt", job.record.attempt},
      {"epochs", job.committed <= 0 ? 0 : job.committed / job.definition.RoundsPerEpoch()},
      {"rounds", std::max<int64_t>(0, job.committed)},
      {"examples", examples},
      {"state_sha256", job.committed < 0 ? "" : job.commits.at(job.committed).names.state_sha256},
      {"metrics", metrics},
      {"wall_seconds", wall},
      {"examples_per_second", wall > 0 ? static_cast<double>(examples) / wall : 0.0},
      {"checkpoint", job.checkpoints.empty() ? Json()
                                             : Json(absl::StrCat(job.definition.id, "@",
                                                                 job.checkpoints.rbegin()->first))},
      {"kernel_contract", job.record.contract}};
  if (job.record.rollbacks > 0) json["rollbacks"] = job.record.rollbacks;
  // What nobody confirmed of executors that are quarantined; a live job goes back behind it.
  Json distrusted = Json::object();
  for (const auto& [executor, since] : job.unverified_since) {
    if (since <= job.committed && quarantined_.contains(executor)) distrusted[executor] = since;
  }
  if (!distrusted.empty()) json["distrusted_since_round"] = distrusted;
  if (!job.record.error.ok()) json["error"] = ErrorJson(job.record.error);
  return json;
}

Json Core::JobJson(const Job& job) const {
  Json json = ResultEvent(job);
  json.erase("type");
  json.erase("exit_code");
  json["name"] = job.definition.name;
  json["message"] = job.record.message;
  json["submitted_unix_ms"] = job.record.submitted_unix_ms;
  json["epochs_total"] = job.definition.epochs;
  json["rounds_total"] = job.definition.TotalRounds();
  json["workers"] = job.definition.plan.workers;
  json["seed"] = job.definition.seed;
  json["replayed_rounds"] = job.replayed_rounds;
  json["expired_leases"] = job.expired_leases;
  json["second_leases"] = job.second_leases;
  json["standstills"] = job.standstills;
  json["retries"] = {{"network", job.network_retries}, {"master", job.master_retries}};
  json["duplicate_results"] = job.duplicate_results;
  json["excluded"] = Excluded(job);
  // Who computed each worker last, and has its data at hand.
  json["placement"] = Json::object();
  for (const auto& [worker, executor] : job.last_executor) {
    json["placement"][absl::StrCat(worker)] = executor;
  }
  Json units = Json::array();
  for (const auto& [index, unit] : job.units) {
    Json leases = Json::array();
    int64_t done = 0, total = 0;  // of the one that is furthest
    for (const UnitLease& lease : unit.leases) {
      leases.push_back(lease.executor);
      done = std::max(done, lease.steps_done);
      total = std::max(total, lease.steps_total);
    }
    units.push_back({{"index", index},
                     {"kind", unit.id.kind == UnitKind::kTrain ? "train" : "evaluate"},
                     {"round", unit.id.round},
                     {"leased_to", leases},
                     {"steps_done", done},
                     {"steps_total", total},
                     {"settled", unit.Settled()}});
  }
  json["units"] = units;
  return json;
}

Json Core::CheckpointsJson(const Job& job) const {
  Json list = Json::array();
  for (const auto& [round, checkpoint] : job.checkpoints) {
    Json item = {{"checkpoint", absl::StrCat(job.definition.id, "@", round)},
                 {"round", round},
                 {"epoch", round == 0 ? 0 : job.definition.EpochOf(round) + 1},
                 {"state_sha256", checkpoint.names.state_sha256},
                 {"pinned", checkpoint.pinned},
                 {"best", round == job.best.round},
                 {"manifest", Json::parse(checkpoint.manifest)}};
    if (auto found = job.evaluations.find(round); found != job.evaluations.end()) {
      item["test"] = MetricsJson(found->second.test);
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json Core::ClusterJson() const {
  Json executors = Json::array();
  for (const auto& [id, session] : sessions_) {
    executors.push_back({{"executor", session.who.executor},
                         {"incarnation", session.who.incarnation},
                         {"host", session.who.host},
                         {"pid", session.who.pid},
                         {"slots", session.who.slots},
                         {"isa", session.who.isa},
                         {"kernel_contract", session.who.contract},
                         {"version", session.who.version},
                         {"quarantined", quarantined_.contains(session.who.executor)},
                         {"set_aside", IsAside(session.who.executor)},
                         {"start_anew", session.start_anew},
                         {"seconds_since_heartbeat", Seconds(now_ - session.last_heard)},
                         {"blocks_cached_bytes", session.blocks_cached_bytes},
                         {"blocks_read_bytes", session.blocks_read_bytes},
                         {"blocks_fetched_bytes", session.blocks_fetched_bytes}});
  }
  return {{"term", term_}, {"executors", executors}, {"jobs_queued", queue_.size()}};
}

void Core::On(const Asked<rpc::QueryRequest>& event) {
  const rpc::QueryRequest& request = event.request;
  if (request.what == "jobs") {
    std::vector<const Job*> ordered;  // as they were submitted
    for (const auto& [id, job] : jobs_) ordered.push_back(&job);
    std::stable_sort(ordered.begin(), ordered.end(), [](const Job* a, const Job* b) {
      return JobNumber(a->definition.id) < JobNumber(b->definition.id);
    });
    Json list = Json::array();
    for (const Job* job : ordered) list.push_back(JobJson(*job));
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(list)});
    return;
  }
  if (request.what == "cluster") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(ClusterJson())});
    return;
  }
  const Job* job = FindJob(request.job);
  if (job == nullptr) {
    AnswerWith(event.token, NotFound({.message = absl::StrCat("there is no job ", request.job),
                                      .remedy = "List the jobs with: dl-submit list"}));
  } else if (request.what == "job") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(JobJson(*job))});
  } else if (request.what == "result") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(ResultEvent(*job))});
  } else if (request.what == "checkpoints" && !job->damage.ok()) {
    AnswerWith(event.token, job->damage);
  } else if (request.what == "checkpoints") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(CheckpointsJson(*job))});
  } else {
    AnswerWith(event.token,
               InvalidArgument({.message = absl::StrCat("unknown query \"", request.what, "\"")}));
  }
}

}  // namespace dl::master
