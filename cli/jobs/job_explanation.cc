#include "cli/jobs/job_explanation.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/jobs/interrupted_job.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/series_query.h"
#include "cli/output/json_fields.h"
#include "rpc/remedy_text.h"
#include "web/documents/diagnosis.h"
#include "web/documents/recent_events.h"

namespace dl::cli {
namespace {

constexpr int64_t kPoints = 40;      // of a curve
constexpr size_t kNotable = 12;      // newest events in the document
constexpr size_t kEventsRead = 400;  // newest events from which they are selected
constexpr const char* kCopied[] = {  // members of the job's document, as far as it has them
    "job",
    "name",
    "owner",
    "state",
    "reason",
    "message",
    "remedy",
    "action",
    "error",
    "queue",
    "excluded",
    "excluded_for_memory",
    "excluded_for_labels",
    "metrics",
    "early_stopping",
    "checkpoint",
    "state_sha256"};
constexpr const char* kProgress[] = {"epochs",       "epochs_total",      "rounds",
                                     "rounds_total", "examples",          "examples_per_second",
                                     "wall_seconds", "submitted_unix_ms", "ended_unix_ms"};

Json MembersOf(const Json& job, std::span<const char* const> keys) {
  Json members = Json::object();
  for (const char* key : keys) {
    if (const Json* value = Member(job, key)) members[key] = *value;
  }
  return members;
}

// Returns the names of the curves that show whether the job learns.
std::string SeriesFor(const Json& job) {
  std::string series = "train/loss,test/loss";
  const Json* stopping = Member(job, "early_stopping");
  const std::string metric = stopping == nullptr ? "" : TextAt(*stopping, "metric");
  if (!metric.empty() && metric != "loss") absl::StrAppend(&series, ",test/", metric);
  return series;
}

StatusOr<Json> EventsOf(rpc::ClientService& client, const Json& job) {
  DL_ASSIGN_OR_RETURN(const std::vector<Json> events,
                      web::ReadLastEvents(client, {.job = TextAt(job, "job"),
                                                   .max_count = kEventsRead,
                                                   .expected = web::ExpectedEvents(job)}));
  Json notable = web::NotableEvents(events, kNotable);
  for (Json& event : notable) rpc::AddRemedyTexts(event);
  return notable;
}

}  // namespace

Json HintsFor(const Json& job, const NextSteps& next) {
  const std::string id = TextAt(job, "job"), state = TextAt(job, "state"),
                    checkpoint = TextAt(job, "checkpoint");
  Json hints = Json::array();
  const auto add = [&](const char* text, const char* command, const std::string& flags,
                       const std::string& argument) {
    hints.push_back({{"text", text},
                     {"command", absl::StrCat("dl-submit ", command, flags,
                                              argument.empty() ? "" : " ", argument)}});
  };
  const std::string& reading = next.store_flags;
  if (state == "INTERRUPTED" || state == "PAUSED" || state == "CANCELLED") {
    add("Continue the job from its last checkpoint", "resume", next.run_flags, id);
  } else if (state == "FAILED") {
    add("Read the events that led to the failure", "logs", reading, id);
    if (!checkpoint.empty())
      add("Continue from the last checkpoint after the cause is removed", "resume", next.run_flags,
          id);
  } else if (state == "REJECTED") {
    add("Show why the job was rejected", "logs", reading, id);
  } else if (state == "SUCCEEDED") {
    add("Show the figures of all epochs", "history", reading, id);
  } else if (state == "QUEUED" || state == "WAITING") {
    add("Show the executors and the queue", "status", reading, "");
  } else {
    add("Follow the job to its end", "attach", next.run_flags, id);
  }
  if (checkpoint.empty()) return hints;
  if (state == "SUCCEEDED" || state == "CANCELLED") {
    add("Evaluate the newest checkpoint", "evaluate", reading, checkpoint);
    add("Write the weights to a file", "export", reading, checkpoint);
  }
  return hints;
}

StatusOr<Json> MakeJobExplanation(Session& session, const std::string& id) {
  rpc::ClientService& client = session.client();
  DL_ASSIGN_OR_RETURN(Json job, QueryJob(client, id));
  MarkInterrupted(session, job);
  DL_ASSIGN_OR_RETURN(SeriesReply series, FindSeries(client, {.what = rpc::QueryKind::kSeries,
                                                              .job = id,
                                                              .series = SeriesFor(job),
                                                              .max_entries = kPoints}));
  DL_ASSIGN_OR_RETURN(Json diagnosis, web::ReadDiagnosis(client, id));
  DL_ASSIGN_OR_RETURN(Json events, EventsOf(client, job));
  Json document = MembersOf(job, kCopied);
  document["progress"] = MembersOf(job, kProgress);
  document["curves"] = std::move(series.json["curves"]);
  document["findings"] = std::move(diagnosis["findings"]);
  document["events"] = std::move(events);
  document["hints"] = HintsFor(job, session.next);
  return document;
}

}  // namespace dl::cli
