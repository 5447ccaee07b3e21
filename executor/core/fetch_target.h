// Kinds of data that an executor fetches from the master to compute a unit.
#pragma once

#include <cstdint>

namespace dl::executor {

// kState: a part of the state that the unit reads. kJob: spec and manifests of the unit's job.
// kBlock: a block of a dataset.
enum class FetchTarget : uint8_t { kState, kJob, kBlock };

}  // namespace dl::executor
