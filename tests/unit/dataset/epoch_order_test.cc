#include "dataset/epoch_order.h"

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

std::vector<ExampleRef> All(const EpochOrder& order) {
  std::vector<ExampleRef> out;
  while (static_cast<int64_t>(out.size()) < order.examples()) {
    const auto window = order.WindowAt(static_cast<int64_t>(out.size()));
    EXPECT_EQ(window->first, static_cast<int64_t>(out.size()));
    out.insert(out.end(), window->examples.begin(), window->examples.end());
  }
  return out;
}

std::vector<ExampleRef> OrderOf(const std::vector<int64_t>& blocks, const EpochOrderKey& key) {
  auto order = EpochOrder::Create(blocks, key);
  EXPECT_TRUE(order.ok()) << order.status();
  return All(**order);
}

std::vector<ExampleRef> Stored(const std::vector<int64_t>& blocks) {
  std::vector<ExampleRef> out;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t i = 0; i < blocks[b]; ++i) out.push_back({b, i});
  }
  return out;
}

// Returns 150 blocks, which make three windows.
std::vector<int64_t> ManyBlocks() {
  std::vector<int64_t> blocks(150, 7);
  blocks.back() = 3;
  return blocks;
}

TEST(EpochOrderTest, OrderIsBijection) {
  for (const std::vector<int64_t>& blocks :
       {std::vector<int64_t>{1}, {5}, {4, 4, 1}, ManyBlocks()}) {
    const auto stored = Stored(blocks);
    for (Shuffle shuffle :
         {Shuffle::kNone, Shuffle::kGlobal, Shuffle::kPartition, Shuffle::kStream}) {
      for (int64_t workers : {1, 3, 4, 20}) {
        for (int64_t lanes : {1, 2, 5, 64}) {
          auto order =
              OrderOf(blocks, {.shuffle = shuffle, .seed = 3, .workers = workers, .lanes = lanes});
          std::sort(order.begin(), order.end());
          EXPECT_EQ(order, stored);
        }
      }
    }
  }
}

TEST(EpochOrderTest, NoneIsTheStoredOrder) {
  EXPECT_EQ(OrderOf(ManyBlocks(), {.shuffle = Shuffle::kNone, .seed = 9}), Stored(ManyBlocks()));
}

TEST(EpochOrderTest, GlobalDoesNotDependOnWorkers) {
  const auto one = OrderOf(ManyBlocks(), {.seed = 1, .epoch = 2, .workers = 1});
  EXPECT_EQ(one, OrderOf(ManyBlocks(), {.seed = 1, .epoch = 2, .workers = 7}));
}

TEST(EpochOrderTest, SeedAndEpochChangeTheOrder) {
  for (Shuffle shuffle : {Shuffle::kGlobal, Shuffle::kPartition}) {
    const auto base = OrderOf(ManyBlocks(), {shuffle, 1, 1, 3});
    EXPECT_EQ(base, OrderOf(ManyBlocks(), {shuffle, 1, 1, 3}));
    EXPECT_NE(base, OrderOf(ManyBlocks(), {shuffle, 2, 1, 3}));
    EXPECT_NE(base, OrderOf(ManyBlocks(), {shuffle, 1, 2, 3}));
    EXPECT_NE(base, Stored(ManyBlocks()));
  }
}

TEST(EpochOrderTest, GoldenOrderNeverChanges) {
  // Stored jobs depend on this order. A change of these numbers breaks every resume.
  const std::vector<ExampleRef> expected = {{1, 3}, {0, 2}, {0, 1}, {1, 1}, {2, 0},
                                            {1, 0}, {0, 0}, {2, 1}, {0, 3}, {1, 2}};
  EXPECT_EQ(OrderOf({4, 4, 2}, {.seed = 42, .epoch = 1}), expected);
}

TEST(EpochOrderTest, WindowsHoldConsecutiveBlocksOfTheEpoch) {
  auto order = *EpochOrder::Create(ManyBlocks(), {.seed = 5});
  const auto first = order->WindowAt(0);
  EXPECT_EQ(first->blocks.size(), static_cast<size_t>(limits::kShuffleWindowBlocks));
  std::set<uint32_t> blocks(first->blocks.begin(), first->blocks.end());
  for (const ExampleRef& ref : first->examples) EXPECT_TRUE(blocks.contains(ref.block));
}

TEST(EpochOrderTest, PartitionKeepsEachWorkersExamples) {
  const auto blocks = ManyBlocks();
  const auto stored = Stored(blocks);
  const PlanInput plan = {.examples = static_cast<int64_t>(stored.size()), .workers = 4};
  std::vector<ExampleRef> earlier;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto order = OrderOf(blocks, {Shuffle::kPartition, 8, epoch, 4});
    EXPECT_NE(order, earlier);
    earlier = order;
    for (int64_t m = 0; m < 4; ++m) {
      const PositionRange range = WorkerRange(plan, m);
      std::vector<ExampleRef> mine(order.begin() + range.first,
                                   order.begin() + range.first + range.examples);
      std::sort(mine.begin(), mine.end());
      EXPECT_TRUE(std::equal(mine.begin(), mine.end(), stored.begin() + range.first));
    }
  }
}

// Row r of a worker's next minibatch continues row r of the previous one in the data, in every
// epoch.
TEST(EpochOrderTest, StreamContinuesInEachRow) {
  const std::vector<int64_t> blocks = ManyBlocks();
  const auto stored = Stored(blocks);
  const auto total = static_cast<int64_t>(stored.size());
  for (int64_t workers : {1, 4}) {
    for (int64_t lanes : {1, 3, 16}) {
      const EpochOrderKey key{.shuffle = Shuffle::kStream, .workers = workers, .lanes = lanes};
      const auto order = OrderOf(blocks, key);
      EpochOrderKey later = key;
      later.epoch = 3;
      later.seed = 8;
      EXPECT_EQ(OrderOf(blocks, later), order);
      const PlanInput plan = {.examples = total, .workers = workers};
      for (int64_t m = 0; m < workers; ++m) {
        const PositionRange range = WorkerRange(plan, m);
        EXPECT_EQ(order[range.first], stored[range.first]);
        for (int64_t p = range.first; p + lanes < range.first + range.examples; ++p) {
          const auto here = std::ranges::find(stored, order[p]);
          ASSERT_EQ(order[p + lanes], *std::next(here)) << p << " of " << m;
        }
      }
    }
  }
}

TEST(EpochOrderTest, StreamHoldsAtMostTwoBlocksPerLane) {
  std::vector<int64_t> blocks(40, 100);
  blocks.back() = 1;
  for (int64_t lanes : {1, 2, 7}) {
    auto order =
        *EpochOrder::Create(blocks, {.shuffle = Shuffle::kStream, .workers = 2, .lanes = lanes});
    int64_t windows = 0;
    for (int64_t p = 0; p < order->examples(); ++windows) {
      const auto window = order->WindowAt(p);
      EXPECT_LE(static_cast<int64_t>(window->blocks.size()), 2 * lanes);
      p = window->first + static_cast<int64_t>(window->examples.size());
    }
    EXPECT_LE(windows, 9 * 40 / lanes + 4);
  }
}

TEST(EpochOrderTest, AnyPositionInAnyOrder) {
  auto order = *EpochOrder::Create(ManyBlocks(), {.seed = 5});
  const auto all = All(*order);
  for (int64_t p = order->examples() - 1; p >= 0; p -= 13) {
    const auto window = order->WindowAt(p);
    ASSERT_GE(p, window->first);
    EXPECT_EQ(window->examples[p - window->first], all[p]);
  }
}

TEST(EpochOrderTest, FirstPositionIsUniform) {
  // 10 examples, 5,000 epochs: each example comes first 500 times, within six deviations.
  std::vector<int> led(10, 0);
  const std::vector<int64_t> blocks = {4, 3, 3};
  for (int64_t epoch = 0; epoch < 5000; ++epoch) {
    const ExampleRef ref = OrderOf(blocks, {.seed = 1, .epoch = epoch})[0];
    ++led[(ref.block == 0 ? 0 : ref.block == 1 ? 4 : 7) + ref.offset];
  }
  for (int count : led) EXPECT_NEAR(count, 500, 130);
}

TEST(EpochOrderTest, RefusesEmptyAndAbsurdBlocks) {
  EXPECT_FALSE(EpochOrder::Create({}, {}).ok());
  const std::vector<int64_t> empty = {3, 0};
  EXPECT_FALSE(EpochOrder::Create(empty, {}).ok());
  const std::vector<int64_t> huge = {int64_t{1} << 40};
  EXPECT_FALSE(EpochOrder::Create(huge, {}).ok());
  const std::vector<int64_t> fine = {3};
  EXPECT_FALSE(EpochOrder::Create(fine, {.workers = 0}).ok());
}

}  // namespace
}  // namespace dl::dataset
