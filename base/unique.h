// Random numbers of the operating system, for unique names, numbers of sessions and secrets.
// Computations draw from base/philox.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace dl {

// Returns 64 random bits from the operating system, or an error if it provides none. Thread-safe.
StatusOr<uint64_t> UniqueNumber();

// 256 random bits, which cannot be guessed. Errors and thread safety as UniqueNumber.
using SecretBytes = std::array<std::byte, 32>;
StatusOr<SecretBytes> MakeSecretBytes();

}  // namespace dl
