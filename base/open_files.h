// How many files the process may open, and who gets how many of them: connections come in any
// number, and must never take those that a store needs.
#pragma once

#include <cstdint>

namespace dl {

// Raises the limit to what the system lets this process have; the files that it may open then.
// Idempotent, thread-safe.
int64_t OpenFileLimit();

// Of so many files: table files that each store may hold open.
int64_t TableFilesOf(int64_t files);
// Connections of a server beside two stores. Half of what those and the process leave: a call may
// open a file of its own.
int64_t ConnectionsOf(int64_t files);

}  // namespace dl
