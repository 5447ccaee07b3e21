// Functions for objects with a "type": {"type": "adam", "beta1": 0.8}, or the type alone as a
// string. T must define
//   std::string_view TagOf(const T&);
//   std::vector<T> DefaultsOf(const T*);  // one of each type, with default values
// and Fields (nn/conf/field.h), which visits the keys of its type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/conf/key_row.h"
#include "nn/conf/members.h"
#include "nn/conf/type_shorthand.h"

namespace dl::nn {

// The tag of a value that is no enumerator.
inline constexpr std::string_view kNoTag = "";

// Returns all enumerators. `tag_of` is a switch without a default branch that returns each
// enumerator's tag, and kNoTag after the switch. The compiler thus requires a tag, and everything
// with a tag is read, written and listed. REQUIRES: enumerators count from 0 without gaps.
template <typename Kind>
std::vector<Kind> AllKinds(std::string_view (*tag_of)(Kind)) {
  std::vector<Kind> kinds;
  for (int i = 0; tag_of(static_cast<Kind>(i)) != kNoTag; ++i)
    kinds.push_back(static_cast<Kind>(i));
  return kinds;
}

template <typename T>
Json TypedToJson(const T& value) {
  Json json{{"type", TagOf(value)}};
  WriteFields(MembersOf(value), json);
  return json;
}

// Reads "type" and sets `out` to the default of that type.
template <typename T>
void ReadType(JsonObjectReader& reader, T& out) {
  const std::vector<T> types = DefaultsOf(&out);
  std::vector<std::string_view> tags;
  for (const T& type : types) tags.push_back(TagOf(type));
  std::string tag(TagOf(out));
  reader.Require("type");
  reader.OneOf("type", tag, tags);
  for (const T& type : types) {
    if (TagOf(type) == tag) out = type;
    // The keys of the chosen type are read later.
    AddForeignKeys(reader, TagOf(type), MembersOf(type));
  }
}

// Reads the key `key` of `reader` if it exists. Keys that the object leaves out get the defaults of
// its type. Mistakes are added to the reader.
template <typename T>
void ReadTyped(JsonObjectReader& reader, std::string_view key, T& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  ReadType(nested, out);
  ReadFields(nested, MembersOf(out));
  reader.AddErrors(nested.Finish());
}

// Returns a JSON text with the type of `value` and its required keys, such as
// {"type":"fixed","initial":0.01}. Leaves all other keys out, even if their values are not the
// defaults.
template <typename T>
std::string ShortestJson(const T& value) {
  std::string text = "{\"type\":\"" + std::string(TagOf(value)) + "\"";
  for (const Member& member : MembersOf(value)) {
    if (member.field.presence != Field::Presence::kRequired) continue;
    text += ",\"" + std::string(member.field.key) + "\":" + member.type->write(member.value).dump();
  }
  return text + "}";
}

template <typename T>
void DescribeTyped(const Field& field, const T& value, std::string_view type_meaning,
                   std::vector<KeyRow>& rows) {
  std::vector<TypeRows> types;
  for (const T& type : DefaultsOf(&value)) types.push_back({TagOf(type), RowsOf(MembersOf(type))});
  KeyRow object = RowOf(field, KeyType::kObject, Json());
  if (field.presence == Field::Presence::kOptional) object.standard = ShortestJson(value);
  AppendObject(std::move(object), type_meaning, types, rows);
}

}  // namespace dl::nn
