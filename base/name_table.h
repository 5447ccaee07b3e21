// Names of enumerators, from a table of pairs of enumerator and name.
#pragma once

#include <string_view>

namespace dl {

// Returns the name of `value`, "?" if the table lacks it.
template <typename Table, typename Value>
std::string_view NameIn(const Table& table, Value value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "?";
}

// Sets `out` to the enumerator with this name. Returns false and does not change `out` if the table
// lacks it.
template <typename Table, typename Value>
bool ParseIn(const Table& table, std::string_view name, Value& out) {
  for (const auto& [entry, known] : table) {
    if (known != name) continue;
    out = entry;
    return true;
  }
  return false;
}

}  // namespace dl
