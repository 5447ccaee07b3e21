// Reports of jobs as JSON. A report of an ended job is stored in a record ("ended/ID/WHAT").
// Reports of other jobs have the same JSON, but are not stored. docs/operations/watch.md describes
// the JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/views/checkpoint_view.h"
#include "master/core/views/job_view.h"

namespace dl::master {

Json ToJson(const MetricsView& metrics);
// Returns the JSON of the event that ends an attempt of a job.
Json ToJson(const ResultView& result);

// Return reports as text. A job may have a thousand units, and building a Json of each would take
// ten times longer. Manifests may be large and are copied as stored text.
std::string ReportText(const ResultView& result);
std::string ReportText(const JobView& job);
std::string ReportText(const CheckpointsView& checkpoints);

// Converts the report of an ended job to its stored form and back. ReportIn returns nullopt for
// another version or a text that is cut off. Neither parses the report, so ReportIn does not detect
// damage inside it.
std::string EndedReportText(std::string_view report);
std::optional<std::string> ReportIn(std::string document);
// Returns the report in a document "ended/ID/WHAT". `where` names the document in errors. Returns
// DataLoss if the document is damaged, and VersionMismatch if a newer build wrote it.
StatusOr<Json> EndedReportFromJson(const Json& json, std::string_view where);
// Adds quarantined executors to the report of an ended job, which is an object without these
// members. Returns the report unchanged if there are none.
std::string WithDistrusted(std::string report, const DistrustView& distrust);

}  // namespace dl::master
