// The number of files that the process may open, and how it is divided. The number of connections
// is limited so that they leave the files that the stores need.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace dl {

// Raises the limit of open files to the maximum that the system allows. Returns the new limit, at
// most 2^20. Idempotent, thread-safe.
int64_t RaiseOpenFileLimit();

// Returns the number of table files that each store may hold open if the process may open `files`.
int64_t TableFilesOf(int64_t files);
// Returns the number of connections for the server of a master, at least 1. First subtracts from
// `files` the table files of its two stores and limits::kReservedFiles. Half of the rest is for
// connections, because a call may open a file too.
int64_t ConnectionsOf(int64_t files);
// Returns how many of a server's connections one address may have: seven eighths.
int64_t ConnectionsOfOneAddress(int64_t connections);

// Returns ResourceExhausted if this process may open too few files for a master to which one
// address has `connections` connections. The error names the limit. Raises the limit first.
Status RequireConnections(int64_t connections);

}  // namespace dl
