// Functions for members of a config (nn/conf/field.h) that are objects without a "type", and for
// enumerations, which JSON holds as names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/conf/key_row.h"
#include "nn/conf/members.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {

// ---- Objects whose type defines Fields.

template <typename T>
Json ObjectToJson(const T& value) {
  Json json = Json::object();
  WriteFields(MembersOf(value), json);
  return json;
}

// Reads the key `key` of `parent` if it exists. Mistakes are added to `parent`.
template <typename T>
void ReadObject(JsonObjectReader& parent, std::string_view key, T& out) {
  const Json* json = parent.Child(key);
  if (json == nullptr) return;
  JsonObjectReader reader(*json, parent.PathOf(key));
  ReadFields(reader, MembersOf(out));
  parent.AddErrors(reader.Finish());
}

// Checks the members. Mistakes name them by their keys after `prefix`: "checkpoint.keep_last".
template <typename T>
void CheckKeys(const std::string& prefix, const T& value, Mistakes& mistakes) {
  for (const Member& member : MembersOf(value)) {
    const std::string name = prefix + std::string(member.field.key);
    Field named = member.field;
    named.what = name;
    member.type->check(named, member.value, mistakes);
  }
}
template <typename T>
void CheckObject(const Field& field, const T& value, Mistakes& mistakes) {
  CheckKeys(std::string(field.what) + ".", value, mistakes);
}

// Appends the object's row, whose default is {}, and the rows of its keys.
template <typename T>
void DescribeObject(const Field& field, const T& value, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kObject, Json::object()));
  for (KeyRow& row : RowsOf(MembersOf(value))) {
    row.path = std::string(field.key) + "." + row.path;
    rows.push_back(std::move(row));
  }
}

// ---- Enumerations. `name_of` returns each enumerator's name, and kNoTag after the last.

// Reads the name at `key` if it exists. An unknown name is reported with all names.
template <typename Kind>
void ReadChoice(JsonObjectReader& reader, std::string_view key, Kind& out,
                std::string_view (*name_of)(Kind)) {
  std::vector<std::string_view> names;
  for (const Kind kind : AllKinds(name_of)) names.push_back(name_of(kind));
  std::string name(name_of(out));
  reader.OneOf(key, name, names);
  for (const Kind kind : AllKinds(name_of)) {
    if (name_of(kind) == name) out = kind;
  }
}

template <typename Kind>
void DescribeChoice(const Field& field, Kind value, std::string_view (*name_of)(Kind),
                    std::vector<KeyRow>& rows) {
  KeyRow row = RowOf(field, KeyType::kChoice, std::string(name_of(value)));
  for (const Kind kind : AllKinds(name_of))
    row.choices += (row.choices.empty() ? "" : "|") + std::string(name_of(kind));
  rows.push_back(std::move(row));
}

}  // namespace dl::nn
