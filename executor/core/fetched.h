// Kinds of data that a unit fetches from the master.
#pragma once

#include <cstdint>

namespace dl::executor {

enum class Fetched : uint8_t { kState, kJob, kBlock };

}  // namespace dl::executor
