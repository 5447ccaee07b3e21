#include "master/core/leasing/hint.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace dl::master {

std::vector<int32_t> TurnOf(const Session& session, const Job& job) {
  std::vector<int32_t> turn;
  const auto own = job.affinity.of.find(session.who.executor);
  static const std::set<int32_t> kNone;
  std::ranges::set_union(own == job.affinity.of.end() ? kNone : own->second,
                         job.affinity.unassigned, std::back_inserter(turn));
  std::erase_if(turn, [&](int32_t worker) { return !job.units.contains(worker); });
  return turn;
}

std::optional<UnitId> NextUnit(const Session& session, const Job& job, const UnitId& unit,
                               std::vector<int32_t>& turn) {
  auto place = std::lower_bound(turn.begin(), turn.end(), unit.index);
  if (place == turn.end() || *place != unit.index)
    place = turn.insert(place, unit.index);  // another executor computed it last
  const size_t next = static_cast<size_t>(place - turn.begin()) + session.who.slots % turn.size();
  const bool wrapped = static_cast<size_t>(session.who.slots) >= turn.size() || next >= turn.size();
  UnitId id = unit;
  id.index = turn[next % turn.size()];
  if (wrapped) ++id.round;
  if (id.round > job.definition.TotalRounds()) return std::nullopt;
  return id;
}

}  // namespace dl::master
