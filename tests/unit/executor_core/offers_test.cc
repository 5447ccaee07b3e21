// Offers of states that a restarted master asks for.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

using Offering = ExecutorCore;

TEST_F(Offering, OffersPartByJobAndName) {
  Register(11);
  Heartbeat({.offer = {"team/job-1/abc", "nonsense"}});
  ASSERT_EQ(Effects<OfferPart>().size(), 1u);
  EXPECT_EQ(Effects<OfferPart>()[0].job, "team/job-1");
  EXPECT_EQ(Effects<OfferPart>()[0].sha256, "abc");
}

TEST_F(Offering, FailedOfferIsRepeatedWhileItsSessionLives) {
  Register(11);
  Heartbeat({.offer = {"job-1/abc"}, .number = 1});
  ASSERT_EQ(Effects<OfferPart>().size(), 1u);
  const Status cut = Unavailable({.message = "the connection was cut"});
  Do(PartOffered{11, "abc", cut});
  EXPECT_TRUE(Effects<OfferPart>().empty()) << "after a pause";
  Wait(CoreOptions().first_backoff);
  ASSERT_EQ(Effects<OfferPart>().size(), 1u);
  EXPECT_EQ(Effects<OfferPart>()[0].job, "job-1");
  Do(PartOffered{11, "abc", cut});
  Wait(CoreOptions().first_backoff);
  EXPECT_TRUE(Effects<OfferPart>().empty()) << "pauses grow";
  Wait(CoreOptions().first_backoff);
  ASSERT_EQ(Effects<OfferPart>().size(), 1u);
  Do(PartOffered{11, "abc", absl::OkStatus()});
  Wait(CoreOptions().longest_backoff);
  EXPECT_TRUE(Effects<OfferPart>().empty());

  Heartbeat({.offer = {"job-1/abc"}, .number = 2});
  ASSERT_EQ(Effects<OfferPart>().size(), 1u) << "another restart of the job";
  Do(PartOffered{11, "abc", cut});
  LoseSession();
  Register(12);
  Wait(CoreOptions().longest_backoff);
  EXPECT_TRUE(Effects<OfferPart>().empty()) << "the new session was not asked";
}

TEST_F(Offering, RefusedOfferEnds) {
  Register(11);
  const Status unknown = NotFound({.message = "no such job"});
  const Status refused = InvalidArgument({.message = "not what its name says"});
  Heartbeat({.offer = {"job-1/abc", "job-2/def"}, .number = 1});
  ASSERT_EQ(Effects<OfferPart>().size(), 2u);
  Do(PartOffered{11, "abc", unknown});
  Do(PartOffered{11, "def", refused});
  Wait(CoreOptions().first_backoff);
  ASSERT_EQ(Effects<OfferPart>().size(), 1u) << "the network may have damaged it";
  Do(PartOffered{11, "def", refused});
  Wait(CoreOptions().longest_backoff);
  EXPECT_TRUE(Effects<OfferPart>().empty());
}

}  // namespace
}  // namespace dl::executor
