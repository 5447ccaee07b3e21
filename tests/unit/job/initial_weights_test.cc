#include "job/initial_weights.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using test::IsError;
using ::testing::HasSubstr;

// Returns the error of the sample job with these initial weights.
Status Judged(const Json& weights) {
  Json json = ToJson(SampleSpecs()[0]);
  json["initial_weights"] = weights;
  return JobFromJson(json).status();
}

TEST(InitialWeightsSpec, DefaultIsSeed) {
  Json json = ToJson(SampleSpecs()[0]);
  EXPECT_EQ(json["initial_weights"], (Json{{"type", "seed"}}));
  json.erase("initial_weights");
  const auto spec = JobFromJson(json);
  DL_ASSERT_OK(spec);
  EXPECT_EQ(spec->initial_weights, InitialWeights());
  DL_EXPECT_OK(Judged("seed"));
}

TEST(InitialWeightsSpec, NamesAreTensorsOfTheModelAndLayersThatHaveSome) {
  const auto named = [](const std::string& name) {
    return Judged({{"type", "safetensors"}, {"path", "w.safetensors"}, {"names", {name}}});
  };
  for (const char* name : {"conv1=features.0", "conv1.weight=a", "bn1.mean=m", "output1=fc=2"}) {
    DL_EXPECT_OK(named(name));
  }
  const Status wrong = named("conv7=a");
  EXPECT_THAT(wrong, IsError(absl::StatusCode::kInvalidArgument,
                             "initial_weights: the model has no tensor and no layer with weights "
                             "\"conv7\"; did you mean \"conv1\"?"));
  for (const char* name : {"pool1=a", "conv1.weight/momentum=a"})
    EXPECT_THAT(named(name), IsError(absl::StatusCode::kInvalidArgument, "no tensor and no layer"));
  for (const char* name : {"conv1", "=a", "conv1="})
    EXPECT_THAT(named(name), IsError(absl::StatusCode::kInvalidArgument, "MINE=THEIRS")) << name;
  EXPECT_THAT(Judged({{"type", "safetensors"}, {"path", "w"}, {"names", {"conv1=a", "conv1=b"}}}),
              IsError(absl::StatusCode::kInvalidArgument, "named twice"));
}

TEST(InitialWeightsSpec, FileHasPathAndMissingPolicy) {
  EXPECT_THAT(Judged({{"type", "safetensors"}}),
              IsError(absl::StatusCode::kInvalidArgument, "initial_weights.path"));
  EXPECT_THAT(Judged({{"type", "safetensors"}, {"path", "w"}, {"missing", "sed"}}),
              IsError(absl::StatusCode::kInvalidArgument, "initial_weights.missing"));
  EXPECT_THAT(Judged({{"type", "seed"}, {"path", "w"}}),
              IsError(absl::StatusCode::kInvalidArgument, "safetensors"));
}

// output1 has 16 x 10 weights and 10 biases, which fit into one block.
TEST(InitialWeightsSpec, ImportedWeightsFitModel) {
  const std::string block(64, 'a');
  const auto imported = [&](const std::vector<std::string>& tensors,
                            const std::vector<std::string>& blocks) {
    return Judged({{"type", "imported"}, {"tensors", tensors}, {"blocks", blocks}});
  };
  DL_EXPECT_OK(imported({"output1.weight", "output1.bias"}, {block}));
  for (const auto& [tensors, blocks, said] :
       {std::tuple(std::vector<std::string>{"output1.weight"}, std::vector<std::string>{},
                   "has 0 blocks"),
        std::tuple(std::vector<std::string>{"output1.weight"},
                   std::vector<std::string>{block, block}, "has 2 blocks"),
        std::tuple(std::vector<std::string>{}, std::vector<std::string>{}, "has 0 blocks"),
        std::tuple(std::vector<std::string>{"output1.weights"}, std::vector<std::string>{block},
                   "no tensor \"output1.weights\""),
        std::tuple(std::vector<std::string>{"output1.weight/momentum"},
                   std::vector<std::string>{block}, "no tensor"),
        std::tuple(std::vector<std::string>{"output1.bias", "output1.bias"},
                   std::vector<std::string>{block}, "occurs twice"),
        std::tuple(std::vector<std::string>{"output1.bias"},
                   std::vector<std::string>{std::string(64, 'A')}, "hex digits")}) {
    EXPECT_THAT(imported(tensors, blocks), IsError(absl::StatusCode::kInvalidArgument, said));
  }
}

TEST(InitialWeightsSpec, BuilderGivesSameSpec) {
  const auto spec =
      SampleJob()
          .InitialWeights(
              weights::Safetensors("w.safetensors").Name("conv1", "features.0").OthersBySeed())
          .Build();
  DL_ASSERT_OK(spec);
  EXPECT_EQ(ToJson(*spec)["initial_weights"], (Json{{"type", "safetensors"},
                                                    {"path", "w.safetensors"},
                                                    {"names", {"conv1=features.0"}},
                                                    {"missing", "seed"}}));
  EXPECT_THAT(SampleJob().InitialWeights(weights::Safetensors("")).Build(),
              IsError(absl::StatusCode::kInvalidArgument, "initial_weights"));
}

}  // namespace
}  // namespace dl::job
