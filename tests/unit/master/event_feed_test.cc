#include "master/gateway/event_feed.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <map>

#include "base/json.h"
#include "base/limits.h"
#include "base/thread.h"
#include "rpc/messages.h"

namespace dl::master {
namespace {

constexpr Duration kNow{0};

WarningEvent Warning(const std::string& text) { return {.message = text}; }

// Numbers each job's events from 1, as the core does.
class NumberedFeed : public EventFeed {
 public:
  void Append(const std::string& job, EventContent content) {
    EventFeed::Append({.job = job, .sequence = ++last_[job], .content = std::move(content)});
  }

 private:
  std::map<std::string, int64_t> last_;
};

int64_t SequenceOf(const std::string& event) { return Json::parse(event).at("seq"); }

// Returns all events of a job in memory, in as many answers as needed.
std::vector<std::string> ReadAll(EventFeed& feed, const std::string& job) {
  std::vector<std::string> all;
  int64_t after = 0;
  for (;;) {
    rpc::EventsReply reply = feed.Read(job, after, kNow);
    if (reply.events.empty()) return all;
    after = reply.last;
    all.insert(all.end(), reply.events.begin(), reply.events.end());
  }
}

TEST(EventFeed, ReturnsEventsOfJobInOrder) {
  NumberedFeed feed;
  feed.Append("a", Warning("1"));
  feed.Append("b", Warning("2"));
  feed.Append("a", ResultView{.state = JobState::kSucceeded});
  const rpc::EventsReply reply = feed.Read("a", 0, kNow);
  ASSERT_EQ(reply.events.size(), 2u);
  EXPECT_EQ(reply.events[0], R"({"job":"a","message":"1","seq":1,"type":"warning","unix_ms":0})");
  const Json result = Json::parse(reply.events[1]);
  EXPECT_EQ(result.at("type"), "result");
  EXPECT_EQ(result.at("job"), "a");
  EXPECT_FALSE(result.contains("seq")) << "scripts read it without";
  EXPECT_EQ(reply.last, 2);
  EXPECT_TRUE(reply.terminal);
  EXPECT_EQ(feed.Read("b", 0, kNow).events.size(), 1u);
  EXPECT_TRUE(feed.Read("a", reply.last, kNow).events.empty());
  EXPECT_EQ(feed.Read("a", 1, kNow).last, 2);
  EXPECT_EQ(feed.Read("a", reply.last, kNow).last, reply.last);
  EXPECT_EQ(feed.First("b"), 1);
  EXPECT_EQ(feed.First("c"), INT64_MAX);
}

TEST(EventFeed, ResultBeforeOtherEventsIsNotTheEnd) {
  NumberedFeed feed;
  for (int64_t i = 1; i < limits::kMaxEventsPerReply; ++i) feed.Append("a", Warning("before"));
  feed.Append("a", ResultView{.state = JobState::kCancelled});
  feed.Append("a", Warning("resumed"));
  const rpc::EventsReply first = feed.Read("a", 0, kNow);
  EXPECT_EQ(static_cast<int64_t>(first.events.size()), limits::kMaxEventsPerReply);
  EXPECT_FALSE(first.terminal);
  EXPECT_FALSE(feed.Read("a", first.last, kNow).terminal);
  feed.Append("a", ResultView{.state = JobState::kSucceeded});
  EXPECT_TRUE(feed.Read("a", first.last, kNow).terminal);
}

TEST(EventFeed, QueryOfUnknownJobLeavesNoEntry) {
  NumberedFeed feed;
  const size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(feed.Read(std::to_string(i) + std::string(1000, 'x'), 0, kNow).events.empty());
  EXPECT_LT(::mallinfo2().uordblks, before + 100'000);
}

TEST(EventFeed, InvalidUtf8IsStillDelivered) {
  NumberedFeed feed;
  feed.Append("a", Warning("h\xff"));
  EXPECT_EQ(
      feed.Read("a", 0, kNow).events.front(),
      "{\"job\":\"a\",\"message\":\"h\xef\xbf\xbd\",\"seq\":1,\"type\":\"warning\",\"unix_ms\":0}");
}

TEST(EventFeed, NumberOfEventsPerJobIsLimited) {
  NumberedFeed feed;
  feed.Append("other", Warning("stays"));
  for (int64_t i = 0; i < limits::kMaxEventsKept + 3; ++i) feed.Append("a", Warning("x"));
  const std::vector<std::string> kept = ReadAll(feed, "a");
  EXPECT_EQ(static_cast<int64_t>(kept.size()), limits::kMaxEventsKept);
  EXPECT_EQ(SequenceOf(kept.front()), 1 + 3);
  EXPECT_EQ(ReadAll(feed, "other").size(), 1u);
}

TEST(EventFeed, OldestEventsAreDroppedAtByteLimit) {
  NumberedFeed feed;
  const std::string mebibyte(1 << 20, 'x');
  constexpr int64_t kFits = limits::kMaxEventBytesKept / (1 << 20) - 1;  // including their overhead
  feed.Append("a", Warning("first of all"));
  feed.Append("b", Warning("second"));
  feed.Append("a", Warning("third"));
  for (int64_t i = 0; i < kFits - 1; ++i) feed.Append("c", Warning(mebibyte));
  EXPECT_EQ(ReadAll(feed, "a").size(), 2u);
  EXPECT_EQ(ReadAll(feed, "b").size(), 1u);
  for (int64_t i = 0; i < 2; ++i) feed.Append("d", Warning(mebibyte));
  EXPECT_TRUE(ReadAll(feed, "a").empty());
  EXPECT_TRUE(ReadAll(feed, "b").empty());
  EXPECT_EQ(static_cast<int64_t>(ReadAll(feed, "c").size() + ReadAll(feed, "d").size()), kFits);
  EXPECT_EQ(ReadAll(feed, "d").size(), 2u);
  feed.Append("a", Warning("again"));  // a job whose events were dropped gets another one
  EXPECT_EQ(ReadAll(feed, "a").size(), 1u);
}

TEST(EventFeed, AnswerHasLimitedSize) {
  NumberedFeed feed;
  const std::string quarter(limits::kMaxEventBytesPerReply / 4, 'x');
  for (int i = 0; i < 10; ++i) feed.Append("a", Warning(quarter));
  feed.Append("b", Warning(std::string(2 * limits::kMaxEventBytesPerReply, 'x')));
  EXPECT_EQ(feed.Read("a", 0, kNow).events.size(), 3u);
  EXPECT_EQ(ReadAll(feed, "a").size(), 10u);
  EXPECT_EQ(feed.Read("b", 0, kNow).events.size(), 1u);  // at least one event always fits
}

TEST(EventFeed, EventWakesFollowersOfJob) {
  constexpr int kFollowers = 8;
  constexpr int kEvents = 2000;
  NumberedFeed feed;
  std::vector<Thread> followers;
  for (int i = 0; i < kFollowers; ++i) {
    followers.emplace_back("follower", [&feed] {
      EXPECT_EQ(feed.Read("quiet", 0, std::chrono::seconds(60)).events.size(), 1u);
    });
  }
  while (feed.waiting() < kFollowers) {
  }
  for (int i = 0; i < kEvents; ++i) feed.Append("busy", Warning("x"));
  EXPECT_LT(feed.wake_ups(), kFollowers);
  feed.Append("quiet", Warning("x"));
  for (Thread& follower : followers) follower.Join();
  EXPECT_EQ(feed.waiting(), 0);
}

}  // namespace
}  // namespace dl::master
