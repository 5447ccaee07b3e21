// Owners whose jobs keep a job that they need from being deleted.
#pragma once

namespace dl::master {

// The owner's own jobs do. Jobs of other owners do only while they load its checkpoint, which is
// over within minutes: one that waits, or ended, could keep the job for ever. Retention spares
// whatever any job needs.
enum class KeptFor { kItsOwner, kAllOwners };

}  // namespace dl::master
