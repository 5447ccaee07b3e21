// The limit on the bytes of results that an executor keeps.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

class Results : public ExecutorCore {
 protected:
  Results() {
    SetUpCore({.name = "e1", .slots = 4, .result_bytes = 250});
    Register(11);
  }
  void Finish(const rpc::Lease& lease) {
    Do(UnitFinished{lease.lease, lease.unit, {{.unit = lease.unit, .hash = 7, .bytes = 100}}});
  }
  void Take(const rpc::Lease& lease) {
    Do(AnnounceAnswered{11, lease.lease, lease.unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
    Do(ContributionSent{11, lease.lease, lease.unit,
                        rpc::ContributionReply{rpc::Receipt::kComplete}});
  }
  rpc::Lease Unit(int32_t index) { return MakeLease(100 + index, index); }
};

TEST_F(Results, OldestTakenResultsAreDropped) {
  for (const int32_t index : {2, 0, 1}) {  // differs from the order of the units
    Lease(Unit(index));
    Finish(Unit(index));
    EXPECT_EQ(Effects<DropResult>().size(), index == 1 ? 1u : 0u);
    for (const DropResult& dropped : Effects<DropResult>()) EXPECT_EQ(dropped.lease, 102u);
    Take(Unit(index));
    EXPECT_LE(core_->result_bytes(), 250);
  }
  LoseSession();
  const auto held = Effects<SendRegister>().at(0).request.held_contributions;
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].unit.index, 0);
  EXPECT_EQ(held[1].unit.index, 1);
}

TEST_F(Results, UnsentResultsStayAndStopRequests) {
  for (int32_t index = 0; index < 3; ++index) {
    Lease(Unit(index));
    EXPECT_EQ(Effects<SendLease>().size(), 1u);
  }
  Lease(Unit(3));
  for (int32_t index = 0; index < 4; ++index) {
    Finish(Unit(index));
    EXPECT_TRUE(Effects<DropResult>().empty());
  }
  Do(LeaseAnswered{11, rpc::LeaseReply{}});
  EXPECT_TRUE(Effects<SendLease>().empty()) << "four slots are free";
  EXPECT_EQ(core_->result_bytes(), 400);
  Take(Unit(0));
  EXPECT_TRUE(Effects<SendLease>().empty());
  Take(Unit(1));
  EXPECT_EQ(Effects<SendLease>().size(), 1u);
  EXPECT_EQ(core_->result_bytes(), 200);
}

}  // namespace
}  // namespace dl::executor
