#include "cli/jobs/job_query.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/nearest_name.h"
#include "cli/output/json_fields.h"
#include "launch/all_jobs.h"
#include "rpc/remedy_text.h"

namespace dl::cli {
namespace {

constexpr size_t kRoundsShown = 10;

Status NoSuchJob(const std::string& job, const Json& jobs) {
  std::vector<std::string> ids;
  for (const Json& entry : jobs) ids.push_back(TextAt(entry, "job"));
  return NotFound(
      {.message = absl::StrCat("there is no job \"", job, "\"", DidYouMeanName(job, ids)),
       .where = job,
       .remedy = ids.empty() ? "There are no jobs yet: start one with dl-submit run JOB"
                             : "List the jobs with: dl-submit list"});
}

}  // namespace

StatusOr<Json> QueryJson(rpc::ClientService& client, rpc::QueryKind what, const std::string& job,
                         int64_t max_age_ms) {
  DL_ASSIGN_OR_RETURN(
      rpc::QueryReply reply,
      client.Query({.what = what, .job = job, .max_age_ms = max_age_ms}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply.json, "the master's answer"));
  rpc::AddRemedyTexts(json);
  return json;
}

StatusOr<dataset::Manifest> QueryTrainingManifest(rpc::ClientService& client,
                                                  const std::string& job) {
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kTrainManifest, .job = job}, limits::kControlDeadline));
  return dataset::ManifestFromJson(reply.json, "training manifest");
}

StatusOr<Json> QueryJob(rpc::ClientService& client, const std::string& job, int64_t max_age_ms) {
  auto json = QueryJson(client, rpc::QueryKind::kJob, job, max_age_ms);
  if (json.ok() || !absl::IsNotFound(json.status())) return json;
  DL_ASSIGN_OR_RETURN(Json jobs, launch::AllJobs(client));
  return NoSuchJob(job, jobs);
}

bool HasEnded(const Json& job) {
  const std::string state = TextAt(job, "state");
  return state == "SUCCEEDED" || state == "FAILED" || state == "CANCELLED" || state == "REJECTED";
}

StatusOr<CheckpointName> ParseCheckpointName(const std::string& text) {
  const size_t at = text.rfind('@');
  CheckpointName name{.job = text.substr(0, at)};
  if (at == std::string::npos) return name;
  const auto round = rpc::ParseRound(text.substr(at + 1));
  if (name.job.empty() || !round) {
    return UsageError({.message = absl::StrCat("\"", text, "\" is not the name of a checkpoint"),
                       .where = text,
                       .remedy =
                           "Use JOB@ROUND, for example lenet5-1@470, JOB@best, or JOB@last or "
                           "JOB for its newest"});
  }
  name.round = *round;
  return name;
}

StatusOr<Json> CheckpointOf(const CheckpointName& name, rpc::ClientService& client) {
  DL_RETURN_IF_ERROR(QueryJob(client, name.job).status());
  DL_ASSIGN_OR_RETURN(Json list, QueryJson(client, rpc::QueryKind::kCheckpoints, name.job));
  if (!list.is_array() || list.empty()) {
    return NotFound({.message = absl::StrCat(name.job, " has no checkpoint"),
                     .where = name.job,
                     .remedy = absl::StrCat("See its progress: dl-submit status ", name.job)});
  }
  if (const Json* found = rpc::FindCheckpoint(list, name.round)) return *found;
  std::vector<int64_t> rounds;
  for (const Json& checkpoint : list) {
    if (IntegerAt(checkpoint, "set_aside") == name.round.set_aside)
      rounds.push_back(IntegerAt(checkpoint, "round"));
  }
  if (name.round.which == rpc::RoundName::Which::kBest) {
    return NotFound(
        {.message = absl::StrCat("none of ", name.job, "'s checkpoints is its best on a test set"),
         .where = absl::StrCat(name.job, "@best"),
         .remedy = "It needs data.test and training.checkpoint.keep_best; use JOB@last"});
  }
  const size_t first = rounds.size() - std::min(rounds.size(), kRoundsShown);
  const std::string text =
      name.round.which == rpc::RoundName::Which::kLast
          ? absl::StrCat(name.job, "@last")
          : absl::StrCat(name.job, "@", name.round.number,
                         name.round.set_aside > 0 ? absl::StrCat("~", name.round.set_aside) : "");
  return NotFound(
      {.message = absl::StrCat("there is no checkpoint ", text, "; ", name.job,
                               rounds.empty()       ? " has only checkpoints that were set aside"
                               : rounds.size() == 1 ? " has a checkpoint of round "
                                                    : " has checkpoints of rounds ",
                               first > 0 ? "…, " : "",
                               absl::StrJoin(rounds.begin() + first, rounds.end(), ", ")),
       .where = text,
       .remedy = absl::StrCat("List them with: dl-submit checkpoints ", name.job)});
}

StatusOr<std::string> FindCheckpoint(const std::string& text, rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(const CheckpointName name, ParseCheckpointName(text));
  DL_ASSIGN_OR_RETURN(const Json checkpoint, CheckpointOf(name, client));
  return TextAt(checkpoint, "checkpoint");
}

}  // namespace dl::cli
