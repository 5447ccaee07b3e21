// How long the kernel lets a computing thread run before it gives the processor to another thread.
#pragma once

namespace dl {

// Requests long time slices for the calling thread and threads that it starts later. A thread with
// ordinary slices that wakes on the same processor then runs immediately, and not only some
// milliseconds later. Has an effect on Linux 6.12 and later, for threads with the default policy.
void UseLongTimeSlices();

}  // namespace dl
