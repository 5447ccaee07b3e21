// When effects leave: during a blocked write, after it, and never.
#include "master/gateway/writer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/unit/master/held_store.h"

namespace dl::master {
namespace {

using Lines = std::vector<std::string>;

class WriterTest : public testing::Test {
 protected:
  ~WriterTest() override { store_.Release(); }

  static std::vector<Effect> Effects(std::initializer_list<const char*> lines) {
    std::vector<Effect> effects;
    for (const char* line : lines) effects.push_back(Log{line});
    return effects;
  }
  static Output Stepped(const std::string& key, std::initializer_list<const char*> ahead,
                        std::initializer_list<const char*> effects) {
    Output output{.ahead = Effects(ahead), .effects = Effects(effects)};
    if (!key.empty()) output.batch.Put(key, "value");
    return output;
  }
  void HandOver(Output output) { writer_.HandOver(output, /*ready_to_stop=*/false); }
  // Waits until `count` effects have left, and returns them.
  Lines Left(size_t count) {
    MutexLock lock(mutex_);
    while (left_.size() < count) changed_.Wait(mutex_);
    return left_;
  }
  void Note(std::string line) {
    MutexLock lock(mutex_);
    left_.push_back(std::move(line));
    changed_.NotifyAll();
  }

  HeldStore store_;
  Mutex mutex_;
  CondVar changed_;
  Lines left_ DL_GUARDED_BY(mutex_);
  Writer writer_{{.meta = &store_,
                  .release =
                      [this](std::vector<Effect>& effects) {
                        for (const Effect& effect : effects) Note(std::get<Log>(effect).line);
                      },
                  .ready_to_stop = [this] { Note("ready to stop"); },
                  .failed = [this](const Status&) { Note("failed"); }}};
};

TEST_F(WriterTest, EffectsFollowTheirBatchInOrder) {
  store_.Hold();
  HandOver(Stepped("a", {"lease a"}, {"told a"}));
  store_.WaitForWrite();
  // An answer to a read shows nothing that is not durable.
  HandOver(Stepped("", {"lease b"}, {"read b"}));
  HandOver(Stepped("c", {}, {"told c"}));
  EXPECT_EQ(Left(2), (Lines{"lease a", "lease b"}));
  store_.Release();
  EXPECT_EQ(Left(5), (Lines{"lease a", "lease b", "told a", "read b", "told c"}));
  EXPECT_EQ(store_.index(), 2u) << "what came meanwhile is one batch";
}

TEST_F(WriterTest, HangingStoreIsVisible) {
  EXPECT_FALSE(writer_.WaitsForStore());
  store_.Hold();
  HandOver(Stepped("a", {}, {"told a"}));
  store_.WaitForWrite();
  EXPECT_TRUE(writer_.WaitsForStore());
  store_.Release();
  Left(1);
  EXPECT_FALSE(writer_.WaitsForStore());
}

TEST_F(WriterTest, StopFollowsLastBatch) {
  store_.Hold();
  HandOver(Stepped("a", {}, {"told a"}));
  store_.WaitForWrite();
  Output last = Stepped("", {}, {"told b"});
  writer_.HandOver(last, /*ready_to_stop=*/true);
  EXPECT_EQ(Left(0), Lines());
  store_.Release();
  EXPECT_EQ(Left(3), (Lines{"told a", "told b", "ready to stop"}));
}

TEST_F(WriterTest, FailedWriteReleasesNoEffects) {
  store_.Hold();
  HandOver(Stepped("a", {}, {"told a"}));
  store_.WaitForWrite();
  HandOver(Stepped("", {}, {"read b"}));
  store_.Fail(DataLoss({.message = "the disk is gone"}));
  store_.Release();
  EXPECT_EQ(Left(1), Lines{"failed"});
  EXPECT_EQ(writer_.WaitForRoom(), std::nullopt);
  HandOver(Stepped("", {}, {"read c"}));
  writer_.Stop();
  EXPECT_EQ(Left(1), Lines{"failed"});
}

}  // namespace
}  // namespace dl::master
