// What people and scripts are told. docs/operations.md (Output) describes the JSON.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "master/core/core.h"
#include "master/core/reports.h"

namespace dl::master {

double Core::WallSeconds(const Job& job) const {
  return job.record.wall_seconds + (job.live() ? Seconds(now_ - job.started_at) : 0.0);
}

Json Core::ResultEvent(const Job& job) const {
  return ResultReport(job, WallSeconds(job), quarantined_);
}

std::string Core::JobText(const Job& job) const {
  return JobReportText(job, ResultEvent(job), ExcludedFrom(job));
}

// There may be a thousand executors, and whoever asks would hold up the core: as a text, which is
// several times faster than by way of a Json.
std::string Core::ClusterText() const {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string executors;
  for (const auto& [id, session] : sessions_) {
    const rpc::RegisterRequest& who = session.who;
    absl::StrAppend(&executors, executors.empty() ? "" : ",", R"({"executor":)",
                    quoted(who.executor), R"(,"incarnation":)", who.incarnation, R"(,"host":)",
                    quoted(who.host), R"(,"pid":)", who.pid, R"(,"slots":)", who.slots,
                    R"(,"unit_memory_bytes":)", who.unit_memory_bytes);
    absl::StrAppend(&executors, R"(,"isa":)", quoted(who.isa), R"(,"kernel_contract":)",
                    quoted(who.contract), R"(,"version":)", quoted(who.version));
    absl::StrAppend(&executors, R"(,"quarantined":)", truth(quarantined_.contains(who.executor)),
                    R"(,"set_aside":)", truth(IsAside(who.executor)), R"(,"start_anew":)",
                    truth(session.start_anew), R"(,"seconds_since_heartbeat":)",
                    absl::StrFormat("%.3f", Seconds(now_ - session.last_heard)));
    absl::StrAppend(&executors, R"(,"blocks_cached_bytes":)", session.blocks_cached_bytes,
                    R"(,"blocks_read_bytes":)", session.blocks_read_bytes,
                    R"(,"blocks_fetched_bytes":)", session.blocks_fetched_bytes, "}");
  }
  return absl::StrCat(R"({"term":)", term_, R"(,"executors":[)", executors, R"(],"jobs_queued":)",
                      queue_.size(), "}");
}

void Core::On(const Asked<JobsQuery>& event) {
  std::string list;
  for (const auto* jobs : {&jobs_, &ended_}) {
    for (const auto& [id, job] : *jobs) {
      const uint64_t number = JobNumber(id);
      if (number < event.request.first || number > event.request.last) continue;
      absl::StrAppend(&list, list.empty() ? "" : ",", JobText(job));
    }
  }
  AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{absl::StrCat("[", list, "]")});
}

void Core::On(const Asked<rpc::QueryRequest>& event) {
  const rpc::QueryRequest& request = event.request;
  if (request.what == "cluster") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{ClusterText()});
    return;
  }
  const Job* job = Find(request.job);
  if (job == nullptr) {
    AnswerWith(event.token, NoSuchJob(request.job));
  } else if (request.what == "job") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JobText(*job)});
  } else if (request.what == "result") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(ResultEvent(*job))});
  } else if (request.what == "checkpoints" && !job->damage.ok()) {
    AnswerWith(event.token, job->damage);
  } else if (request.what == "checkpoints") {
    AnswerWith(event.token, absl::OkStatus(), rpc::QueryReply{JsonText(CheckpointsReport(*job))});
  } else {
    AnswerWith(event.token,
               InvalidArgument({.message = absl::StrCat("unknown query \"", request.what, "\"")}));
  }
}

}  // namespace dl::master
