// The strategy `average` over parameters of one value each, for tests in which the model does not
// matter.
#pragma once

#include <memory>
#include <string>

#include "averaging/average.h"

namespace dl::test {

// Returns the strategy. With `updater_state`, the parameters also have updater state, which is
// merged by `policy`.
inline std::shared_ptr<const averaging::Strategy> PlainStrategy(
    int64_t segments = 1,
    averaging::UpdaterStatePolicy policy = averaging::UpdaterStatePolicy::kAverage,
    bool updater_state = false) {
  SegmentTable table;
  for (int64_t i = 0; i < segments; ++i)
    table.Add("w" + std::to_string(i), SegmentKind::kParameter, {1});
  for (int64_t i = 0; updater_state && i < segments; ++i)
    table.Add("w" + std::to_string(i) + "/momentum", SegmentKind::kUpdater, {1});
  auto layout = averaging::StateLayout::Create(std::move(table), policy);
  DL_CHECK(layout.ok());
  return std::make_shared<averaging::Average>(*std::move(layout));
}

}  // namespace dl::test
