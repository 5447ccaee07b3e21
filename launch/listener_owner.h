// Whose process listens on a port of this machine.
#pragma once

#include <sys/types.h>

#include <optional>

namespace dl::launch {

// Of IPv4 or IPv6, on any address; nullopt where nobody does, or the system does not say.
std::optional<uid_t> OwnerOfListener(int port);

}  // namespace dl::launch
