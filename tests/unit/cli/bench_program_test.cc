// The command `bench` as a user runs it.
#include "base/files.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Runs `bench` for the least time.
Ended Bench(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(), {"--seconds", "1"});
  return DlSubmit(words, std::move(environment));
}

TEST(BenchProgram, MeasuresNetworkByLayer) {
  const Ended ended = Bench({"lenet5", "--batch-size", "3", "--isa", "avx2", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  const Json& json = ended.last;
  EXPECT_EQ(json.at("model"), "lenet5");
  EXPECT_EQ(json.at("parameters"), 62'006);
  EXPECT_EQ(json.at("batch_size"), 3);
  EXPECT_EQ(json.at("machine").at("isa"), "avx2");
  EXPECT_EQ(json.at("machine").at("kernels"), "native");
  EXPECT_EQ(json.at("machine").at("threads"), 1);
  EXPECT_EQ(json.at("machine").at("precision"), "float32");
  const double rate = json.at("examples_per_second");
  const double least_ms = json.at("steps").at("cpu_ms").at("least");
  EXPECT_NEAR(rate, 3 / least_ms * 1e3, 1e-6 * rate);
  const double flops = json.at("flops_per_second");
  EXPECT_NEAR(flops, json.at("bound").at("flops").get<double>() / least_ms * 1e3, 1e-6 * flops);
  const double peak = json.at("machine").at("peak_flops");
  EXPECT_NEAR(json.at("share_of_peak"), flops / peak, 1e-9);
  EXPECT_LT(json.at("share_of_peak"), 1);
  double layers_flops = 0;
  for (const Json& layer : json.at("profile").at("layers"))
    layers_flops += layer.at("flops").get<double>();
  EXPECT_NEAR(layers_flops, json.at("bound").at("flops"), 1);
  EXPECT_EQ(json.at("profile").at("layers").at(0).at("name"), "conv1");
  EXPECT_GT(json.at("profile").at("layers").at(0).at("flops_per_second"), 0);
}

TEST(BenchProgram, ShowsTablesForPeople) {
  const Ended ended = Bench({"lenet5", "--batch-size", "2", "--rows", "2"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("lenet5: minibatches of 2 examples, 62006 parameters, nesterov"),
                    HasSubstr("examples/s"), HasSubstr("of the peak in float32"),
                    HasSubstr(" more "), HasSubstr("(update)")));
}

TEST(BenchProgram, TakesSettingsOfJobFiles) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const Ended ended = Bench({job, "--set", "training.batch_size=7", "--json"}, {"DL_ISA=avx2"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.last.at("batch_size"), 7);
  EXPECT_EQ(ended.last.at("machine").at("isa"), "avx2");
}

TEST(BenchProgram, MeasuresModelWithoutJob) {
  const test::TempFolder folder;
  const std::string file = folder.Write("model.json", R"({
    "name": "stream", "input": {"type": "sequence", "steps": 5, "features": 3},
    "updater": {"type": "adam"},
    "layers": [{"type": "lstm", "units": 4, "stateful": true},
               {"type": "output", "units": 2, "loss": {"type": "softmax_cross_entropy"}}]})");
  const Ended ended = Bench({file, "--threads", "2", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.last.at("model"), "stream");
  EXPECT_EQ(ended.last.at("updater"), "adam");
  EXPECT_EQ(ended.last.at("machine").at("threads"), 2);
}

TEST(BenchProgram, RefusesUnknownModelsAndWrongValues) {
  const Ended unknown = Bench({"lenet55"});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("lenet5"));
  const Ended none = Bench({"lenet5", "--batch-size", "0"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_THAT(none.err, AllOf(HasSubstr("batch_size"), HasSubstr("--batch-size")));
  EXPECT_EQ(Bench({"lenet5", "--threads", "0"}).code, kUsage);
  EXPECT_EQ(Bench({"lenet5", "--precision", "fp8"}).code, kUsage);
  EXPECT_EQ(Bench({"lenet5", "--isa", "sse"}).code, kUsage);
  EXPECT_EQ(Bench({"lenet5", "--set", "training.no_such_key=1"}).code, kUsage);
}

TEST(BenchProgram, RefusesPrecisionThatTheCpuLacks) {
  // With AVX2 alone, as on an older CPU.
  const Ended ended = Bench({"lenet5", "--precision", "bf16", "--isa", "avx2"});
  EXPECT_EQ(ended.code, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("bf16"));
}

TEST(BenchProgram, RefusesMinibatchThatDoesNotFitIntoMemory) {
  const Ended ended = Bench({"vgg16", "--batch-size", "1000000"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("1000000 examples may need"), HasSubstr("--batch-size")));
  EXPECT_THAT(ended.out, Not(HasSubstr("GFLOP")));
}

}  // namespace
}  // namespace dl::cli
