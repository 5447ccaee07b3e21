#include "averaging/state_layout.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "averaging/grid.h"

namespace dl::averaging {
namespace {

constexpr std::array kPolicies = {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset,
                                  UpdaterStatePolicy::kKeep};
constexpr std::array kTrained = {SegmentKind::kParameter, SegmentKind::kMean,
                                 SegmentKind::kVariance};
constexpr std::array kUpdater = {SegmentKind::kUpdater};

// Where a kind stands in a table's order.
int RankOf(SegmentKind kind) {
  if (kind == SegmentKind::kParameter) return 0;
  return kind == SegmentKind::kUpdater ? 2 : 1;
}

Status CheckOrder(const SegmentTable& table) {
  int rank = 0;
  for (const Segment& segment : table.segments()) {
    if (RankOf(segment.kind) < rank) {
      return InvalidArgument(
          {.message = absl::StrCat("the ", std::string(SegmentKindName(segment.kind)),
                                   " segment \"", segment.name, "\" stands behind a later kind"),
           .where = absl::StrCat("segment ", segment.name),
           .remedy = "order a table as parameters, moments, updater state"});
    }
    rank = RankOf(segment.kind);
  }
  return absl::OkStatus();
}

Status CheckSize(const char* part, size_t got, const SegmentTable& table) {
  if (static_cast<int64_t>(got) == table.size()) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the ", part, " has ", got, " values, its table ", table.size())});
}

}  // namespace

std::string_view UpdaterStatePolicyName(UpdaterStatePolicy policy) {
  switch (policy) {
    case UpdaterStatePolicy::kAverage:
      return "average";
    case UpdaterStatePolicy::kReset:
      return "reset";
    case UpdaterStatePolicy::kKeep:
      return "keep";
  }
  return "unknown";
}

StatusOr<UpdaterStatePolicy> ParseUpdaterStatePolicy(std::string_view name) {
  for (UpdaterStatePolicy policy : kPolicies) {
    if (UpdaterStatePolicyName(policy) == name) return policy;
  }
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(name), "\" is no policy for updater state"),
       .remedy = "use average, reset or keep"});
}

StatusOr<StateLayout> StateLayout::Create(SegmentTable unit, UpdaterStatePolicy policy) {
  DL_RETURN_IF_ERROR(CheckMergeable(unit));
  DL_RETURN_IF_ERROR(CheckOrder(unit));
  StateLayout layout;
  layout.policy = policy;
  layout.global = policy == UpdaterStatePolicy::kKeep ? unit.Subset(kTrained) : unit;
  layout.merged = policy == UpdaterStatePolicy::kAverage ? unit : unit.Subset(kTrained);
  if (policy == UpdaterStatePolicy::kKeep) layout.worker = unit.Subset(kUpdater);
  layout.unit = std::move(unit);
  return layout;
}

UnitParts SplitUnitState(const StateLayout& layout, std::span<const float> unit_state) {
  return {.global = unit_state.first(layout.global.size()),
          .worker = unit_state.last(layout.worker.size())};
}

Status JoinUnitState(const StateLayout& layout, UnitParts parts, std::span<float> unit_state) {
  DL_RETURN_IF_ERROR(CheckSize("global part", parts.global.size(), layout.global));
  DL_RETURN_IF_ERROR(CheckSize("worker part", parts.worker.size(), layout.worker));
  DL_RETURN_IF_ERROR(CheckSize("unit's state", unit_state.size(), layout.unit));
  std::copy(parts.worker.begin(), parts.worker.end(),
            std::copy(parts.global.begin(), parts.global.end(), unit_state.begin()));
  return absl::OkStatus();
}

}  // namespace dl::averaging
