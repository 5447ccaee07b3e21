#include "base/document_keys.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "base/lower_hex.h"

namespace dl {
namespace {

IntRange RangeOf(const KeyRule& rule) { return {rule.min, rule.max}; }
// The same within the range of int32_t.
IntRange Int32RangeOf(const KeyRule& rule) {
  return {std::max<int64_t>(rule.min, INT32_MIN), std::min<int64_t>(rule.max, INT32_MAX)};
}

// Calls read(reader, name) for each member of the object at `key`, if it exists.
template <typename ReadMember>
void ReadMembers(JsonObjectReader& reader, std::string_view key, ReadMember read) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (!json->is_object()) return reader.AddError(key, "must be an object");
  JsonObjectReader members(*json, reader.PathOf(key));
  for (const auto& [name, value] : json->items()) read(members, name);
  reader.AddErrors(members.Finish());
}

}  // namespace

void KeyReader::Hex(std::string_view key, uint64_t& value) {
  const size_t before = reader_.errors().size();
  std::string text;
  reader_.String(key, text);
  if (reader_.errors().size() > before) return;
  if (!IsLowerHex(text, 16) || !absl::SimpleHexAtoi(text, &value))
    reader_.AddError(key, "must be 16 lower-case hex digits");
}

Status KeyReader::Finish() {
  const Status status = reader_.Finish();
  return failure_.ok() ? status : failure_;
}

void KeyReader::AddFailure(const Status& status) {
  if (status.ok() || absl::IsInvalidArgument(status))
    reader_.AddErrors(status);
  else
    failure_.Update(status);
}

void KeyReader::Read(std::string_view key, int64_t& value, const KeyRule& rule) {
  reader_.Int(key, value, RangeOf(rule));
}
void KeyReader::Read(std::string_view key, int32_t& value, const KeyRule& rule) {
  reader_.Int32(key, value, Int32RangeOf(rule));
}
void KeyReader::Read(std::string_view key, double& value, const KeyRule& rule) {
  DoubleRange range;
  if (rule.min != INT64_MIN) range.min = static_cast<double>(rule.min);
  if (rule.max != INT64_MAX) range.max = static_cast<double>(rule.max);
  reader_.Double(key, value, range);
}
void KeyReader::Read(std::string_view key, bool& value, const KeyRule&) {
  reader_.Bool(key, value);
}
void KeyReader::Read(std::string_view key, std::string& value, const KeyRule&) {
  reader_.String(key, value);
}
void KeyReader::Read(std::string_view key, std::vector<std::string>& value, const KeyRule&) {
  reader_.StringList(key, value);
}
void KeyReader::Read(std::string_view key, std::set<std::string>& value, const KeyRule&) {
  std::vector<std::string> list;
  reader_.StringList(key, list);
  value.insert(list.begin(), list.end());
}
void KeyReader::Read(std::string_view key, std::vector<int64_t>& value, const KeyRule& rule) {
  reader_.IntList(key, value, RangeOf(rule));
}
void KeyReader::Read(std::string_view key, std::vector<int32_t>& value, const KeyRule& rule) {
  std::vector<int64_t> list;
  reader_.IntList(key, list, Int32RangeOf(rule));
  value.assign(list.begin(), list.end());
}
void KeyReader::Read(std::string_view key, std::map<std::string, std::string>& value,
                     const KeyRule&) {
  ReadMembers(reader_, key, [&](JsonObjectReader& members, const std::string& name) {
    members.String(name, value[name]);
  });
}
void KeyReader::Read(std::string_view key, std::map<std::string, int64_t>& value,
                     const KeyRule& rule) {
  ReadMembers(reader_, key, [&](JsonObjectReader& members, const std::string& name) {
    members.Int(name, value[name], RangeOf(rule));
  });
}

}  // namespace dl
