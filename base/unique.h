// Numbers that do not come again, on any machine. Only names and session numbers are made of them:
// what is computed draws from base/philox.h.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace dl {

// 64 random bits of the operating system. Fails when it has none to give. Thread-safe.
StatusOr<uint64_t> UniqueNumber();

}  // namespace dl
