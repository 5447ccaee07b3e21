// Numbers that do not come again, on any machine. Only names and session numbers are made of them:
// what is computed draws from base/philox.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace dl {

// 64 random bits of the operating system. Fails when it has none to give. Thread-safe.
StatusOr<uint64_t> UniqueNumber();

// 256 of them: nobody guesses them.
using SecretBytes = std::array<std::byte, 32>;
StatusOr<SecretBytes> MakeSecretBytes();

}  // namespace dl
