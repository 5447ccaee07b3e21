#include "master/stored_events.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/master_step.h"
#include "master/core/record_keys.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

// Counts the entries that are read. A test may write before it reads events of rounds.
class CountedStore final : public storage::MetaStore {
 public:
  Status Write(const storage::MetaBatch& batch) override { return memory_.Write(batch); }
  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    ++read;
    return memory_.Get(key);
  }
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    if (before_rounds && prefix.starts_with(keys::RoundEventPrefix("j-1")))
      std::exchange(before_rounds, nullptr)();
    return memory_.Scan(prefix, [&](std::string_view key, std::string_view value) {
      ++read;
      return visit(key, value);
    });
  }
  Status Reclaim(std::string_view prefix) override { return memory_.Reclaim(prefix); }
  uint64_t index() const override { return memory_.index(); }

  int64_t read = 0;
  std::function<void()> before_rounds;

 private:
  storage::MemoryMetaStore memory_;
};

class StoredEvents : public testing::Test {
 protected:
  StoredEvents() { job_.definition.id = "j-1"; }

  void Tell(EventContent event) {
    Output output;
    step_.Begin({}, output);
    step_.EmitEvent(job_, std::move(event));
    step_.End();
    DL_ASSERT_OK(store_.Write(output.batch));
  }
  // Returns the sequence numbers of all stored events, in as many answers as needed.
  std::vector<int64_t> All(int64_t after = 0, int64_t before = INT64_MAX) {
    std::vector<int64_t> all;
    for (;;) {
      auto reply = ReadStoredEvents(store_, "j-1", after, before);
      DL_CHECK(reply.ok());
      if (reply->events.empty()) return all;
      for (const std::string& line : reply->events)
        all.push_back(Json::parse(line).value("seq", reply->last));
      after = reply->last;
    }
  }

  // Returns the number of entries under the prefix.
  int64_t Stored(const std::string& prefix) {
    int64_t entries = 0;
    DL_CHECK(store_
                 .Scan(prefix,
                       [&](std::string_view, std::string_view) {
                         ++entries;
                         return absl::OkStatus();
                       })
                 .ok());
    return entries;
  }

  CountedStore store_;
  CurrentStep step_;
  Job job_;
};

TEST_F(StoredEvents, AreReturnedInOrder) {
  EXPECT_THAT(All(), testing::IsEmpty()) << "an unknown job";
  Tell(StateEvent{});
  Tell(RoundEvent{});
  Tell(RoundEvent{});
  Tell(EpochEvent{});
  Tell(RoundEvent{});
  Tell(ResultView{});
  EXPECT_THAT(All(), testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(All(2), testing::ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(All(1, 5), testing::ElementsAre(2, 3, 4));
  auto reply = ReadStoredEvents(store_, "j-1", 4, INT64_MAX);
  DL_ASSERT_OK(reply);
  EXPECT_TRUE(reply->terminal);
  const Json result = Json::parse(reply->events.back());
  EXPECT_EQ(result.at("type"), "result");
  EXPECT_FALSE(result.contains("seq")) << "scripts read it without";
  Tell(StateEvent{});
  reply = ReadStoredEvents(store_, "j-1", 4, INT64_MAX);
  DL_ASSERT_OK(reply);
  EXPECT_FALSE(reply->terminal) << "it was resumed";
  reply = ReadStoredEvents(store_, "j-1", 4, 7);
  DL_ASSERT_OK(reply);
  EXPECT_EQ(reply->last, 6) << "the result";
  EXPECT_FALSE(reply->terminal) << "it was resumed";
}

// A job with very many rounds keeps the events of the last rounds, and all other events.
TEST_F(StoredEvents, RoundsDoNotDisplaceOtherEvents) {
  const int64_t rounds = 3 * limits::kMaxStoredRoundEvents;
  for (int64_t i = 1; i <= rounds; ++i)
    Tell(i % 50 == 0 ? EventContent(EpochEvent{}) : EventContent(RoundEvent{}));
  const std::vector<int64_t> all = All();
  int64_t rest = 0, kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    (all[i] % 50 == 0 ? rest : kept) += 1;
    if (i > 0) {
      ASSERT_GT(all[i], all[i - 1]);
    }
  }
  EXPECT_EQ(rest, rounds / 50);
  EXPECT_GE(kept, limits::kMaxStoredRoundEvents * 49 / 50);
  EXPECT_LE(kept, limits::kMaxStoredRoundEvents + 1000);
  EXPECT_EQ(Stored(keys::RoundEventPrefix("j-1")), kept) << "what is told no more is gone";
  store_.read = 0;
  EXPECT_EQ(All(rounds - 3), (std::vector<int64_t>{rounds - 2, rounds - 1, rounds}));
  EXPECT_LE(store_.read, limits::kMaxStoredRoundEvents / 2) << "what lies before it is read";
}

TEST_F(StoredEvents, LastOtherEventsAreKept) {
  const int64_t events = limits::kMaxStoredEvents + 2500;
  for (int64_t i = 1; i <= events; ++i) Tell(WarningEvent{});
  const std::vector<int64_t> all = All();
  EXPECT_GE(static_cast<int64_t>(all.size()), limits::kMaxStoredEvents);
  EXPECT_LE(static_cast<int64_t>(all.size()), limits::kMaxStoredEvents + 1000);
  EXPECT_EQ(all.back(), events);
  store_.read = 0;
  EXPECT_EQ(All(events - 1), (std::vector<int64_t>{events}));
  EXPECT_LE(store_.read, limits::kMaxStoredEvents / 4) << "what lies before it is read";
}

// An answer holds as many events as fit, and at least one, even if it is too large.
TEST_F(StoredEvents, AnswerIsLimitedInBytes) {
  const auto tell = [&](int64_t bytes) {
    Tell(WarningEvent{std::string(static_cast<size_t>(bytes), 'x')});
  };
  for (int i = 0; i < 3; ++i) tell(limits::kMaxEventBytesPerReply * 2 / 5);
  tell(limits::kMaxEventBytesPerReply + 1);
  for (const auto& [after, events] : std::map<int64_t, size_t>{{0, 2}, {2, 1}, {3, 1}}) {
    const auto reply = ReadStoredEvents(store_, "j-1", after, INT64_MAX);
    DL_ASSERT_OK(reply);
    EXPECT_EQ(reply->events.size(), events) << "behind " << after;
    EXPECT_EQ(reply->last, after + static_cast<int64_t>(events));
  }
}

// The two groups of events are read one after the other.
TEST_F(StoredEvents, EventsWrittenDuringReadLeaveNoGap) {
  Tell(RoundEvent{.round = 1});
  store_.before_rounds = [this] {
    Tell(WarningEvent{});
    Tell(RoundEvent{.round = 2});
  };
  EXPECT_EQ(All(), (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(StoredEvents, DamagedEventIsNamed) {
  Tell(StateEvent{});
  storage::MetaBatch batch;
  batch.Put("event/j-1/000000000000/001", "{");
  DL_ASSERT_OK(store_.Write(batch));
  const auto reply = ReadStoredEvents(store_, "j-1", 0, INT64_MAX);
  EXPECT_TRUE(absl::IsDataLoss(reply.status()));
  EXPECT_THAT(DescribeError(reply.status()), testing::HasSubstr("event/j-1/"));
}

}  // namespace
}  // namespace dl::master
