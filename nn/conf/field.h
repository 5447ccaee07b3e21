// A key of a config, said once: how it is read, written, checked and listed follows from it. A
// config with keys gives
//   template <typename Self, typename Visit> static void Fields(Self& self, Visit&& visit);
// which calls visit(Field, member) for each of them, in the order of docs/job-spec.md. What a type
// of member needs is ReadValue, ToJson, CheckValue and DescribeValue (nn/conf/key_row.h);
// nn/conf/members.h does it for all fields of a config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct Field {
  enum class Presence : uint8_t { kOptional, kRequired };

  std::string_view key;
  std::string_view what = {};  // how a mistake calls it: "Adam's beta1"; of numbers and texts
  std::string_view unit = {};  // "steps", "pixels"; empty: none
  double min = 0, max = 0;     // of numbers, inclusive; of texts: the most bytes
  Presence presence = Presence::kOptional;
  std::string_view meaning;
};

// Plain members, and those that may be left out. An absent key leaves the value as it was.
void ReadValue(JsonObjectReader& reader, std::string_view key, double& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, int64_t& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, bool& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::string& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<std::string>& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<int64_t>& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<double>& out);
template <typename T>
void ReadValue(JsonObjectReader& reader, std::string_view key, std::optional<T>& out);
Json ToJson(double value);
Json ToJson(int64_t value);
Json ToJson(bool value);
Json ToJson(const std::string& value);
Json ToJson(const std::vector<std::string>& value);
Json ToJson(const std::vector<int64_t>& value);
Json ToJson(const std::vector<double>& value);
template <typename T>
Json ToJson(const std::optional<T>& value);
void CheckValue(const Field& field, double value, Mistakes& mistakes);
void CheckValue(const Field& field, int64_t value, Mistakes& mistakes);
inline void CheckValue(const Field&, bool, Mistakes&) {}
// Texts are UTF-8 without a NUL, not empty, and of at most `max` bytes.
void CheckValue(const Field& field, const std::string& value, Mistakes& mistakes);
// Each entry by itself.
void CheckValue(const Field& field, const std::vector<std::string>& value, Mistakes& mistakes);
void CheckValue(const Field& field, const std::vector<double>& value, Mistakes& mistakes);
// Lists of whole numbers are what their config's own check makes of them.
inline void CheckValue(const Field&, const std::vector<int64_t>&, Mistakes&) {}
template <typename T>
void CheckValue(const Field& field, const std::optional<T>& value, Mistakes& mistakes) {
  if (value) CheckValue(field, *value, mistakes);
}

}  // namespace dl::nn
