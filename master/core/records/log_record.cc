#include "master/core/records/log_record.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/name_table.h"
#include "master/core/records/state_names_keys.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

constexpr std::pair<RecordType, std::string_view> kTypes[] = {
    {RecordType::kStart, "start"},           {RecordType::kCommit, "commit"},
    {RecordType::kEvaluation, "evaluation"}, {RecordType::kRebind, "rebind"},
    {RecordType::kRollback, "rollback"},
};

std::string_view TypeName(RecordType type) { return NameIn(kTypes, type); }
bool ParseType(std::string_view name, RecordType& out) { return ParseIn(kTypes, name, out); }

constexpr auto kUnitKeys = [](auto& keys, auto& unit) {
  keys.Value("worker", unit.worker, {.min = 0});
  keys.Hex("hash", unit.hash);
  keys.Value("examples", unit.examples, {.min = 1});
};

constexpr auto kSumsFromJson = [](const Json& json, const std::string& path) {
  return nn::MetricSums::FromJson(json, path);
};
constexpr auto kSumsToJson = [](const nn::MetricSums& sums) { return sums.ToJson(); };

constexpr auto kCommitKeys = [](auto& keys, auto& commit) {
  keys.Object("state", commit.names, kStateNamesKeys, {.required = true});
  keys.List("units", commit.units, kUnitKeys, {.required = true});
  keys.Value("grid_exponents", commit.exponents);
  keys.Hex("epoch_hash_sum", commit.epoch_hash_sum);
  keys.Converted("epoch_train", commit.epoch_train, kSumsFromJson, kSumsToJson, {.required = true});
  keys.Value("plateaus", commit.plateaus, {.omit_default = true, .min = 0});
};

constexpr auto kNumberFromJson = [](const Json& json, const std::string& path) -> StatusOr<double> {
  if (json.is_number()) return json.get<double>();
  return InvalidArgument({.message = "must be a number", .where = path});
};
constexpr auto kNumberToJson = [](double number) { return Json(number); };

constexpr auto kEvaluationKeys = [](auto& keys, auto& evaluation) {
  keys.Converted("test", evaluation.test, kSumsFromJson, kSumsToJson, {.required = true});
  keys.Converted("judged", evaluation.judged, kNumberFromJson, kNumberToJson);
  keys.Value("best_value", evaluation.best_value);
  keys.Value("best_round", evaluation.best_round);
  keys.Value("epochs_without_gain", evaluation.epochs_without_gain);
  keys.Value("stop", evaluation.stop, {.min = 0, .max = 1});
};

// Written together, if one of them is not the default.
constexpr auto kPlateauKeys = [](auto& keys, auto& evaluation) {
  keys.Value("plateaus", evaluation.plateaus, {.min = 0});
  keys.Value("plateau_value", evaluation.plateau_value);
  keys.Value("plateau_round", evaluation.plateau_round);
  keys.Value("plateau_epochs", evaluation.plateau_epochs, {.min = 0});
};

constexpr auto kLogKeys = []<typename Keys>(Keys& keys, auto& record) {
  keys.Word("type", record.type, TypeName, ParseType, "is not a type of log records");
  keys.Value("round", record.round, {.required = true, .min = 0});
  keys.Value("previous", record.previous, {.required = true});
  switch (record.type) {
    case RecordType::kStart:
      keys.Value("contract", record.contract);
      keys.Object("state", record.names, kStateNamesKeys, {.required = true});
      break;
    case RecordType::kRebind:
      keys.Value("contract", record.contract);
      break;
    case RecordType::kRollback:
      keys.Value("executors", record.executors);
      break;
    case RecordType::kCommit:
      kCommitKeys(keys, record);
      break;
    case RecordType::kEvaluation:
      kEvaluationKeys(keys, record);
      if (Keys::kReads || record.plateau_round >= 0 || record.plateau_epochs > 0 ||
          record.plateaus > 0)
        kPlateauKeys(keys, record);
      break;
  }
};

constexpr auto kBoundKeys = [](auto& keys, auto& bound) {
  keys.Value("from", bound.from, {.required = true, .min = 0});
  keys.Value("contract", bound.contract, {.required = true});
};

constexpr auto kHeadKeys = [](auto& keys, auto& head) {
  keys.Value("length", head.length, {.required = true, .min = 0});
  keys.Value("last_sha256", head.last_sha256, {.required = true});
  keys.Value("contract", head.contract, {.required = true});
  keys.List("bounds", head.bounds, kBoundKeys, {.omit_default = true});
  keys.Value("commit", head.commit, {.required = true, .min = LogHead::kUnknown});
  keys.Value("evaluation", head.evaluation, {.required = true, .min = LogHead::kUnknown});
  keys.Check(std::ranges::is_sorted(head.bounds, std::ranges::less_equal(), &LogHead::Bound::from),
             "bounds", "must begin at ascending rounds");
  keys.Check(head.commit < head.length && head.evaluation < head.length, "length",
             "must be greater than all indices");
};

// Replaces the empty list of `key`, which occurs nowhere else in the text.
void FillList(std::string_view key, const std::string& list, std::string& text) {
  constexpr std::string_view kNone = "[]";
  text.replace(text.find(key) + key.size() - kNone.size(), kNone.size(), list);
}

}  // namespace

Json ToJson(const LogRecord& record) { return WriteDocument(kLogRecordDocument, record, kLogKeys); }

// Long lists are inserted into the text of the rest, because building a Json for each number would
// take the core longer than everything else that it does with them.
std::string RecordText(const LogRecord& record) {
  LogRecord rest = record;
  rest.units.clear();
  const std::string confusion = rest.test.TakeConfusionText();
  std::string text = JsonText(ToJson(rest));
  if (record.type == RecordType::kEvaluation) {
    if (record.test.classes() > 0) FillList("\"confusion\":[]", confusion, text);
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
  return ReadDocument<LogRecord>(kLogRecordDocument, json, where, kLogKeys);
}

Json ToJson(const LogHead& head) { return WriteDocument(kLogHeadDocument, head, kHeadKeys); }

StatusOr<LogHead> LogHeadFromJson(const Json& json, std::string_view where) {
  return ReadDocument<LogHead>(kLogHeadDocument, json, where, kHeadKeys);
}

std::string RecordText(const LogHead& head) { return JsonText(ToJson(head)); }

}  // namespace dl::master
