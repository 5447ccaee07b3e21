// Selects the jobs that protect a job which they need from deletion.
#pragma once

namespace dl::master {

// kAllOwners, for retention: all jobs. kItsOwner, for users: jobs of the same owner, and jobs of
// other owners that are running but have no checkpoint of their own yet. A waiting or ended job of
// another owner could otherwise protect it forever.
enum class KeptFor { kItsOwner, kAllOwners };

}  // namespace dl::master
