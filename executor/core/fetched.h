// What a unit needs of the master.
#pragma once

#include <cstdint>

namespace dl::executor {

enum class Fetched : uint8_t { kState, kJob, kBlock };

}  // namespace dl::executor
