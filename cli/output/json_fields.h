// Access to members of JSON from a master. A missing member, or one of another type, gives nullptr,
// "", 0 or false, and no exception.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace dl::cli {

inline const Json* Member(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}
inline std::string TextAt(const Json& json, const char* key) {
  const Json* value = Member(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}
inline int64_t IntegerAt(const Json& json, const char* key) {
  const Json* value = Member(json, key);
  return value != nullptr && value->is_number_integer() ? value->get<int64_t>() : 0;
}
inline double NumberAt(const Json& json, const char* key) {
  const Json* value = Member(json, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}
inline bool FlagAt(const Json& json, const char* key) {
  const Json* value = Member(json, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

}  // namespace dl::cli
