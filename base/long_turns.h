// How the kernel shares a processor between computing threads and threads that pass work on.
#pragma once

namespace dl {

// Marks the calling thread, and threads that it starts, as computing for long. A thread that wakes
// on the same processor then runs immediately instead of after a time slice of some milliseconds.
// Has an effect on Linux 6.12 and later.
void UseBatchScheduling();

}  // namespace dl
