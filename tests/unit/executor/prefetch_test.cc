// A lease may contain a hint: the next unit. Its data is read before that unit is leased, and the
// unit then uses what was read.
#include "base/checksum.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "executor/unit_runner.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/memory_job.h"

namespace dl::executor {
namespace {

constexpr Duration kLongest = std::chrono::minutes(10);

// Counts the requests for a block.
class CountedBlocks final : public dataset::BlockSource {
 public:
  explicit CountedBlocks(dataset::BlockSource& source) : source_(source) {}
  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override {
    MutexLock lock(mutex_);
    ++asked_;
    changed_.NotifyAll();
    return source_.Get(sha256);
  }
  int asked() const {
    MutexLock lock(mutex_);
    return asked_;
  }
  bool WaitUntilAsked(int times) const {
    const Instant patience = Clock::Real().Now() + kLongest;
    MutexLock lock(mutex_);
    while (asked_ < times && Clock::Real().Now() < patience) changed_.WaitFor(mutex_, kLongest);
    return asked_ >= times;
  }

 private:
  dataset::BlockSource& source_;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  int asked_ DL_GUARDED_BY(mutex_) = 0;
};

// A job of one block and two rounds without a cache: reading a unit requests the block once.
class PrefetchTest : public testing::Test {
 protected:
  static UnitId Round(int64_t round) { return {"memory-1", UnitKind::kTrain, round, 0}; }
  std::shared_ptr<const JobContext> MakeContext() {
    MemoryJob job = MakeMemoryJob(blocks_, 0.1);
    job.spec.training.averaging_frequency = 8;
    auto context = MakeJobContext("memory-1", job.Documents(),
                                  std::make_shared<dataset::DecodedBlockCache>(counted_, 0));
    EXPECT_TRUE(context.ok()) << DescribeError(context.status());
    return *context;
  }
  // Computes the unit of that round from the job's first weights. Returns the hash of the resulting
  // state.
  uint64_t Run(UnitRunner& runner, const std::shared_ptr<const JobContext>& job, int64_t round,
               const UnitId* next) {
    auto model = FloatBuffer::Create(job->layout().model().table.size());
    EXPECT_TRUE(model.ok());
    const std::vector<float> first = nn::InitialState(job->spec.model, job->spec.seed);
    std::copy_n(first.begin(), model->size(), model->data());
    const auto result =
        runner.Run(job, Round(round),
                   {.parts = {{"model", std::make_shared<FloatBuffer>(*std::move(model))}}}, next);
    EXPECT_TRUE(result.ok()) << DescribeError(result.status());
    return result.ok() ? Xxh3(std::as_bytes(result->state->span())) : 0;
  }

  MemoryBlocks blocks_;
  CountedBlocks counted_{blocks_};
};

TEST_F(PrefetchTest, HintedUnitIsReadOnceInAdvance) {
  const auto job = MakeContext();
  UnitRunner plain;
  const uint64_t expected = Run(plain, job, 2, nullptr);
  ASSERT_EQ(counted_.asked(), 1);

  UnitRunner runner;
  const UnitId next = Round(2);
  Run(runner, job, 1, &next);
  EXPECT_TRUE(counted_.WaitUntilAsked(3)) << "before anybody runs the second unit";
  EXPECT_EQ(Run(runner, job, 2, nullptr), expected);
  EXPECT_EQ(counted_.asked(), 3) << "the second unit was read a second time";
}

TEST_F(PrefetchTest, WrongHintCostsOneRead) {
  const auto job = MakeContext();
  UnitRunner runner;
  const UnitId next = Round(2);
  const uint64_t expected = Run(runner, job, 1, &next);
  ASSERT_TRUE(counted_.WaitUntilAsked(2));
  EXPECT_EQ(Run(runner, job, 1, nullptr), expected);
  EXPECT_EQ(counted_.asked(), 3);
}

}  // namespace
}  // namespace dl::executor
