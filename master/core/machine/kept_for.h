// Selects the jobs that protect a job which they need from deletion.
#pragma once

namespace dl::master {

// A job needs another job that it begins after. It also needs a job from whose checkpoint it
// begins, until it has a checkpoint of its own.
enum class KeptFor {
  // For deletions by users. Only these jobs that need the job protect it: jobs of its owner that
  // have not ended, and running jobs of other owners that begin from its checkpoint. A waiting or
  // ended job of another owner could otherwise protect it forever.
  kItsOwner,
  // For retention. All jobs that need the job protect it, also ended jobs that may be resumed.
  kAllOwners,
};

}  // namespace dl::master
