// Guesses the next unit of a slot, so that the executor can read its blocks in advance. No result
// depends on the guess.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "master/core/fleet/session.h"
#include "master/core/job/job.h"

namespace dl::master {

// Returns the workers of the round whose units the session will probably compute, ascending:
// workers that were leased last to its executor or to no executor (Affinity).
std::vector<int32_t> TurnOf(const Session& session, const Job& job);

// Returns the unit that the slot of `unit` probably computes next: as many places after `unit` in
// the turn as the executor has slots, in this round or, after the end of the turn, in the next
// round. Returns nullopt if that is after the job's last round. Adds `unit` to the turn if it is
// missing.
std::optional<UnitId> NextUnit(const Session& session, const Job& job, const UnitId& unit,
                               std::vector<int32_t>& turn);

}  // namespace dl::master
