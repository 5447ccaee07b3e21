#include <string>

#include "gtest/gtest.h"
#include "master/gateway/master_event_queue.h"

namespace dl::master {
namespace {

Event Heartbeat(size_t units) {
  rpc::HeartbeatRequest request;
  request.running.resize(units);
  return Asked<rpc::HeartbeatRequest>{1, std::move(request)};
}

Event LargeSubmission(size_t bytes) {
  return Asked<Submission>{1, {.train_manifest = std::string(bytes, 'x')}};
}

TEST(EventQueueTest, WaitingRequestsAreLimitedInBytes) {
  constexpr size_t kLarge = 40 << 20;
  EventQueue queue;
  EXPECT_TRUE(queue.Offer(LargeSubmission(kLarge)));
  EXPECT_FALSE(queue.Offer(LargeSubmission(kLarge))) << "the core takes none";
  int heartbeats = 0;
  while (queue.Offer(Heartbeat(8192))) ++heartbeats;
  EXPECT_GT(heartbeats, 10);
  EXPECT_LT(heartbeats, 100);
  queue.Post(Tick{});  // the master's own events are always accepted
  const auto taken = queue.Take(Instant::Max());
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->size(), static_cast<size_t>(heartbeats) + 2);
  EXPECT_TRUE(queue.Offer(LargeSubmission(kLarge)));
}

TEST(EventQueueTest, EvaluationFiguresCountAsBytes) {
  const auto taken_of = [](const nn::MetricSums& sums) {
    EventQueue queue;
    int taken = 0;
    for (Announcement announcement{.metrics = Shared(sums)};
         taken < 100'000 && queue.Offer(Asked<Announcement>{1, announcement});)
      ++taken;
    return taken;
  };
  nn::MetricSums classes(128), scores, numbers;
  scores.EnableScores(1);
  std::vector<nn::ScoredExample> examples;
  for (int i = 0; i < 4096; ++i) examples.push_back({static_cast<float>(i) / 4096, true});
  scores.AddScores(0, examples);
  numbers.EnableNumbers(64);
  for (const nn::MetricSums& sums : {classes, scores, numbers})
    EXPECT_LT(taken_of(sums), taken_of({}) / 4);
}

TEST(EventQueueTest, RequestOverLimitIsAcceptedAlone) {
  EventQueue queue;
  EXPECT_TRUE(queue.Offer(LargeSubmission(ShellBounds().request_bytes + 1)));
  EXPECT_FALSE(queue.Offer(Heartbeat(1)));
  (void)queue.Take(Instant::Max());
  EXPECT_TRUE(queue.Offer(Heartbeat(1)));
}

}  // namespace
}  // namespace dl::master
