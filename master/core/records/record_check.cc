#include "master/core/records/record_check.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/event_sequence_record.h"
#include "master/core/records/job_record.h"
#include "master/core/records/log_record.h"
#include "master/core/records/unverified_record.h"
#include "storage/series/histogram_records.h"
#include "storage/series/round_row.h"
#include "storage/series/series_records.h"
#include "storage/timeline/timeline_records.h"

namespace dl::master {
namespace {

// Reads a document and writes it again.
using Rewrite = std::function<StatusOr<std::string>(const Json& json, std::string_view key)>;

template <typename Read>
Rewrite Rewritten(Read read) {
  return [read](const Json& json, std::string_view key) -> StatusOr<std::string> {
    DL_ASSIGN_OR_RETURN(const auto value, read(json, key));
    return RecordText(value);
  };
}

// By key prefix.
const std::vector<std::pair<std::string_view, Rewrite>>& Rewrites() {
  static const auto& rewrites = *new std::vector<std::pair<std::string_view, Rewrite>>{
      {"job/", Rewritten(JobRecordFromJson)},
      {"log/", Rewritten(LogRecordFromJson)},
      {"head/", Rewritten(LogHeadFromJson)},
      {"checkpoint/", Rewritten(CheckpointInfoFromJson)},
      {"unverified/", Rewritten(UnverifiedFromJson)},
      {"told/", Rewritten(EventSequenceFromJson)}};
  return rewrites;
}

// Figures of rounds are bytes, and others of their records JSON.
Status CheckSeries(const std::string& key, const std::string& value) {
  if (key.find("/row/") != std::string::npos) return storage::DecodeRow(value).status();
  if (key.ends_with("/columns")) return storage::ParseSeriesColumns(value, key).status();
  if (key.ends_with("/folded")) return storage::ParseFoldedSeries(value, key).status();
  if (key.ends_with("/histogram_rounds")) return storage::ParseHistogramRounds(value, key).status();
  if (key.find("/histograms/") != std::string::npos && !DecodeHistograms(value))
    return DataLoss({.message = "reading a histogram fails", .where = key});
  return absl::OkStatus();
}

// Leases of rounds are bytes, names of executors are text.
Status CheckTimeline(const std::string& key, const std::string& value) {
  if (key.ends_with("/rounds")) return storage::ParseTimelineRounds(value, key).status();
  if (key.find("/executor/") != std::string::npos) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const storage::RoundTimeline round, storage::DecodeTimeline(value));
  if (storage::EncodeTimeline(round) == value) return absl::OkStatus();
  return DataLoss({.message = "reading a timeline gives other bytes", .where = key});
}

Status CheckRecord(const Rewrite& rewrite, const std::string& key, const std::string& text) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, key));
  DL_ASSIGN_OR_RETURN(const std::string again, rewrite(json, key));
  if (again == text) return absl::OkStatus();
  return DataLoss({.message = "reading it back gives: " + again, .where = key});
}

}  // namespace

Status CheckReadable(const storage::MetaBatch& batch) {
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    if (!change.value) continue;
    if (change.key.starts_with("series/"))
      DL_RETURN_IF_ERROR(CheckSeries(change.key, *change.value));
    if (change.key.starts_with("timeline/"))
      DL_RETURN_IF_ERROR(CheckTimeline(change.key, *change.value));
    for (const auto& [prefix, rewrite] : Rewrites()) {
      if (!change.key.starts_with(prefix)) continue;
      if (const Status status = CheckRecord(rewrite, change.key, *change.value); !status.ok()) {
        return DataLoss({.message = "a record that is written cannot be read back: " +
                                    std::string(status.message()) + "; the record is " +
                                    *change.value,
                         .where = change.key});
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::master
