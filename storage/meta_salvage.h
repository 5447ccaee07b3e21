// Rebuilds a meta store in which an inspection found a loss. Private to this folder.
#pragma once

#include <string>

#include "base/status.h"
#include "rocksdb/options.h"
#include "storage/mark_file.h"

namespace dl::storage {

// Key that a salvage writes to the new database. It is removed by RocksMetaStore::SettleLoss.
inline constexpr std::string_view kLossKey("\0loss", 5);

// Replaces DIR/db by a new database of all readable records. The old database and MARK go to
// DIR/lost-N. If RocksDB cannot open the old database, its RepairDB makes a new list of files for a
// copy. The log is used up to its first gap; of a table, the records before and after the damaged
// blocks are used. Returns DataLoss if no batch can be read. After an error the folder is
// unchanged. A kill leaves the old database or the new one. REQUIRES: DIR is locked and its
// database is closed.
Status SalvageMeta(const std::string& dir, const rocksdb::Options& rocks, const MarkReading& mark);

// Completes a salvage that a kill interrupted before its last step, and removes leftovers of one
// that was interrupted earlier. REQUIRES: as SalvageMeta.
Status FinishMetaSalvage(const std::string& dir);

}  // namespace dl::storage
