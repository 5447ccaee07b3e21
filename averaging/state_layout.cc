#include "averaging/state_layout.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "averaging/grid.h"

namespace dl::averaging {
namespace {

constexpr std::array kTrained = {SegmentKind::kParameter, SegmentKind::kMean,
                                 SegmentKind::kVariance};
constexpr std::array kAveraged = {SegmentKind::kParameter, SegmentKind::kMean,
                                  SegmentKind::kVariance, SegmentKind::kUpdater};
constexpr std::array kUpdater = {SegmentKind::kUpdater};
constexpr std::array kCarried = {SegmentKind::kCarried};

// The position of a kind in the required order of a table.
int RankOf(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kParameter:
      return 0;
    case SegmentKind::kMean:
    case SegmentKind::kVariance:
      return 1;
    case SegmentKind::kUpdater:
      return 2;
    case SegmentKind::kCarried:
      return 3;
  }
  return 3;
}

Status CheckOrder(const SegmentTable& table) {
  int rank = 0;
  for (const Segment& segment : table.segments()) {
    if (RankOf(segment.kind) < rank) {
      return InvalidArgument(
          {.message =
               absl::StrCat("the ", std::string(SegmentKindName(segment.kind)), " segment \"",
                            segment.name, "\" comes after a segment of a later kind"),
           .where = absl::StrCat("segment ", segment.name),
           .remedy = "Order a table as parameters, moments, updater state, carried state"});
    }
    rank = RankOf(segment.kind);
  }
  return absl::OkStatus();
}

}  // namespace

std::string PartLayout::KeyOf(int64_t worker) const {
  return scope == PartScope::kWorker ? absl::StrCat(name, "-", worker) : name;
}

StatusOr<StateLayout> StateLayout::Create(SegmentTable unit, UpdaterStatePolicy policy) {
  DL_RETURN_IF_ERROR(CheckMergeable(unit));
  DL_RETURN_IF_ERROR(CheckOrder(unit));
  StateLayout layout;
  SegmentTable model = unit.Subset(kTrained), updater = unit.Subset(kUpdater);
  SegmentTable carried = unit.Subset(kCarried);
  const int64_t trained = model.size(), with_updater = trained + updater.size();
  layout.merged = policy == UpdaterStatePolicy::kAverage ? unit.Subset(kAveraged) : model;
  layout.parts.push_back({"model", PartScope::kGlobal, std::move(model), 0});
  if (updater.size() > 0 && policy != UpdaterStatePolicy::kReset) {
    const PartScope scope =
        policy == UpdaterStatePolicy::kKeep ? PartScope::kWorker : PartScope::kGlobal;
    layout.parts.push_back({"updater", scope, std::move(updater), trained});
  }
  if (carried.size() > 0)
    layout.parts.push_back({"carried", PartScope::kWorker, std::move(carried), with_updater});
  layout.unit = std::move(unit);
  return layout;
}

const PartLayout* StateLayout::Find(std::string_view name) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [name](const PartLayout& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

std::vector<const PartLayout*> StateLayout::PartsWith(PartScope scope) const {
  std::vector<const PartLayout*> of;
  for (const PartLayout& part : parts) {
    if (part.scope == scope) of.push_back(&part);
  }
  return of;
}

int64_t StateLayout::WorkerBytes() const {
  int64_t bytes = 0;
  for (const PartLayout* part : PartsWith(PartScope::kWorker)) bytes += part->bytes();
  return bytes;
}

}  // namespace dl::averaging
