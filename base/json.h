// Strict JSON: each value is checked for type and range at its path, and a key that the reader does
// not know is an error with a suggestion. Uses nlohmann's type under the alias Json.
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

// Parses `text`. Returns InvalidArgument for a syntax error (with line and column), a duplicate
// key, nesting beyond limits::kMaxJsonDepth, a document beyond kMaxJsonBytes, and a document whose
// values need more than kMaxJsonParsedBytes. Errors have `source` (a file name, "job spec") as
// `where`.
StatusOr<Json> ParseJson(std::string_view text, std::string_view source);

// Returns canonical text: sorted keys, no spaces. Never throws, unlike dump(): bytes that are not
// UTF-8 become U+FFFD. Checks of input normally refuse such text earlier.
std::string JsonText(const Json& json);

// Inclusive bounds.
struct IntRange {
  int64_t min = INT64_MIN, max = INT64_MAX;
};
struct DoubleRange {
  double min = -1e308, max = 1e308;
};

// A key that objects of another type have, so that the error for it can name that type.
struct ForeignKey {
  std::string_view key;
  std::string_view type;               // the type that has the key
  std::string_view type_key = "type";  // the key under which an object names its type
};

// Reads one object. Collects the errors of all keys instead of stopping at the first. Finish()
// returns them as one InvalidArgument (or OK), including the unknown keys. Getters leave `out`
// unchanged if the key is absent or wrong, so that an optional key keeps its default. A wrong type
// or value is an error; an absent key is none. Whole numbers must be written without a fraction:
// 1.0 is wrong for Int.
class JsonObjectReader {
 public:
  // `json` must outlive the reader. If it is not an object, this is an error, and all keys count as
  // absent. `path` is the path of the object ("model.layers[2]"; "" for the root).
  JsonObjectReader(const Json& json, std::string path);

  // Returns whether the key exists, and marks it as known, as all getters do.
  bool Has(std::string_view key);
  void Require(std::string_view key);  // adds an error if the key is absent; marks it as known
  void Int(std::string_view key, int64_t& out, IntRange range = {});
  void Int32(std::string_view key, int32_t& out, IntRange range = {});
  void U64(std::string_view key, uint64_t& out);
  void Double(std::string_view key, double& out, DoubleRange range = {});
  void Bool(std::string_view key, bool& out);
  void String(std::string_view key, std::string& out);
  // Reads a string that must be in `allowed`. The error names the list and the nearest entry.
  void OneOf(std::string_view key, std::string& out, std::span<const std::string_view> allowed);
  void OneOf(std::string_view key, std::string& out,
             std::initializer_list<std::string_view> allowed) {
    OneOf(key, out, std::span(allowed.begin(), allowed.size()));
  }
  void IntList(std::string_view key, std::vector<int64_t>& out, IntRange range = {});
  void StringList(std::string_view key, std::vector<std::string>& out);
  // Returns the value and marks the key as known; nullptr if it is absent.
  const Json* Child(std::string_view key);
  // Returns the path of the key from the document's root, for messages.
  std::string PathOf(std::string_view key) const;

  // Sets the error of Finish() for `key` if no getter reads it. Further calls for the same key add
  // types.
  void Foreign(const ForeignKey& key);

  void AddError(std::string_view key, std::string message);  // "" for the object itself
  // Adds the errors of a nested reader or builder. Does nothing if `status` is OK.
  void AddErrors(const Status& status);
  const std::vector<std::string>& errors() const { return errors_; }  // so far, with their paths
  // Returns all errors, one a line, and those of unknown keys. Must be called once, last.
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
