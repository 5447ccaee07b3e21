#include "web/api/job_list.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"
#include "web/api/job_routes.h"

namespace dl::web {
namespace {

// Pages of the master that one answer may read. Bounds the work of a filter that fits few jobs.
constexpr int kMaxPages = 8;

// The members of a job that lists show. The others are in its own document.
constexpr std::array kMembers = {"job",
                                 "name",
                                 "owner",
                                 "state",
                                 "reason",
                                 "message",
                                 "epochs",
                                 "epochs_total",
                                 "rounds",
                                 "rounds_total",
                                 "workers",
                                 "wall_seconds",
                                 "metrics",
                                 "best",
                                 "early_stopping",
                                 "attempt",
                                 "checkpoint",
                                 "submitted_unix_ms",
                                 "ended_unix_ms",
                                 "examples_per_second",
                                 "error",
                                 "scheduling",
                                 "state_sha256"};

// Returns the number of the submission, with which every id of a job ends ("lenet5-12").
int64_t SubmissionOf(const Json& job) {
  const std::string id = job.value("job", "");
  int64_t number = 0;
  (void)absl::SimpleAtoi(id.substr(id.rfind('-') + 1), &number);
  return number;
}

bool HasText(const Json& job, const std::string& text) {
  const std::string wanted = absl::AsciiStrToLower(text);
  return std::ranges::any_of(
      std::array{"job", "name", "owner", "message"}, [&](const char* member) {
        const auto found = job.find(member);
        return found != job.end() && found->is_string() &&
               absl::AsciiStrToLower(found->get_ref<const std::string&>()).find(wanted) !=
                   std::string::npos;
      });
}

bool IsWanted(const Json& job, const JobListRequest& request) {
  if (!request.state.empty() &&
      absl::AsciiStrToLower(job.value("state", "")) != absl::AsciiStrToLower(request.state))
    return false;
  return request.text.empty() || HasText(job, request.text);
}

Json RowOf(const Json& job) {
  Json row = Json::object();
  for (const char* member : kMembers) {
    if (const auto found = job.find(member); found != job.end()) row[member] = *found;
  }
  if (const std::optional<double> left = SecondsLeft(job)) row["eta_seconds"] = *left;
  return row;
}

}  // namespace

std::optional<double> SecondsLeft(const Json& job) {
  const auto rounds = job.value("rounds", int64_t{0});
  const auto total = job.value("rounds_total", int64_t{0});
  if (job.value("state", "") != "RUNNING" || rounds < 1 || total < rounds) return std::nullopt;
  return job.value("wall_seconds", 0.0) / static_cast<double>(rounds) *
         static_cast<double>(total - rounds);
}

StatusOr<std::string> JobList(rpc::ClientService& master, const JobListRequest& request) {
  Json jobs = Json::array();
  int64_t last = request.before > 0 ? request.before - 1 : INT64_MAX;
  for (int page = 0; page < kMaxPages && last > 0; ++page) {
    DL_ASSIGN_OR_RETURN(
        const rpc::QueryReply reply,
        master.Query({.what = rpc::QueryKind::kJobs, .max_age_ms = kAcceptedAgeMs, .last = last},
                     limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(const Json found, ParseJson(reply.json, "jobs"));
    for (const Json& job : found) {
      if (!IsWanted(job, request)) continue;
      if (static_cast<int64_t>(jobs.size()) == request.limit) {
        return JsonText({{"jobs", jobs}, {"next_before", SubmissionOf(jobs.back())}});
      }
      jobs.push_back(RowOf(job));
    }
    last = reply.next_first;
  }
  Json list = {{"jobs", std::move(jobs)}};
  if (last > 0) list["next_before"] = last + 1;
  return JsonText(list);
}

}  // namespace dl::web
