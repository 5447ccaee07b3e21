// Whether what the core writes can be read again. Tests and the simulator ask it of every batch.
#pragma once

#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::master {

// DataLoss, naming the key, unless each record that the batch puts is read by its reader, and would
// be written as the same text.
Status CheckReadable(const storage::MetaBatch& batch);

}  // namespace dl::master
