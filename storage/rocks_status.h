// RocksDB's status in our words. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rocksdb/status.h"

namespace dl::storage {

// No space is ResourceExhausted, damaged bytes are DataLoss, everything else is FailedPrecondition;
// `where` names the folder or the thing read.
Status FromRocks(const rocksdb::Status& status, std::string_view what, const std::string& where);

// Whether the status of an open or of a read speaks of what the files hold, or of files that are
// not there: it will be the same tomorrow.
bool IsDamage(const rocksdb::Status& status);

}  // namespace dl::storage
