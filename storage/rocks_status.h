// Converts RocksDB's status. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rocksdb/status.h"

namespace dl::storage {

// Returns OK for OK, ResourceExhausted for no space, Unavailable for too few files or too little
// memory, and DataLoss for damaged bytes. Returns FailedPrecondition for other errors. A limit of
// the process is named. The message begins with `what`. `where` names the folder or the thing read.
Status FromRocks(const rocksdb::Status& status, std::string_view what, const std::string& where);

// Returns true if an open or a read failed because of the content of files, or because files are
// missing. A retry would fail again.
bool IsDamage(const rocksdb::Status& status);

}  // namespace dl::storage
