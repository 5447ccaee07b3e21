// MakeStrategy makes the strategy that the keys of a job spec describe.
#include "averaging/job_strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::averaging {
namespace {

job::JobSpec SpecWith(const job::StrategyConf& strategy) {
  job::JobSpec spec;
  spec.model = *nn::Sequential("small")
                    .Input(nn::FeedForward(3))
                    .Layer(nn::Output(2).Loss(nn::MeanSquaredError()))
                    .Build();
  spec.training.strategy = strategy;
  return spec;
}

std::vector<float> Numbers(int64_t count, float first) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(first + 0.125f * static_cast<float>(numbers.size()));
  return numbers;
}

// Returns a worker's contribution and the next state, for every strategy from the same numbers.
using Values = std::map<std::string, std::vector<float>>;
Values ARoundOf(const job::StrategyConf& conf) {
  const auto made = MakeStrategy(SpecWith(conf));
  DL_CHECK(made.ok());
  const Strategy& strategy = **made;
  Values base, next;
  PartViews views;
  PartBuffers buffers;
  for (const PartLayout& part : strategy.layout().parts) {
    base[part.name] = Numbers(part.table.size(), 1);
    next[part.name] = Numbers(part.table.size(), -0.5f);
    views[part.name] = base[part.name];
    buffers[part.name] = next[part.name];
  }
  DL_CHECK(strategy.Advance(views, buffers).ok());
  next["contribution"] = Numbers(strategy.layout().unit.size(), 2);
  strategy.MakeContribution(views.at("model"), next["contribution"]);
  return next;
}

TEST(JobStrategy, EmaDecayAddsAverage) {
  for (const job::StrategyConf& conf : DefaultsOf(static_cast<job::StrategyConf*>(nullptr))) {
    job::JobSpec spec = SpecWith(conf);
    const auto without = MakeStrategy(spec);
    DL_ASSERT_OK(without);
    EXPECT_EQ((*without)->layout().evaluated().name, "model");
    spec.training.ema_decay = 0.5;
    const auto with = MakeStrategy(spec);
    DL_ASSERT_OK(with);
    EXPECT_EQ((*with)->name(), (*without)->name());
    EXPECT_EQ((*with)->layout().evaluated().name, "ema");
    EXPECT_EQ((*with)->layout().parts.size(), (*without)->layout().parts.size() + 1);
  }
}

TEST(JobStrategy, HasNameOfType) {
  for (const job::StrategyConf& conf : DefaultsOf(static_cast<job::StrategyConf*>(nullptr))) {
    const auto strategy = MakeStrategy(SpecWith(conf));
    DL_ASSERT_OK(strategy);
    EXPECT_EQ((*strategy)->name(), TagOf(conf));
  }
}

// A key whose effect is not compared here must be added to ARoundOf.
TEST(JobStrategy, EveryKeyIsPartOfIt) {
  for (const job::StrategyConf& conf : DefaultsOf(static_cast<job::StrategyConf*>(nullptr))) {
    const Json json = ToJson(conf);
    for (const auto& [key, value] : json.items()) {
      if (key == "type") continue;
      Json other{{"strategy", json}};
      if (value.is_boolean()) {
        other["strategy"][key] = !value.get<bool>();
      } else {
        other["strategy"][key] = value.get<double>() / 2 + 0.125;
      }
      JsonObjectReader reader(other, "training");
      job::StrategyConf changed;
      ReadValue(reader, "strategy", changed);
      DL_ASSERT_OK(reader.Finish());
      EXPECT_NE(ARoundOf(changed), ARoundOf(conf)) << TagOf(conf) << " does without its " << key;
    }
  }
}

}  // namespace
}  // namespace dl::averaging
