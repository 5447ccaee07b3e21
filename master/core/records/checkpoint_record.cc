#include "master/core/records/checkpoint_record.h"

#include "master/core/records/log_record.h"
#include "master/core/records/state_names_keys.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

constexpr auto kCheckpointKeys = [](auto& keys, auto& info) {
  keys.Value("round", info.round, {.required = true, .min = 0});
  keys.Object("state", info.names, kStateNamesKeys, {.required = true});
  keys.Converted(
      "manifest", info.manifest,
      [](const Json& json, const std::string&) -> StatusOr<std::string> { return json.dump(); },
      [](const std::string& manifest) { return Json::parse(manifest); }, {.required = true});
  keys.Value("place", info.place, {.required = true, .min = -1});
  keys.Value("kernel_contract", info.kernel_contract, {.omit_default = true});
  keys.Value("pinned", info.pinned, {.required = true});
  keys.Value("set_aside", info.set_aside, {.omit_default = true, .min = 0});
  keys.Value("set_aside_unix_ms", info.set_aside_unix_ms, {.omit_default = true});
  keys.Value("set_aside_run_ms", info.set_aside_run_ms, {.omit_default = true, .min = 0});
  keys.Converted("evaluation", info.evaluation, LogRecordFromJson,
                 [](const LogRecord& evaluation) { return ToJson(evaluation); });
  if (info.evaluation) keys.Value("evaluation_place", info.evaluation->place, {.min = -1});
};

}  // namespace

Json ToJson(const CheckpointInfo& info) {
  return WriteDocument(kCheckpointRecordDocument, info, kCheckpointKeys);
}

StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where) {
  return ReadDocument<CheckpointInfo>(kCheckpointRecordDocument, json, where, kCheckpointKeys);
}

std::string RecordText(const CheckpointInfo& info) { return JsonText(ToJson(info)); }

}  // namespace dl::master
