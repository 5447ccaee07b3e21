// Version that both peers must have. It is increased if an old peer would misunderstand a new one.
// A new field or method alone does not increase it (docs/protocol.md).
#pragma once

#include <cstdint>

namespace dl::rpc {

inline constexpr int32_t kProtocolVersion = 18;

}  // namespace dl::rpc
