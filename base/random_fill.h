// Many numbers of a random stream (base/philox.h) at once, computed in vectors.
#pragma once

#include <cstdint>
#include <span>

#include "base/philox.h"

namespace dl {

// Set out[i] to the value that call number first + i of NextDouble() or NextNormal() returns. Calls
// are counted from 0, on a stream of the same id from which nothing was drawn before. The position
// of `stream` has no effect. The bits are the same on every CPU. REQUIRES: `first` is even.
void FillUniform(const RandomStream& stream, int64_t first, std::span<double> out);
void FillNormal(const RandomStream& stream, int64_t first, std::span<double> out);

}  // namespace dl
