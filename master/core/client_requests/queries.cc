// Answers to queries of users. docs/operations/watch.md describes the JSON.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "master/core/client_requests/client_requests.h"
#include "master/core/fleet/retries.h"
#include "master/core/machine/machine.h"

namespace dl::master {

std::string ClientRequests::JobText(const Job& job, bool placed) const {
  Json result = machine_.lifecycle.ResultEvent(job);
  if (placed) result["queue"] = machine_.queue.PlaceOf(job);
  return JobReportText(job, std::move(result), eligibility_.ExcludedFrom(job));
}

// Returns the cluster report as text. With a thousand executors, building a Json would take several
// times longer and delay the core.
std::string ClientRequests::ClusterText() const {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string executors;
  rpc::Retries retries;
  for (const auto& [id, session] : fleet_.sessions()) {
    AddTo(retries, session.retries);
    const rpc::RegisterRequest& who = session.who;
    absl::StrAppend(&executors, executors.empty() ? "" : ",", R"({"executor":)",
                    quoted(who.executor), R"(,"incarnation":)", who.incarnation, R"(,"host":)",
                    quoted(who.host), R"(,"pid":)", who.pid, R"(,"slots":)", who.slots,
                    R"(,"unit_memory_bytes":)", who.unit_memory_bytes);
    std::string contracts;
    for (const rpc::OfferedContract& offered : who.contracts) {
      absl::StrAppend(&contracts, contracts.empty() ? "" : ",", R"({"kernel_contract":)",
                      quoted(offered.contract), R"(,"isa":)", quoted(offered.isa), "}");
    }
    absl::StrAppend(&executors, R"(,"offers":[)", contracts, R"(],"version":)",
                    quoted(who.version));
    absl::StrAppend(&executors, R"(,"quarantined":)", truth(fleet_.IsQuarantined(who.executor)),
                    R"(,"backed_off":)", truth(fleet_.IsBackedOff(who.executor)),
                    R"(,"backoff_reason":)", quoted(fleet_.BackoffReason(who.executor)),
                    R"(,"restart":)", truth(session.restart), R"(,"draining":)",
                    truth(session.drain), R"(,"labels":)", Json(who.labels).dump(),
                    R"(,"seconds_since_heartbeat":)",
                    absl::StrFormat("%.3f", Seconds(step_.now - session.last_heard)));
    absl::StrAppend(&executors, R"(,"blocks_cached_bytes":)", session.blocks_cached_bytes,
                    R"(,"blocks_read_bytes":)", session.blocks_read_bytes,
                    R"(,"blocks_fetched_bytes":)", session.blocks_fetched_bytes, R"(,"retries":)",
                    RetriesText(session.retries), "}");
  }
  return absl::StrCat(R"({"term":)", incarnation_.term, R"(,"executors":[)", executors,
                      R"(],"retries":)", RetriesText(retries), R"(,"jobs_queued":)",
                      machine_.queue.size(), "}");
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
    machine_.upkeep.UpdateAfterFleetChange();
    reply.executors.push_back(session.who.executor);
    step_.WriteLog(absl::StrCat("executor ", session.who.executor, " is told to leave"));
  }
  if (reply.executors.empty()) {
    step_.AnswerWith(event.token,
                     NotFound({.message = "no executor has that name, and none is on such a host",
                               .where = event.request.executors,
                               .remedy = "dl-submit status lists them"}));
    return;
  }
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

void ClientRequests::On(const Asked<JobsQuery>& event) {
  JobTexts reply;
  for (const std::string& id : event.request.ids) {
    if (const Job* job = std::as_const(jobs_).Find(id)) reply.by_id[id] = JobText(*job);
  }
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

void ClientRequests::On(const Asked<rpc::QueryRequest>& event) {
  const rpc::QueryRequest& request = event.request;
  if (request.what == "cluster") {
    step_.AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{ClusterText()});
    return;
  }
  const Job* job = std::as_const(jobs_).Find(request.job);
  if (job == nullptr) {
    step_.AnswerWith(event.token, NoSuchJob(request.job));
  } else if (request.what == "job") {
    step_.AnswerWith(
        event.token, absl::OkStatus(),
        rpc::QueryReply{JobText(*job, /*placed=*/job->record.state == JobState::kQueued)});
  } else if (request.what == "result") {
    step_.AnswerWith(event.token, absl::OkStatus(),
                     rpc::QueryReply{JsonText(machine_.lifecycle.ResultEvent(*job))});
  } else if (request.what == "checkpoints" && !job->damage.ok()) {
    step_.AnswerWith(event.token, job->damage);
  } else if (request.what == "checkpoints") {
    step_.AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{CheckpointsText(*job)});
  } else {
    step_.AnswerWith(
        event.token,
        InvalidArgument({.message = absl::StrCat("unknown query \"", request.what, "\"")}));
  }
}

}  // namespace dl::master
