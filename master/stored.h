// Reads documents of the meta store, and describes damaged ones.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns DataLoss with a remedy for the operator: a backup, or an empty data folder. `where` names
// the damaged document.
Status Damaged(std::string message, std::string where);

// Returns the JSON of a stored document, or Damaged() with `where`.
StatusOr<Json> ParseStored(std::string_view text, std::string_view where);

// Returns the keys that begin with the prefix and their values, in the order of the keys. They are
// copied, because a visitor of the store must not call the store. This and the next function return
// errors of the store.
StatusOr<std::vector<std::pair<std::string, std::string>>> ReadAll(storage::MetaStore& store,
                                                                   std::string_view prefix);

// Returns the rest of each key that begins with the prefix.
StatusOr<std::set<std::string>> NamesUnder(storage::MetaStore& store, std::string_view prefix);

}  // namespace dl::master
