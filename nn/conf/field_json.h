// Fields of configs (nn/conf/field.h) as the keys of a JSON object.
#pragma once

#include "base/json.h"
#include "nn/conf/field.h"

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

template <typename T>
void ReadFields(JsonObjectReader& reader, T& out) {
  VisitFields(out, [&](const Field& field, auto& member) {
    if (field.presence == Field::Presence::kRequired) reader.Require(field.key);
    ReadValue(reader, field.key, member);
  });
}

template <typename T>
void WriteFields(const T& value, Json& json) {
  VisitFields(value, [&](const Field& field, const auto& member) {
    json[std::string(field.key)] = ToJson(member);
  });
}

}  // namespace dl::nn
