// Rebuilds a meta store in which an inspection found a loss. Private to this folder.
#pragma once

#include <string>

#include "base/status.h"
#include "rocksdb/options.h"
#include "storage/mark_file.h"

namespace dl::storage {

// Key that a salvage writes to the new database. It is removed by RocksMetaStore::SettleLoss.
inline constexpr std::string_view kLossKey("\0loss", 5);

// Replaces DIR/db by a new database of the records that can be read. The old database and MARK go
// to DIR/lost-N. If the old database cannot be opened or its list of files is incomplete, RocksDB's
// RepairDB makes a new list for a copy. The log is used up to its first gap; of the tables, the
// records before the first damaged block and after the last one are used. Returns DataLoss if no
// batch can be read, ResourceExhausted if less than twice the size of the database is free. After
// an error or a kill the old database is in place, or FinishMetaSalvage puts the new database
// there. REQUIRES: DIR is locked and its database is closed.
Status SalvageMeta(const std::string& dir, const rocksdb::Options& rocks, const MarkReading& mark);

// Completes a salvage that was interrupted before its last step, or removes the leftovers of a
// salvage that was interrupted earlier. Returns errors of the file system. REQUIRES: DIR
// is locked and its database is closed.
Status FinishMetaSalvage(const std::string& dir);

}  // namespace dl::storage
