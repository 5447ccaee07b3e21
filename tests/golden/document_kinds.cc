#include "tests/golden/document_kinds.h"

#include "dataset/manifest.h"
#include "job/job_spec.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/event_sequence_record.h"
#include "master/core/records/job_record.h"
#include "master/core/records/log_record.h"
#include "master/core/records/report_record.h"
#include "master/core/records/stored_documents.h"
#include "master/core/records/unverified_record.h"
#include "nn/conf/model_json.h"
#include "security/token_store.h"
#include "storage/checkpoint_manifest.h"
#include "storage/series/histogram_records.h"
#include "storage/series/series_records.h"
#include "storage/timeline/timeline_records.h"

namespace dl::golden {
namespace {

template <typename Read>
std::function<StatusOr<Json>(const Json&)> Written(Read read) {
  return [read](const Json& json) -> StatusOr<Json> {
    DL_ASSIGN_OR_RETURN(const auto value, read(json));
    return ToJson(value);
  };
}

StatusOr<Json> RewriteManifest(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto manifest, dataset::ManifestFromJson(json.dump(), "golden"));
  return Json::parse(dataset::ManifestToJson(manifest));
}
StatusOr<Json> RewriteEnded(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto report, master::EndedReportFromJson(json, "golden"));
  return Json::parse(master::EndedReportText(report.dump()));
}

StatusOr<Json> RewriteSeriesColumns(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto columns, storage::ParseSeriesColumns(json.dump(), "golden"));
  return Json::parse(RecordText(columns));
}
StatusOr<Json> RewriteFoldedSeries(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto folded, storage::ParseFoldedSeries(json.dump(), "golden"));
  return Json::parse(RecordText(folded));
}

StatusOr<Json> RewriteHistogramRounds(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto rounds, storage::ParseHistogramRounds(json.dump(), "golden"));
  return Json::parse(RecordText(rounds));
}

StatusOr<Json> RewriteTimelineRounds(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto rounds, storage::ParseTimelineRounds(json.dump(), "golden"));
  return Json::parse(RecordText(rounds));
}

}  // namespace

#define DL_KIND(scope, constant, read) \
  { #constant, &scope::constant, read }
const std::vector<KindRow>& Kinds() {
  static const auto& kinds = *new std::vector<KindRow>{
      DL_KIND(job, kJobDocument, Written(job::JobFromJson)),
      DL_KIND(nn, kModelDocument,
              Written([](const Json& json) { return nn::ModelFromJson(json, ""); })),
      DL_KIND(dataset, kManifestDocument, RewriteManifest),
      DL_KIND(storage, kCheckpointManifestDocument, Written([](const Json& json) {
                return storage::CheckpointManifestFromJson(json, "");
              })),
      DL_KIND(master, kJobRecordDocument,
              Written([](const Json& json) { return master::JobRecordFromJson(json, "golden"); })),
      DL_KIND(master, kCheckpointRecordDocument, Written([](const Json& json) {
                return master::CheckpointInfoFromJson(json, "golden");
              })),
      DL_KIND(master, kLogRecordDocument,
              Written([](const Json& json) { return master::LogRecordFromJson(json, "golden"); })),
      DL_KIND(master, kLogHeadDocument,
              Written([](const Json& json) { return master::LogHeadFromJson(json, "golden"); })),
      DL_KIND(master, kUnverifiedDocument,
              Written([](const Json& json) { return master::UnverifiedFromJson(json, "golden"); })),
      DL_KIND(master, kEventSequenceDocument, Written([](const Json& json) {
                return master::EventSequenceFromJson(json, "golden");
              })),
      DL_KIND(master, kEndedDocument, RewriteEnded),
      DL_KIND(storage, kSeriesColumnsDocument, RewriteSeriesColumns),
      DL_KIND(storage, kFoldedSeriesDocument, RewriteFoldedSeries),
      DL_KIND(storage, kHistogramRoundsDocument, RewriteHistogramRounds),
      DL_KIND(storage, kTimelineRoundsDocument, RewriteTimelineRounds),
      DL_KIND(security, kTokensDocument, Written(security::TokensFromJson)),
  };
  return kinds;
}

}  // namespace dl::golden
