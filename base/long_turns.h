// How the system shares a processor between threads that compute and those that hand things over.
#pragma once

namespace dl {

// The calling thread, and threads that it starts, compute for long: who wakes beside it on the same
// processor runs at once, and not behind its time slice of some milliseconds. Linux 6.12 and later
// do so; elsewhere nothing changes.
void TakeLongTurns();

}  // namespace dl
