#include "master/core/job/round_totals.h"

#include <vector>

namespace dl::master {
namespace {

// Returns roughly how many values it takes to add the result.
int64_t ValuesOf(const AcceptedResult& result) {
  constexpr auto kBytesOfValue = static_cast<int64_t>(sizeof(int64_t));
  return 1 + std::ssize(*result.magnitudes) + result.metrics->FigureBytes() / kBytesOfValue;
}

}  // namespace

void RoundTotals::Count(const averaging::Strategy& strategy, const Unit& unit) {
  if (!counted_.try_emplace(unit.id.index, unit.result.digest).second) return;
  if (unit.id.kind == UnitKind::kTrain) {
    if (grid_.empty()) grid_ = strategy.EmptyGrid();
    strategy.Raise(grid_, *unit.result.magnitudes);
  }
  if (!metrics_.ok()) return;
  if (Status status = metrics_->Merge(*unit.result.metrics); !status.ok()) metrics_ = status;
}

bool RoundTotals::CatchUp(const averaging::Strategy& strategy, const ByIndex<Unit>& units,
                          int64_t values) {
  std::vector<const Unit*> accepted, uncounted;
  bool outdated = false;            // a counted result was replaced or withdrawn
  auto counted = counted_.begin();  // advances with the units, which are in the same order
  for (const auto& [index, unit] : units) {
    if (!unit.accepted) continue;
    accepted.push_back(&unit);
    if (counted == counted_.end() || counted->first != index) {
      uncounted.push_back(&unit);
    } else {
      outdated |= counted->second != unit.result.digest;
      ++counted;
    }
  }
  outdated |= counted != counted_.end();
  if (outdated) *this = {};
  const std::vector<const Unit*>& left = outdated ? accepted : uncounted;
  auto next = left.begin();
  for (; next != left.end() && values > 0; ++next) {
    Count(strategy, **next);
    values -= ValuesOf((*next)->result);
  }
  return next == left.end();
}

bool RoundTotals::operator==(const RoundTotals& other) const {
  return counted_ == other.counted_ && grid_ == other.grid_ &&
         metrics_.status() == other.metrics_.status() &&
         (!metrics_.ok() || *metrics_ == *other.metrics_);
}

}  // namespace dl::master
