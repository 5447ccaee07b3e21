// Selects the jobs that protect a job which they need from deletion.
#pragma once

namespace dl::master {

// kAllOwners, for retention: all jobs. kItsOwner, for users: jobs of the same owner that have not
// ended. Also jobs of other owners that began from a checkpoint of the job, are running and have no
// checkpoint of their own yet. A waiting or ended job of another owner could otherwise protect it
// forever.
enum class KeptFor { kItsOwner, kAllOwners };

}  // namespace dl::master
