// All fields of a config at once (nn/conf/field.h), read from and written to a JSON object, checked
// and listed. A member is seen without its type, so that each config is compiled once for all that
// is done with it: with 50 kinds of layers that is most of what nn/conf takes to compile.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/one_of.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

// null, or absent: not stated.
template <typename T>
void ReadValue(JsonObjectReader& reader, std::string_view key, std::optional<T>& out) {
  const Json* json = reader.Child(key);
  if (json != nullptr && !json->is_null()) ReadValue(reader, key, out.emplace());
}
template <typename T>
Json ToJson(const std::optional<T>& value) {
  return value ? ToJson(*value) : Json();
}

// What is done with a member, by the functions of its type.
struct MemberType {
  void (*read)(JsonObjectReader& reader, std::string_view key, void* member);
  Json (*write)(const void* member);
  void (*check)(const Field& field, const void* member, Mistakes& mistakes);
  void (*describe)(const Field& field, const void* member, std::vector<KeyRow>& rows);
};
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

struct Member {
  Field field;
  void* value = nullptr;  // in the config
  const MemberType* type = nullptr;
};
using Members = std::vector<Member>;

// Those of a config, or of the one that it holds; they are its own, and end with it.
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
// For who changes none of them.
template <typename Config>
Members MembersOf(const Config& config) {
  return MembersOf(const_cast<Config&>(config));
}

// An absent key leaves the value as it was, unless it is required.
void ReadFields(JsonObjectReader& reader, const Members& members);
void WriteFields(const Members& members, Json& json);
// Each member by itself.
void CheckFields(const Members& members, Mistakes& mistakes);
// The keys, with the members' values as their defaults.
std::vector<KeyRow> RowsOf(const Members& members);
// Tells the reader which keys objects of `type` have, by their `type_key`.
void AddForeignKeys(JsonObjectReader& reader, std::string_view type, const Members& members,
                    std::string_view type_key = "type");

}  // namespace dl::nn
