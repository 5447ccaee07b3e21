#include "master/core/records/log_record.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/document_version.h"
#include "base/json.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

std::string_view TypeName(RecordType type) {
  switch (type) {
    case RecordType::kStart:
      return "start";
    case RecordType::kCommit:
      return "commit";
    case RecordType::kEvaluation:
      return "evaluation";
    case RecordType::kRebind:
      return "rebind";
    case RecordType::kRollback:
      return "rollback";
  }
  return "?";
}

void ReadHex(JsonObjectReader& reader, std::string_view key, uint64_t& out) {
  std::string text;
  reader.String(key, text);
  if (text.size() != 16 || !absl::SimpleHexAtoi(text, &out))
    reader.AddError(key, "must be 16 hex digits");
}

void ReadMetrics(JsonObjectReader& reader, std::string_view key, nn::MetricSums& out) {
  const Json* child = reader.Child(key);
  if (child == nullptr) {
    reader.AddError(key, "is missing");
    return;
  }
  auto sums = nn::MetricSums::FromJson(*child, reader.PathOf(key));
  if (sums.ok()) {
    out = *std::move(sums);
  } else {
    reader.AddErrors(sums.status());
  }
}

void ReadNames(JsonObjectReader& reader, StateNames& out) {
  const Json* child = reader.Child("state");
  if (child == nullptr) {
    reader.AddError("state", "is missing");
  } else {
    reader.AddErrors(StateNamesFromJson(*child, reader.PathOf("state"), out));
  }
}

Json UnitsJson(const std::vector<CommittedUnit>& units) {
  Json list = Json::array();
  for (const CommittedUnit& unit : units) {
    list.push_back(
        {{"worker", unit.worker}, {"hash", HexU64(unit.hash)}, {"examples", unit.examples}});
  }
  return list;
}

void ReadUnits(JsonObjectReader& reader, std::vector<CommittedUnit>& out) {
  const Json* list = reader.Child("units");
  if (list == nullptr || !list->is_array()) {
    reader.AddError("units", "must be a list");
    return;
  }
  for (const Json& item : *list) {
    JsonObjectReader unit(item, reader.PathOf("units"));
    CommittedUnit value;
    unit.Int32("worker", value.worker, {0, INT32_MAX});
    ReadHex(unit, "hash", value.hash);
    unit.Int("examples", value.examples, {1, INT64_MAX});
    reader.AddErrors(unit.Finish());
    out.push_back(value);
  }
}

Json BoundsJson(const std::vector<LogHead::Bound>& bounds) {
  Json list = Json::array();
  for (const auto& [from, contract] : bounds)
    list.push_back({{"from", from}, {"contract", contract}});
  return list;
}

void ReadBounds(JsonObjectReader& reader, std::vector<LogHead::Bound>& out) {
  const Json* list = reader.Child("bounds");
  if (list == nullptr) return;
  if (!list->is_array()) {
    reader.AddError("bounds", "must be a list");
    return;
  }
  for (const Json& item : *list) {
    JsonObjectReader bound(item, reader.PathOf("bounds"));
    LogHead::Bound value;
    for (const char* key : {"from", "contract"}) bound.Require(key);
    bound.Int("from", value.from, {out.empty() ? 0 : out.back().from + 1, INT64_MAX});
    bound.String("contract", value.contract);
    reader.AddErrors(bound.Finish());
    out.push_back(std::move(value));
  }
}

// Replaces the empty list of `key`, which occurs nowhere else in the text.
void FillList(std::string_view key, const std::string& list, std::string& text) {
  constexpr std::string_view kNone = "[]";
  text.replace(text.find(key) + key.size() - kNone.size(), kNone.size(), list);
}

}  // namespace

Json ToJson(const StateNames& names) {
  return {{"sha256", names.state_sha256}, {"parts", names.parts}};
}

Status StateNamesFromJson(const Json& json, const std::string& path, StateNames& out) {
  JsonObjectReader reader(json, path);
  reader.Require("sha256");
  reader.String("sha256", out.state_sha256);
  reader.Require("parts");
  const Json* parts = reader.Child("parts");
  if (parts != nullptr && parts->is_object()) {
    JsonObjectReader names(*parts, reader.PathOf("parts"));
    for (const auto& [key, name] : parts->items()) names.String(key, out.parts[key]);
    reader.AddErrors(names.Finish());
  } else if (parts != nullptr) {
    reader.AddError("parts", "must be an object");
  }
  return reader.Finish();
}

Json ToJson(const LogRecord& record) {
  Json json = {{"format", kLogRecordDocument.version()},
               {"type", TypeName(record.type)},
               {"round", record.round},
               {"previous", record.previous}};
  switch (record.type) {
    case RecordType::kStart:
      json["contract"] = record.contract;
      json["state"] = ToJson(record.names);
      break;
    case RecordType::kRebind:
      json["contract"] = record.contract;
      break;
    case RecordType::kRollback:
      json["executors"] = record.executors;
      break;
    case RecordType::kCommit:
      json["state"] = ToJson(record.names);
      json["units"] = UnitsJson(record.units);
      json["grid_exponents"] = record.exponents;
      json["epoch_hash_sum"] = HexU64(record.epoch_hash_sum);
      json["epoch_train"] = record.epoch_train.ToJson();
      if (record.plateaus > 0) json["plateaus"] = record.plateaus;
      break;
    case RecordType::kEvaluation:
      json["test"] = record.test.ToJson();
      json["best_value"] = record.best_value;
      json["best_round"] = record.best_round;
      json["epochs_without_gain"] = record.epochs_without_gain;
      json["stop"] = record.stop;
      if (record.plateau_round < 0 && record.plateau_epochs == 0 && record.plateaus == 0) break;
      json["plateaus"] = record.plateaus;
      json["plateau_value"] = record.plateau_value;
      json["plateau_round"] = record.plateau_round;
      json["plateau_epochs"] = record.plateau_epochs;
      break;
  }
  return json;
}

// Long lists are inserted into the text of the rest, because building a Json for each number would
// take the core longer than everything else that it does with them.
std::string RecordText(const LogRecord& record) {
  LogRecord rest = record;
  rest.units.clear();
  const std::string confusion = rest.test.TakeConfusionText(), scores = rest.test.TakeScoresText();
  std::string text = JsonText(ToJson(rest));
  if (record.type == RecordType::kEvaluation) {
    if (record.test.classes() > 0) FillList("\"confusion\":[]", confusion, text);
    if (record.test.scores()) FillList("\"scores\":[]", scores, text);
    return text;
  }
  constexpr std::string_view kUnits = "\"units\":[]}";  // last key of a commit
  if (record.units.empty() || !text.ends_with(kUnits)) return JsonText(ToJson(record));
  text.resize(text.size() - 2);
  text.reserve(text.size() + 80 * record.units.size());
  const char* comma = "";
  for (const CommittedUnit& unit : record.units) {
    absl::StrAppend(&text, std::exchange(comma, ","), "{\"examples\":", unit.examples,
                    ",\"hash\":\"", absl::Hex(unit.hash, absl::kZeroPad16),
                    "\",\"worker\":", unit.worker, "}");
  }
  return text += "]}";
}

StatusOr<LogRecord> LogRecordFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kLogRecordDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kLogRecordDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  LogRecord record;
  for (const char* key : {"type", "round", "previous"}) reader.Require(key);
  std::string type = "?";
  reader.OneOf("type", type, {"start", "commit", "evaluation", "rebind", "rollback"});
  reader.Int("round", record.round, {0, INT64_MAX});
  reader.String("previous", record.previous);
  if (type == "start" || type == "rebind") {
    record.type = type == "start" ? RecordType::kStart : RecordType::kRebind;
    reader.String("contract", record.contract);
    if (type == "start") ReadNames(reader, record.names);
  } else if (type == "rollback") {
    record.type = RecordType::kRollback;
    reader.StringList("executors", record.executors);
  } else if (type == "commit") {
    record.type = RecordType::kCommit;
    ReadNames(reader, record.names);
    ReadUnits(reader, record.units);
    std::vector<int64_t> exponents;
    reader.IntList("grid_exponents", exponents, {INT32_MIN, INT32_MAX});
    record.exponents.assign(exponents.begin(), exponents.end());
    ReadHex(reader, "epoch_hash_sum", record.epoch_hash_sum);
    ReadMetrics(reader, "epoch_train", record.epoch_train);
    reader.Int("plateaus", record.plateaus, {0, INT64_MAX});
  } else {
    record.type = RecordType::kEvaluation;
    ReadMetrics(reader, "test", record.test);
    reader.Double("best_value", record.best_value);
    reader.Int("best_round", record.best_round);
    reader.Int("epochs_without_gain", record.epochs_without_gain);
    reader.Int32("stop", record.stop, {0, 1});
    reader.Int("plateaus", record.plateaus, {0, INT64_MAX});
    reader.Double("plateau_value", record.plateau_value);
    reader.Int("plateau_round", record.plateau_round);
    reader.Int("plateau_epochs", record.plateau_epochs, {0, INT64_MAX});
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kLogRecordDocument, status, where);
  return record;
}

Json ToJson(const LogHead& head) {
  Json json = {{"format", kLogHeadDocument.version()},
               {"length", head.length},
               {"last_sha256", head.last_sha256},
               {"contract", head.contract},
               {"commit", head.commit},
               {"evaluation", head.evaluation}};
  if (!head.bounds.empty()) json["bounds"] = BoundsJson(head.bounds);
  return json;
}

StatusOr<LogHead> LogHeadFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kLogHeadDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kLogHeadDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  LogHead head;
  for (const char* key : {"length", "last_sha256", "contract", "commit", "evaluation"})
    reader.Require(key);
  reader.Int("length", head.length, {0, INT64_MAX});
  reader.String("last_sha256", head.last_sha256);
  reader.String("contract", head.contract);
  ReadBounds(reader, head.bounds);
  reader.Int("commit", head.commit, {LogHead::kUnknown, INT64_MAX});
  reader.Int("evaluation", head.evaluation, {LogHead::kUnknown, INT64_MAX});
  if (head.commit >= head.length || head.evaluation >= head.length)
    reader.AddError("length", "must be behind all places");
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kLogHeadDocument, status, where);
  return head;
}

std::string RecordText(const LogHead& head) { return JsonText(ToJson(head)); }

}  // namespace dl::master
