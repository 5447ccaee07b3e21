// Version of the protocol. The master refuses a Hello with any other number (VersionMismatch).
// Increase it when a peer would misunderstand the other. A new field or method alone does not
// require it (docs/protocol.md).
#pragma once

#include <cstdint>

namespace dl::rpc {

inline constexpr int32_t kProtocolVersion = 20;

}  // namespace dl::rpc
