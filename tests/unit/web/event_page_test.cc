// Pages that show the events of a job, with events as the master makes them.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/records/event_record.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;
using testing::Not;

class EventPageTest : public SiteTest {
 protected:
  void Add(master::EventContent content) {
    clients_.AddEvent(
        master::EventLine({.job = "mlp-1", .sequence = ++last_, .content = std::move(content)}));
  }
  std::string PageAt(const std::string& target) {
    Open({});  // without recent answers
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", target));
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
  int64_t last_ = 0;
};

TEST_F(EventPageTest, RoundsAndEpochsOfTheLogHaveTheirTotal) {
  Add(master::RoundEvent{.round = 1358, .rounds = 2400, .epoch = 4, .train = {.loss = 0.4953}});
  Add(master::EpochEvent{.epoch = 4, .epochs = 1200, .round = 1358, .train = {.loss = 0.4953}});
  const std::string page = PageAt("/jobs/mlp-1/log");
  EXPECT_THAT(page, HasSubstr("Round 1,358 of 2,400, training loss 0.4953"));
  EXPECT_THAT(page, HasSubstr("Epoch 4 of 1,200 done"));
}

}  // namespace
}  // namespace dl::web
