// Reads, writes, checks and lists all fields of a config (nn/conf/field.h). Members are accessed
// without their static type. Each config is therefore compiled once for all four operations, which
// would otherwise be most of the compile time of nn/conf with its 50 kinds of layers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/one_of.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

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

// The operations on a member, by its type.
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

// A member of a config, with its description and the functions of its type.
struct Member {
  Field field;
  void* value = nullptr;  // address in the config
  const MemberType* type = nullptr;
};
using Members = std::vector<Member>;

// Returns the members of a config, or of the alternative that it holds. They point into the config
// and must not outlive it.
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
// For callers that do not change the members.
template <typename Config>
Members MembersOf(const Config& config) {
  return MembersOf(const_cast<Config&>(config));
}

// Reads all members. An absent key leaves the value unchanged; if the key is required, the reader
// reports it.
void ReadFields(JsonObjectReader& reader, const Members& members);
void WriteFields(const Members& members, Json& json);
// Checks each member separately.
void CheckFields(const Members& members, Mistakes& mistakes);
// Returns the rows of the keys, with the members' values as defaults.
std::vector<KeyRow> RowsOf(const Members& members);
// Registers the keys of objects of `type` with the reader, so that a key of another type gets a
// helpful error. `type_key` is the key that holds the type.
void AddForeignKeys(JsonObjectReader& reader, std::string_view type, const Members& members,
                    std::string_view type_key = "type");

}  // namespace dl::nn
