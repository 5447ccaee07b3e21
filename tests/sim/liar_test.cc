#include "tests/sim/liar.h"

#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/sample_messages.h"

namespace dl::sim {
namespace {

template <typename Message>
void Lie(Liar& liar) {
  constexpr int kTimes = 2000;  // many more than a message has fields
  for (int i = 0; i < kTimes; ++i) (void)Received(rpc::Sample<Message>(), &liar);
}

TEST(Liar, AltersEachFieldOfEachMessageOfExecutors) {
  std::set<std::string> left = FieldsOfExecutors();
  EXPECT_GT(left.size(), 90u);
  Liar liar({.altered = [&](const std::string& field) { left.erase(field); }});
  Lie<rpc::RegisterRequest>(liar);
  Lie<rpc::HeartbeatRequest>(liar);
  Lie<rpc::GoodbyeRequest>(liar);
  Lie<rpc::LeaseRequest>(liar);
  Lie<rpc::AnnounceRequest>(liar);
  Lie<rpc::FailureReport>(liar);
  Lie<rpc::FetchRequest>(liar);
  Lie<rpc::ContributionChunk>(liar);
  Lie<rpc::OfferChunk>(liar);
  EXPECT_TRUE(left.empty()) << absl::StrJoin(left, ", ");
}

TEST(Liar, AltersOnlyNamedField) {
  const auto honest = rpc::Sample<rpc::AnnounceRequest>();
  Liar liar({.field = "AnnounceRequest.unit.round", .altered = [](const std::string& field) {
               EXPECT_EQ(field, "AnnounceRequest.unit.round");
             }});
  int altered = 0;
  for (int i = 0; i < 100; ++i) {
    auto received = Received(honest, &liar);
    DL_ASSERT_OK(received);
    altered += received->unit.round != honest.unit.round ? 1 : 0;
    received->unit.round = honest.unit.round;
    EXPECT_EQ(*received, honest);
  }
  EXPECT_GT(altered, 50);
}

TEST(Liar, HonestMessageArrivesAsItIs) {
  const auto honest = rpc::Sample<rpc::RegisterRequest>();
  const auto received = Received(honest, nullptr);
  DL_ASSERT_OK(received);
  auto expected = honest;
  expected.holder = expected.token = "";  // these fields are not sent
  EXPECT_EQ(*received, expected);
}

}  // namespace
}  // namespace dl::sim
