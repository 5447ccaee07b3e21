// What two peers have to agree on. Raised when an old peer would misunderstand a new one; a new
// field or method alone does not raise it (docs/protocol.md).
#pragma once

#include <cstdint>

namespace dl::rpc {

inline constexpr int32_t kProtocolVersion = 18;

}  // namespace dl::rpc
