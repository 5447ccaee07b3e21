// A key of a config, said once: how it is read, written, checked and listed follows from it. A
// config with keys gives
//   template <typename Self, typename Visit> static void Fields(Self& self, Visit&& visit);
// which calls visit(Field, member) for each of them, in the order of docs/job-spec.md. What a type
// of member needs is ReadValue, ToJson, CheckValue and DescribeValue (nn/conf/key_row.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct Field {
  enum class Presence : uint8_t { kOptional, kRequired };

  std::string_view key;
  std::string_view what = {};  // how a mistake calls it: "Adam's beta1"; of numbers
  std::string_view unit = {};  // "steps", "pixels"; empty: none
  double min = 0, max = 0;     // of numbers, inclusive
  Presence presence = Presence::kOptional;
  std::string_view meaning;
};

// Plain members. An absent key leaves the value as it was.
inline void ReadValue(JsonObjectReader& reader, std::string_view key, double& out) {
  reader.Double(key, out);
}
inline void ReadValue(JsonObjectReader& reader, std::string_view key, int64_t& out) {
  reader.Int(key, out);
}
inline void ReadValue(JsonObjectReader& reader, std::string_view key, bool& out) {
  reader.Bool(key, out);
}
inline Json ToJson(double value) { return value; }
inline Json ToJson(int64_t value) { return value; }
inline Json ToJson(bool value) { return value; }
inline void CheckValue(const Field& field, double value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, field.min, field.max);
}
inline void CheckValue(const Field& field, int64_t value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, static_cast<int64_t>(field.min),
                 static_cast<int64_t>(field.max));
}
inline void CheckValue(const Field&, bool, Mistakes&) {}

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
void CheckValue(const Field& field, const std::optional<T>& value, Mistakes& mistakes) {
  if (value) CheckValue(field, *value, mistakes);
}

// The fields of a config, or of the one that a variant holds.
template <typename T, typename Visit>
void VisitFields(T& value, Visit&& visit) {
  T::Fields(value, visit);
}
template <typename... T, typename Visit>
void VisitFields(std::variant<T...>& value, Visit&& visit) {
  std::visit([&](auto& x) { VisitFields(x, visit); }, value);
}
template <typename... T, typename Visit>
void VisitFields(const std::variant<T...>& value, Visit&& visit) {
  std::visit([&](const auto& x) { VisitFields(x, visit); }, value);
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

// Each member by itself.
template <typename T>
void CheckFields(const T& value, Mistakes& mistakes) {
  VisitFields(value,
              [&](const Field& field, const auto& member) { CheckValue(field, member, mistakes); });
}

}  // namespace dl::nn
