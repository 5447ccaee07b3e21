// Kinds of data that an executor fetches from the master to compute a unit.
#pragma once

#include <cstdint>

namespace dl::executor {

// kState: the parts of the state that the unit reads. kJob: the documents of the unit's job, which
// are its spec and its manifests. kBlock: a block of the dataset.
enum class Fetched : uint8_t { kState, kJob, kBlock };

}  // namespace dl::executor
