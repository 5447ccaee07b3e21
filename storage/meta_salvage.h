// What is left of a meta store whose inspection found a loss. Private to this folder.
#pragma once

#include <string>

#include "base/status.h"
#include "rocksdb/options.h"
#include "storage/mark_file.h"

namespace dl::storage {

// In a database that a salvage made, until somebody has settled what follows from the loss.
inline constexpr std::string_view kLossKey("\0loss", 5);

// Puts a new DIR/db of everything that can be read in the place of the old one, which goes, with
// MARK, into DIR/lost-N. Where RocksDB does not open the old one, its RepairDB makes a new list of
// files for a copy of it. Of the log what comes before the first gap is taken, of a table whatever
// lies before and behind a damaged block. DataLoss when no batch is left: then, and after any other
// error, the folder is as it was. A kill at any point leaves the old database or the new one.
// REQUIRES: DIR is locked and its database closed.
Status SalvageMeta(const std::string& dir, const rocksdb::Options& rocks, const MarkReading& mark);

// Ends what a kill between the last two steps of a salvage left, and removes what one that did not
// come so far left. REQUIRES: as above.
Status FinishMetaSalvage(const std::string& dir);

}  // namespace dl::storage
