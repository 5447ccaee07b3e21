// What a slot will probably compute next, so that it can read the blocks beforehand. A guess:
// nothing depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "master/core/fleet/session.h"
#include "master/core/job/job.h"

namespace dl::master {

// Workers of the round whose units the session will probably compute, in that order: those at home
// there, or nowhere.
std::vector<int32_t> TurnOf(const Session& session, const Job& job);

// With S slots, what is S places behind the unit in the turn, in this round or the next. None where
// that is behind the job's last one. Enters a unit into the turn that was at home elsewhere.
std::optional<UnitId> NextUnit(const Session& session, const Job& job, const UnitId& unit,
                               std::vector<int32_t>& turn);

}  // namespace dl::master
