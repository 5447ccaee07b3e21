// Strict JSON: what is read is checked for type and range at its path, and a key that nobody asked
// for is an error with a suggestion. Only this folder's callers see nlohmann's type, under the
// alias Json.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nlohmann/json.hpp"

namespace dl {

// Parses `text`; errors name `source` (a file name, "job spec") with line and column. Duplicate
// keys, nesting beyond kMaxJsonDepth and documents beyond kMaxJsonBytes, or beyond
// kMaxJsonParsedBytes as values, are errors.
StatusOr<Json> ParseJson(std::string_view text, std::string_view source);

// Canonical text: sorted keys, no spaces. Never throws as dump() does: bytes that are not UTF-8,
// which the borders keep out, become U+FFFD.
std::string JsonText(const Json& json);

// Inclusive bounds.
struct IntRange {
  int64_t min = INT64_MIN, max = INT64_MAX;
};
struct DoubleRange {
  double min = -1e308, max = 1e308;
};

// A key that an object of another type has, so that who gives it here is told so.
struct ForeignKey {
  std::string_view key;
  std::string_view type;               // that has it
  std::string_view type_key = "type";  // under which an object says its type
};

// Reads one object. Collects every mistake instead of stopping at the first; Finish() returns them
// all as one InvalidArgument (or OK), and adds the unknown keys. Getters leave `out` as it was when
// the key is absent (an optional key: the default stays) or wrong.
class JsonObjectReader {
 public:
  // `json` must outlive the reader. `path` is the object's own path ("model.layers[2]"), "" at the
  // root.
  JsonObjectReader(const Json& json, std::string path);

  bool Has(std::string_view key);
  void Require(std::string_view key);  // adds an error when absent
  void Int(std::string_view key, int64_t& out, IntRange range = {});
  void Int32(std::string_view key, int32_t& out, IntRange range = {});
  void U64(std::string_view key, uint64_t& out);
  void Double(std::string_view key, double& out, DoubleRange range = {});
  void Bool(std::string_view key, bool& out);
  void String(std::string_view key, std::string& out);
  // A string out of `allowed`; a wrong one is answered with the list and the nearest.
  void OneOf(std::string_view key, std::string& out, std::span<const std::string_view> allowed);
  void OneOf(std::string_view key, std::string& out,
             std::initializer_list<std::string_view> allowed) {
    OneOf(key, out, std::span(allowed.begin(), allowed.size()));
  }
  void IntList(std::string_view key, std::vector<int64_t>& out, IntRange range = {});
  void StringList(std::string_view key, std::vector<std::string>& out);
  // The value itself, marked as known; nullptr when absent.
  const Json* Child(std::string_view key);
  std::string PathOf(std::string_view key) const;

  // What Finish() says of `key` where nobody asks for it.
  void Foreign(const ForeignKey& key);

  void AddError(std::string_view key, std::string message);  // "" for the object itself
  // Takes over the mistakes of a nested reader or builder.
  void AddErrors(const Status& status);
  const std::vector<std::string>& errors() const { return errors_; }

  Status Finish();

 private:
  struct ForeignTypes {
    std::string type_key;
    std::vector<std::string> types;
  };

  const Json* Take(std::string_view key);
  std::string ForeignText(const ForeignTypes& foreign) const;

  const Json& json_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, ForeignTypes, std::less<>> foreign_;
  std::vector<std::string> errors_;
};

}  // namespace dl
