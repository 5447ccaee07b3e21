// The choice of units that are computed twice depends on the master's secret.
#include "master/core/job/verify_sample.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "master/store_recovery.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"
#include "tests/unit/master_core/named_definitions.h"

namespace dl::master {
namespace {

// The sample of the first thousand rounds, by worker.
std::vector<bool> SampleOf(const JobDefinition& definition, uint64_t secret) {
  std::vector<bool> sample;
  for (int64_t round = 1; round <= 1000; ++round) {
    for (const int32_t worker : {0, 1})
      sample.push_back(UnitIsSampled(definition, secret, round, worker));
  }
  return sample;
}

TEST(VerifySample, DependsOnSecret) {
  JobDefinition definition = CoreHarness::Definition();
  definition.verify_fraction = 0.5;
  const std::vector<bool> one = SampleOf(definition, 1), other = SampleOf(definition, 2);
  EXPECT_EQ(one, SampleOf(definition, 1));
  // Independent samples agree in about half of the units.
  int alike = 0;
  for (size_t i = 0; i < one.size(); ++i) alike += one[i] == other[i] ? 1 : 0;
  EXPECT_GT(alike, 900);
  EXPECT_LT(alike, 1100);
  const auto sampled = std::count(one.begin(), one.end(), true);
  EXPECT_GT(sampled, 900);
  EXPECT_LT(sampled, 1100);
}

TEST(VerifySample, SecretSurvivesRestart) {
  storage::MemoryMetaStore one, other;
  const auto secret = [](storage::MetaStore& store) {
    const auto state = LoadState(store, FindDefinition);
    DL_EXPECT_OK(state);
    return state.ok() ? state->secret : 0;
  };
  const uint64_t first = secret(one);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(secret(one), first);
  EXPECT_NE(secret(other), first);
}

}  // namespace
}  // namespace dl::master
