// The number of files that the process may open, and how it is divided. The number of connections
// is limited so that they never use the files that a store needs.
#pragma once

#include <cstdint>

namespace dl {

// Raises the limit of open files to the maximum that the system allows. Returns the new limit.
// Idempotent, thread-safe.
int64_t OpenFileLimit();

// Returns the number of table files that each store may hold open if the process may open `files`.
int64_t TableFilesOf(int64_t files);
// Returns the number of connections for a server beside two stores: half of the files that remain
// for them, because a call may open a file too.
int64_t ConnectionsOf(int64_t files);

}  // namespace dl
