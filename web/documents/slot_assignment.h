// Finds the slots of an executor from the times of its leases, because a timeline does not record
// them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dl::web {

struct LeaseTime {
  double begin = 0, end = 0;  // ms
};

// Returns the number of the slot of each lease, from 0. `leases` are in the order of their begin.
// There are as few slots as possible so that leases of a slot overlap for at most a twentieth of
// the leases' time. They overlap for a short time even if the executor has one slot, because the
// master notes a begin and an end when their messages arrive.
std::vector<size_t> AssignSlots(std::span<const LeaseTime> leases);

}  // namespace dl::web
