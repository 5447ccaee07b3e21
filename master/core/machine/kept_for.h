// Selects the jobs that protect a job which they need from deletion.
#pragma once

namespace dl::master {

// Jobs of the same owner do. Jobs of other owners do only while they load a checkpoint of the job,
// which takes minutes: a job that waits or has ended could otherwise protect it forever. Retention
// spares a job that any other job needs.
enum class KeptFor { kItsOwner, kAllOwners };

}  // namespace dl::master
