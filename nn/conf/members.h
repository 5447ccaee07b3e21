// Reads, writes, checks and lists all fields of a config (nn/conf/field.h). Members are accessed
// without their static type. Each config is therefore compiled once for all four operations.
// Otherwise, the many kinds of layers would take most of the compile time of nn/conf.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/one_of.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

// The operations on a member, by its type.
struct MemberType {
  void (*read)(JsonObjectReader& reader, std::string_view key, void* member);
  Json (*write)(const void* member);
  void (*check)(const Field& field, const void* member, Mistakes& mistakes);
  void (*describe)(const Field& field, const void* member, std::vector<KeyRow>& rows);
};

// A member of a config, with its description and the functions of its type.
struct Member {
  Field field;
  void* value = nullptr;  // address in the config
  const MemberType* type = nullptr;
};
using Members = std::vector<Member>;

// Return the members of a config, or of the alternative that it holds. They point into the config
// and must not outlive it.
template <typename Config>
Members MembersOf(Config& config);
template <typename Alternatives>
Members MembersOf(OneOf<Alternatives>& config);
// For callers that do not change the members.
template <typename Config>
Members MembersOf(const Config& config) {
  return MembersOf(const_cast<Config&>(config));
}

// Reads all members. An absent key leaves the value unchanged; if the key is required, the reader
// reports it.
void ReadFields(JsonObjectReader& reader, const Members& members);
// Sets the key of each member in `json`, which is an object.
void WriteFields(const Members& members, Json& json);
// Checks each member separately.
void CheckFields(const Members& members, Mistakes& mistakes);
// Checks each member separately. Mistakes name a member by `prefix` and its key, as in
// "checkpoint.keep_last".
void CheckFieldsByKey(const std::string& prefix, const Members& members, Mistakes& mistakes);
// Returns the rows of the keys, with the members' values as defaults.
std::vector<KeyRow> RowsOf(const Members& members);
// Appends rows whose paths continue after `prefix`.
void AppendBelow(const std::string& prefix, std::vector<KeyRow> below, std::vector<KeyRow>& rows);
// Registers the keys of objects of `type` with the reader, so that a key of another type gets a
// helpful error. `type_key` is the key that holds the type.
void AddForeignKeys(JsonObjectReader& reader, std::string_view type, const Members& members,
                    std::string_view type_key = "type");

// ---- Members that are objects without a "type": every config with Fields that has no functions of
// its own.

template <typename T>
concept HasFields = requires(T& config) {
  T::Fields(config, [](const Field&, auto&) {});
};

// Reads the key `key` of `parent` if it exists. Mistakes are added to `parent`.
template <HasFields T>
void ReadValue(JsonObjectReader& parent, std::string_view key, T& out) {
  const Json* json = parent.Child(key);
  if (json == nullptr) return;
  JsonObjectReader reader(*json, parent.PathOf(key));
  ReadFields(reader, MembersOf(out));
  parent.AddErrors(reader.Finish());
}
template <HasFields T>
Json ToJson(const T& value) {
  Json json = Json::object();
  WriteFields(MembersOf(value), json);
  return json;
}
template <HasFields T>
void CheckValue(const Field& field, const T& value, Mistakes& mistakes) {
  CheckFieldsByKey(std::string(field.what) + ".", MembersOf(value), mistakes);
}
// Appends the object's row, whose default is {}, and the rows of its keys.
template <HasFields T>
void DescribeValue(const Field& field, const T& value, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kObject, Json::object()));
  AppendBelow(std::string(field.key) + ".", RowsOf(MembersOf(value)), rows);
}

// ---- Optional members.

// A null or absent key leaves `out` unchanged, usually nullopt.
template <typename T>
void ReadValue(JsonObjectReader& reader, std::string_view key, std::optional<T>& out) {
  const Json* json = reader.Child(key);
  if (json != nullptr && !json->is_null()) ReadValue(reader, key, out.emplace());
}
template <typename T>
Json ToJson(const std::optional<T>& value) {
  return value ? ToJson(*value) : Json();
}

template <typename T>
inline constexpr MemberType kMemberType = {
    .read = [](JsonObjectReader& reader, std::string_view key,
               void* member) { ReadValue(reader, key, *static_cast<T*>(member)); },
    .write = [](const void* member) { return ToJson(*static_cast<const T*>(member)); },
    .check =
        [](const Field& field, const void* member, Mistakes& mistakes) {
          CheckValue(field, *static_cast<const T*>(member), mistakes);
        },
    .describe =
        [](const Field& field, const void* member, std::vector<KeyRow>& rows) {
          DescribeValue(field, *static_cast<const T*>(member), rows);
        }};

template <typename Config>
Members MembersOf(Config& config) {
  Members members;
  Config::Fields(config, [&]<typename T>(const Field& field, T& member) {
    members.push_back({field, &member, &kMemberType<T>});
  });
  return members;
}
template <typename Alternatives>
Members MembersOf(OneOf<Alternatives>& config) {
  return std::visit([](auto& x) { return MembersOf(x); }, config);
}

}  // namespace dl::nn
