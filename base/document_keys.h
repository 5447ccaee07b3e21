// Describes the keys of a stored document once, for reading and for writing. The description is a
// generic lambda that names each key with its member:
//   constexpr auto kHeadKeys = [](auto& keys, auto& head) {
//     keys.Value("length", head.length, {.required = true, .min = 0});
//     keys.List("bounds", head.bounds, kBoundKeys, {.omit_default = true});
//   };
// It is called with a KeyReader and the record to set, or with a KeyWriter and the const record.
// A key whose presence depends on another key is described after it, in an `if`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/json.h"
#include "base/status.h"

namespace dl {

struct KeyRule {
  bool required = false;  // reading a document that lacks the key is an error
  // The key is not written if the member is T{}. Has no effect on keys of Word and Hex, and on
  // optional members.
  bool omit_default = false;
  // Inclusive bounds of a number, also of a double, or of each number in a list or map.
  int64_t min = INT64_MIN, max = INT64_MAX;
};

// Sets members from the keys of an object. Errors are collected and returned by Finish; the members
// are then unspecified. A member whose key is absent is unchanged, except that a list of int32_t
// becomes empty. List appends to the member. Not thread-safe.
class KeyReader {
 public:
  static constexpr bool kReads = true;

  // `reader` must outlive this object.
  explicit KeyReader(JsonObjectReader& reader) : reader_(reader) {}

  // Reads a number, bool or string, a list of strings or integers, a set of strings, or an object
  // whose values are all strings or all integers. A list replaces the content of the member. The
  // elements of a set and the keys of an object are added to the member.
  template <typename T>
  void Value(std::string_view key, T& value, const KeyRule& rule = {}) {
    if (rule.required) reader_.Require(key);
    Read(key, value, rule);
  }
  // Reads a number of 64 bits from 16 lower-case hex digits. The key is required.
  void Hex(std::string_view key, uint64_t& value);
  // Reads an enumerator from its name with `parse`, which returns false for an unknown name. The
  // error is then the path of the key, followed by `error`, for example "is not a reason".
  template <typename E>
  void Word(std::string_view key, E& value, std::string_view (*)(E),
            bool (*parse)(std::string_view, E&), std::string_view error,
            const KeyRule& rule = {.required = true}) {
    if (rule.required) reader_.Require(key);
    if (!reader_.Has(key)) return;
    const size_t before = reader_.errors().size();
    std::string name;
    reader_.String(key, name);
    if (reader_.errors().size() == before && !parse(name, value))
      reader_.AddError(key, std::string(error));
  }
  // Reads an object with keys of its own, which `describe` names.
  template <typename T, typename Describe>
  void Object(std::string_view key, T& value, Describe describe, const KeyRule& rule = {}) {
    if (rule.required) reader_.Require(key);
    if (const Json* json = reader_.Child(key))
      ReadObject(*json, reader_.PathOf(key), value, describe);
  }
  // Reads a list of objects with the same keys, which `describe` names.
  template <typename T, typename Describe>
  void List(std::string_view key, std::vector<T>& list, Describe describe,
            const KeyRule& rule = {}) {
    if (rule.required) reader_.Require(key);
    const Json* json = reader_.Child(key);
    if (json == nullptr) return;
    if (!json->is_array()) return reader_.AddError(key, "must be a list");
    for (const Json& item : *json) {
      const std::string path = reader_.PathOf(key) + "[" + std::to_string(list.size()) + "]";
      ReadObject(item, path, list.emplace_back(), describe);
    }
  }
  // Reads a value with `read`. A description gives the functions StatusOr<T> read(const Json&,
  // const std::string& path) and Json write(const T&).
  template <typename T, typename ReadOwn, typename WriteOwn>
  void Converted(std::string_view key, T& value, ReadOwn read, WriteOwn, const KeyRule& rule = {}) {
    if (rule.required) reader_.Require(key);
    const Json* json = reader_.Child(key);
    if (json == nullptr) return;
    auto result = read(*json, reader_.PathOf(key));
    if (result.ok())
      value = *std::move(result);
    else
      AddFailure(result.status());
  }
  // Adds an error unless the record read so far meets the condition. Writers do nothing.
  void Check(bool condition, std::string_view key, std::string_view error) {
    if (!condition) reader_.AddError(key, std::string(error));
  }

  // Returns InvalidArgument with all errors, including unknown keys. If a `read` of Converted
  // failed with another code, returns the first of these failures instead. Must be called once,
  // last.
  Status Finish();

 private:
  template <typename T, typename Describe>
  void ReadObject(const Json& json, std::string path, T& value, Describe describe) {
    JsonObjectReader reader(json, std::move(path));
    KeyReader keys(reader);
    describe(keys, value);
    AddFailure(keys.Finish());
  }
  void AddFailure(const Status& status);

  void Read(std::string_view key, int64_t& value, const KeyRule& rule);
  void Read(std::string_view key, int32_t& value, const KeyRule& rule);
  void Read(std::string_view key, double& value, const KeyRule& rule);
  void Read(std::string_view key, bool& value, const KeyRule& rule);
  void Read(std::string_view key, std::string& value, const KeyRule& rule);
  void Read(std::string_view key, std::vector<std::string>& value, const KeyRule& rule);
  void Read(std::string_view key, std::set<std::string>& value, const KeyRule& rule);
  void Read(std::string_view key, std::vector<int64_t>& value, const KeyRule& rule);
  void Read(std::string_view key, std::vector<int32_t>& value, const KeyRule& rule);
  void Read(std::string_view key, std::map<std::string, std::string>& value, const KeyRule& rule);
  void Read(std::string_view key, std::map<std::string, int64_t>& value, const KeyRule& rule);

  JsonObjectReader& reader_;
  Status failure_;  // the first one that is not InvalidArgument
};

// Writes members as the keys of an object; see KeyReader for the functions. Not thread-safe.
class KeyWriter {
 public:
  static constexpr bool kReads = false;

  // `json` must be an object and outlive this object.
  explicit KeyWriter(Json& json) : json_(json) {}

  template <typename T>
  void Value(std::string_view key, const T& value, const KeyRule& rule = {}) {
    if (!rule.omit_default || value != T{}) At(key) = value;
  }
  void Hex(std::string_view key, uint64_t value) { At(key) = HexU64(value); }
  template <typename E>
  void Word(std::string_view key, E value, std::string_view (*name)(E),
            bool (*)(std::string_view, E&), std::string_view, const KeyRule& = {}) {
    At(key) = name(value);
  }
  template <typename T, typename Describe>
  void Object(std::string_view key, const T& value, Describe describe, const KeyRule& rule = {}) {
    if (rule.omit_default && value == T{}) return;
    At(key) = Written(value, describe);
  }
  template <typename T, typename Describe>
  void List(std::string_view key, const std::vector<T>& list, Describe describe,
            const KeyRule& rule = {}) {
    if (rule.omit_default && list.empty()) return;
    Json& json = At(key) = Json::array();
    for (const T& item : list) json.push_back(Written(item, describe));
  }
  template <typename T, typename ReadOwn, typename WriteOwn>
  void Converted(std::string_view key, const T& value, ReadOwn, WriteOwn write,
                 const KeyRule& rule = {}) {
    if constexpr (requires { value == T{}; }) {
      if (rule.omit_default && value == T{}) return;
    }
    At(key) = write(value);
  }
  // An optional value is written if it has one.
  template <typename T, typename ReadOwn, typename WriteOwn>
  void Converted(std::string_view key, const std::optional<T>& value, ReadOwn, WriteOwn write,
                 const KeyRule& = {}) {
    if (value) At(key) = write(*value);
  }
  void Check(bool, std::string_view, std::string_view) {}

 private:
  Json& At(std::string_view key) { return json_[std::string(key)]; }
  template <typename T, typename Describe>
  static Json Written(const T& value, Describe describe) {
    Json json = Json::object();
    KeyWriter keys(json);
    describe(keys, value);
    return json;
  }

  Json& json_;
};

}  // namespace dl
