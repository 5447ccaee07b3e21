// A key of a config, said once: how it is read, written and checked follows from it. A config with
// keys gives
//   template <typename Self, typename Visit> static void Fields(Self& self, Visit&& visit);
// which calls visit(Field, member) for each of them, in the order of docs/job-spec.md.
#pragma once

#include <optional>
#include <string_view>

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

// What a type may be a member is read by ReadValue, written by ToJson and checked by CheckValue;
// these are the plain ones. An absent key leaves the value as it was.
inline void ReadValue(JsonObjectReader& reader, std::string_view key, double& out) {
  reader.Double(key, out);
}
inline Json ToJson(double value) { return value; }
inline void CheckValue(const Field& field, double value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, field.min, field.max);
}

template <typename T>
void ReadFields(JsonObjectReader& reader, T& out) {
  T::Fields(out, [&](const Field& field, auto& value) {
    if (field.presence == Field::Presence::kRequired) reader.Require(field.key);
    ReadValue(reader, field.key, value);
  });
}

template <typename T>
void WriteFields(const T& value, Json& json) {
  T::Fields(value, [&](const Field& field, const auto& member) {
    json[std::string(field.key)] = ToJson(member);
  });
}

// Each member by itself.
template <typename T>
void CheckFields(const T& value, Mistakes& mistakes) {
  T::Fields(value,
            [&](const Field& field, const auto& member) { CheckValue(field, member, mistakes); });
}

}  // namespace dl::nn
