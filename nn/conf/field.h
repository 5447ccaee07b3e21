// Describes a key of a config. Reading, writing, checking and listing follow from the description.
// A config with keys defines
//   template <typename Self, typename Visit> static void Fields(Self& self, Visit&& visit);
// which calls visit(Field, member) for each key, in the order of docs/job-spec.md.
//
// Each type of a member has the following functions. nn/conf/members.h calls them for all members
// of a config.
//   ReadValue      sets the member to the value of the key. Adds mistakes to the reader. A member
//                  whose key is absent keeps its value, which is the default.
//   ToJson         returns the value as JSON that ReadValue accepts.
//   CheckValue     adds mistakes in the value, for example outside of the field's range.
//   DescribeValue  appends the rows of the key (nn/conf/key_row.h), with the value as default.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct Field {
  enum class Presence : uint8_t { kOptional, kRequired };

  std::string_view key;
  std::string_view what = {};  // name in error messages: "Adam's beta1"; for numbers and texts
  std::string_view unit = {};  // "steps", "pixels"; empty means none
  // Range of a number, inclusive; for texts max is the largest number of bytes.
  double min = 0, max = 0;
  // For texts and whole numbers: the valid ones. Empty: any text; any number of the range.
  std::span<const std::string_view> choices = {};
  Presence presence = Presence::kOptional;
  std::string_view meaning;
};

// The functions for plain and optional members.
void ReadValue(JsonObjectReader& reader, std::string_view key, double& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, int64_t& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, uint64_t& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, bool& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::string& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<std::string>& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<int64_t>& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<double>& out);
template <typename T>
void ReadValue(JsonObjectReader& reader, std::string_view key, std::optional<T>& out);
Json ToJson(double value);
Json ToJson(int64_t value);
Json ToJson(uint64_t value);
Json ToJson(bool value);
Json ToJson(const std::string& value);
Json ToJson(const std::vector<std::string>& value);
Json ToJson(const std::vector<int64_t>& value);
Json ToJson(const std::vector<double>& value);
template <typename T>
Json ToJson(const std::optional<T>& value);
void CheckValue(const Field& field, double value, Mistakes& mistakes);
// A whole number must be in the range, and one of the choices if there are choices.
void CheckValue(const Field& field, int64_t value, Mistakes& mistakes);
inline void CheckValue(const Field&, bool, Mistakes&) {}
inline void CheckValue(const Field&, uint64_t, Mistakes&) {}  // every value is valid
// A text must be one of the choices. Without choices it must be UTF-8 without NUL, not empty, and
// at most `max` bytes long.
void CheckValue(const Field& field, const std::string& value, Mistakes& mistakes);
// Check each entry.
void CheckValue(const Field& field, const std::vector<std::string>& value, Mistakes& mistakes);
void CheckValue(const Field& field, const std::vector<double>& value, Mistakes& mistakes);
// Lists of integers are checked by their config's own Check.
inline void CheckValue(const Field&, const std::vector<int64_t>&, Mistakes&) {}
template <typename T>
void CheckValue(const Field& field, const std::optional<T>& value, Mistakes& mistakes) {
  if (value) CheckValue(field, *value, mistakes);
}

}  // namespace dl::nn
