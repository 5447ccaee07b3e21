// Memory that a server charges for its answers.
#include "rpc/connection_meter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/thread.h"

namespace dl::rpc {
namespace {

constexpr int64_t kLarge = 1 << 20;

// Answers of the queries that polls repeat, and of Events.
TEST(ConnectionMeter, LargeAnswersOfAllQueriesAreCharged) {
  for (const QueryKind kind : {QueryKind::kJobs, QueryKind::kJob, QueryKind::kResult,
                               QueryKind::kCluster, QueryKind::kCheckpoints, QueryKind::kLog}) {
    const AnswerLimits answer = AnswerTo("Query", QueryRequest{.what = kind});
    EXPECT_GE(answer.bytes, limits::kMaxLogPageBytes) << static_cast<int>(kind);
    EXPECT_EQ(answer.share, MessageShare::kDocuments);
  }
  MessageBudgets budgets;
  MessageBudget& documents = budgets.Of(MessageShare::kDocuments);
  const std::atomic<int64_t> moved = 0;
  ConnectionMeter meter(budgets, {.token = "", .moved_bytes = &moved, .end = [] {}});
  meter.MarkAuthenticated("t");
  const auto held = [&](const EventsReply& reply) {
    meter.Begin("Events");
    {
      const ConnectionMeter::InService in_service(meter);
      EXPECT_TRUE(meter
                      .ChargeAnswer(BytesOf(reply), AnswerTo("Events", EventsRequest{}).share,
                                    Clock::Real().Now())
                      .ok());
    }
    const int64_t bytes = limits::kDocumentMessageBytes - documents.free();
    meter.End();
    return bytes;
  };
  EXPECT_EQ(held({.events = {std::string(1000, 'e')}}), 0);
  EXPECT_EQ(held({.events = {std::string(kLarge, 'e')}}),
            ChargeOf(kLarge + limits::kListEntryBytes));
  EXPECT_EQ(held({.events = {std::string(200 * kLarge, 'e')}}),
            limits::kDocumentMessageBytesOfToken);
  EXPECT_EQ(documents.free(), limits::kDocumentMessageBytes);
}

// They are not charged yet.
TEST(ConnectionMeter, FewFinishedAnswersWaitForMemory) {
  MessageBudgets budgets;
  const std::atomic<int64_t> moved = 0;
  const MessagePeer peer{.token = "t", .moved_bytes = &moved, .end = [] {}};
  MessageBudget::Holding all;
  all.Join(budgets.Of(MessageShare::kDocuments), peer, limits::kDocumentMessageBytesOfToken);
  ASSERT_TRUE(all.Grow(limits::kDocumentMessageBytesOfToken, Clock::Real().Now()).ok());
  constexpr int kAnswers = 40;
  std::atomic<int> refused = 0, sent = 0;
  std::vector<Thread> callers;
  for (int i = 0; i < kAnswers; ++i) {
    callers.emplace_back("caller", [&] {
      ConnectionMeter meter(budgets, peer);
      meter.MarkAuthenticated("t");
      meter.Begin("Events");
      const Status charged = meter.ChargeAnswer(kLarge, MessageShare::kDocuments,
                                                Clock::Real().Now() + std::chrono::minutes(1));
      ++(charged.ok() ? sent : refused);
      meter.End();
    });
  }
  while (refused < kAnswers - 16) {
  }
  all.Release();
  for (Thread& caller : callers) caller.Join();
  EXPECT_EQ(refused, kAnswers - 16);
  EXPECT_EQ(sent, 16);
}

}  // namespace
}  // namespace dl::rpc
