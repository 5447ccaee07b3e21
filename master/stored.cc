#include "master/stored.h"

#include "base/json.h"

namespace dl::master {

Status Damaged(std::string message, std::string where) {
  return DataLoss({.message = std::move(message),
                   .where = std::move(where),
                   .remedy = "Restore the data folder from a backup, or start with an empty one"});
}

StatusOr<Json> ParseStored(std::string_view text, std::string_view where) {
  StatusOr<Json> json = ParseJson(text, where);
  if (!json.ok()) return Damaged(std::string(json.status().message()), std::string(where));
  return json;
}

StatusOr<std::vector<std::pair<std::string, std::string>>> ReadAll(storage::MetaStore& store,
                                                                   std::string_view prefix) {
  std::vector<std::pair<std::string, std::string>> entries;
  DL_RETURN_IF_ERROR(store.Scan(prefix, [&](std::string_view key, std::string_view value) {
    entries.emplace_back(key, value);
    return absl::OkStatus();
  }));
  return entries;
}

StatusOr<std::set<std::string>> NamesUnder(storage::MetaStore& store, std::string_view prefix) {
  std::set<std::string> names;
  DL_RETURN_IF_ERROR(store.Scan(prefix, [&](std::string_view key, std::string_view) {
    names.emplace(key.substr(prefix.size()));
    return absl::OkStatus();
  }));
  return names;
}

}  // namespace dl::master
