#include "tests/sim/failure_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::sim {

void FailureRules::Note(const UnitId& unit, Trouble what) {
  ++trouble_[unit.job][unit];
  if (what == Trouble::kNotFinite) ++not_finite_[unit.job][unit];
  if (what == Trouble::kHung) ++audit_.report->hung;
}

void FailureRules::Check(const std::string& job, const Json& record) {
  const std::string reason = record["reason"];
  const Expectations& expected = audit_.expected;
  const auto twice = [&](Times& times) {
    return std::ranges::any_of(times[job], [](const auto& one) { return one.second > 1; });
  };
  audit_.report->not_finite += reason == "not_finite" ? 1 : 0;
  audit_.report->unit_failed += reason == "unit_failed" ? 1 : 0;
  // Beside one that gives wrong results nobody may be there who decides.
  const bool may = reason == "not_finite"    ? twice(not_finite_)
                   : reason == "unit_failed" ? twice(trouble_)
                   : reason == "storage" ? expected.disk_trouble || expected.rebinds.contains(job)
                   : reason == "replay_mismatch" || reason == "disagreement"
                       ? expected.lies || expected.rollbacks
                       : false;
  if (!may) audit_.breach(absl::StrCat(job, " failed: ", record["message"].get<std::string>()));
}

}  // namespace dl::sim
