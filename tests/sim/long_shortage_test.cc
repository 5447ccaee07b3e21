// A shortage of memory or files that lasts for longer than the merge engine retries, in virtual
// time.
#include <cerrno>
#include <memory>
#include <variant>
#include <vector>

#include "base/system_error.h"
#include "gtest/gtest.h"
#include "master/merge/merge_engine.h"
#include "storage/checkpoint_store.h"
#include "storage/memory_bulk_store.h"
#include "tests/sim/virtual_time_test.h"

namespace dl::sim {
namespace {

class LongShortage : public VirtualTimeTest {
 protected:
  ~LongShortage() override { threads_.End(); }
  void RunFor(Duration span) {
    bool is_over = false;
    agenda_.After(span, [&] { is_over = true; });
    while (!is_over && time_.RunNext()) {
    }
  }

  storage::MemoryBulkStore bulk_;
  storage::CheckpointStore checkpoints_{bulk_};
  std::vector<master::Event> events_;
  master::MergeEngine engine_{
      {.checkpoints = &checkpoints_,
       .term = 1,
       .material = [](const std::string&) -> StatusOr<master::JobMaterial> {
         return SystemError(EMFILE, "read the spec", "meta");
       },
       .post = [this](master::Event event) { events_.push_back(std::move(event)); }}};
};

TEST_F(LongShortage, PreparationOfStateReportsIt) {
  engine_.Do(master::PrepareState{.job = "a", .round = 0});
  engine_.Do(master::PrepareState{.job = "b", .round = 0});
  RunFor(master::ShortageRetries::kRetryTimeout / 2);
  EXPECT_TRUE(events_.empty());
  RunFor(3 * master::ShortageRetries::kRetryTimeout);
  ASSERT_EQ(events_.size(), 2u);
  for (const master::Event& event : events_)
    EXPECT_TRUE(IsShortage(std::get<master::StatePrepared>(event).status));
}

}  // namespace
}  // namespace dl::sim
