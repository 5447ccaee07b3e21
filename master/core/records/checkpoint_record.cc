#include "master/core/records/checkpoint_record.h"

#include "base/document_version.h"
#include "base/json.h"
#include "master/core/records/log_record.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {

Json ToJson(const CheckpointInfo& info) {
  Json json = {{"format", kCheckpointRecordDocument.version()},
               {"round", info.round},
               {"state", ToJson(info.names)},
               {"manifest", Json::parse(info.manifest)},
               {"place", info.place},
               {"pinned", info.pinned}};
  if (info.set_aside > 0) {
    json["set_aside"] = info.set_aside;
    json["set_aside_unix_ms"] = info.set_aside_unix_ms;
  }
  if (info.evaluation) {
    json["evaluation"] = ToJson(*info.evaluation);
    json["evaluation_place"] = info.evaluation->place;
  }
  return json;
}

StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kCheckpointRecordDocument, json, where);
  if (!document.ok())
    return StoredDocumentError(kCheckpointRecordDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  CheckpointInfo info;
  for (const char* key : {"round", "pinned", "place"}) reader.Require(key);
  reader.Int("round", info.round, {0, INT64_MAX});
  reader.Int("place", info.place, {-1, INT64_MAX});
  reader.Bool("pinned", info.pinned);
  reader.Int("set_aside", info.set_aside, {0, INT64_MAX});
  reader.Int("set_aside_unix_ms", info.set_aside_unix_ms);
  if (const Json* child = reader.Child("evaluation"); child != nullptr) {
    DL_ASSIGN_OR_RETURN(info.evaluation, LogRecordFromJson(*child, reader.PathOf("evaluation")));
    reader.Int("evaluation_place", info.evaluation->place, {-1, INT64_MAX});
  }
  if (const Json* state = reader.Child("state"); state == nullptr) {
    reader.AddError("state", "is missing");
  } else {
    reader.AddErrors(StateNamesFromJson(*state, reader.PathOf("state"), info.names));
  }
  if (const Json* manifest = reader.Child("manifest"); manifest == nullptr) {
    reader.AddError("manifest", "is missing");
  } else {
    info.manifest = manifest->dump();
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kCheckpointRecordDocument, status, where);
  return info;
}

std::string RecordText(const CheckpointInfo& info) { return JsonText(ToJson(info)); }

}  // namespace dl::master
