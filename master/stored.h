// Documents as the meta store has them, and what is said of damaged ones.
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

// DataLoss, with the remedies that an operator has.
Status Damaged(std::string message, std::string where);

// The JSON of a stored document; Damaged, naming `where`.
StatusOr<Json> ParseStored(std::string_view text, std::string_view where);

// What is stored under the prefix, in the order of the keys. Copied: a visitor of the store must
// not call it.
StatusOr<std::vector<std::pair<std::string, std::string>>> ReadAll(storage::MetaStore& store,
                                                                   std::string_view prefix);

// What stands behind the prefix in the keys that begin with it.
StatusOr<std::set<std::string>> NamesUnder(storage::MetaStore& store, std::string_view prefix);

}  // namespace dl::master
