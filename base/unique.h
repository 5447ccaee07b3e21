// Random numbers of the operating system, for unique names, ids and secrets. Computations use
// reproducible random numbers instead (base/philox.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace dl {

// Returns 64 random bits from the operating system, or an error if it provides none. Thread-safe.
StatusOr<uint64_t> UniqueNumber();

using SecretBytes = std::array<std::byte, 32>;
// Returns 256 random bits, which cannot be guessed. Returns the errors of UniqueNumber.
// Thread-safe.
StatusOr<SecretBytes> MakeSecretBytes();

}  // namespace dl
