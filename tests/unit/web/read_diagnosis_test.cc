// The curves that a diagnosis reads from the master.
#include <algorithm>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/web/scripted_clients.h"
#include "web/documents/diagnosis.h"

namespace dl::web {
namespace {

// Answers as a master whose job has that many rounds and layers.
class SeriesMaster final : public ScriptedClients {
 public:
  SeriesMaster(int64_t rounds, int64_t layers) : rounds_(rounds), layers_(layers) {}

  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration) override {
    if (request.what != rpc::QueryKind::kSeries) return rpc::QueryReply{.json = "{}"};
    int64_t step = 1;  // levels of series grow by a factor of 4
    while ((rounds_ + step - 1) / step > request.max_entries) step *= 4;
    const int64_t points = (rounds_ + step - 1) / step;
    const bool has_layers = request.series.find("layer/") != std::string::npos;
    if ((has_layers ? 3 * layers_ + 1 : 1) * points > 20'000)
      return InvalidArgument({.message = "more than an answer may have"});
    const Json loss = {{"name", "train/loss"},
                       {"first", 1},
                       {"step", step},
                       {"mean", std::vector<double>(static_cast<size_t>(points), 1)}};
    return rpc::QueryReply{.json = JsonText(Json{{"curves", Json::array({loss})}})};
  }

 private:
  const int64_t rounds_, layers_;
};

// A loss that does not fall is a finding at any length from the eighth round on.
TEST(ReadDiagnosis, EveryLengthHasEnoughPoints) {
  for (int64_t rounds = 8; rounds < 2100; ++rounds) {
    SeriesMaster master(rounds, 3);
    const auto diagnosis = ReadDiagnosis(master, "job-1");
    DL_ASSERT_OK(diagnosis);
    ASSERT_EQ(diagnosis->at("findings").size(), 1u) << rounds << " rounds";
  }
}

TEST(ReadDiagnosis, LayersThatDoNotFitAreLeftOut) {
  SeriesMaster master(32, 5000);
  const auto diagnosis = ReadDiagnosis(master, "job-1");
  DL_ASSERT_OK(diagnosis);
  EXPECT_EQ(diagnosis->at("findings").size(), 1u);
}

}  // namespace
}  // namespace dl::web
