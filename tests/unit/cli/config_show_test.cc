// Every key that `config show` lists can be set to the value that it shows, without changing the
// job.
#include <cstdlib>
#include <iostream>

#include "base/json.h"
#include "cli/jobs/job_flags.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

std::string ProgramFolderOfTheBuild() {
  const char* folder = std::getenv("DL_BIN");
  return folder == nullptr ? "build/release/bin" : folder;
}

// Sets each key of the job that `written` describes, one after the other.
void ExpectEveryKeyTakesItsValue(const Json& written) {
  const auto resolve = [&](const SettingSources& sources) {
    auto settings = ResolveSettings(sources);
    DL_EXPECT_OK(settings);
    return ResolveJob(written, "the document", *settings);
  };
  const auto spec = resolve({});
  DL_ASSERT_OK(spec);
  int keys = 0;
  for (const ShownSetting& shown : ExplainJob({}, job::ToJson(*spec), written, "its author")) {
    const auto same = resolve({.sets = {shown.key + "=" + shown.value}});
    DL_ASSERT_OK(same) << shown.key << "=" << shown.value;
    EXPECT_TRUE(*same == *spec) << shown.key << "=" << shown.value;
    ++keys;
  }
  EXPECT_GT(keys, 30);
}

TEST(ConfigShow, KeysOfExamplesAcceptTheirValues) {
  const Context context{.program_folder = ProgramFolderOfTheBuild(),
                        .environment = {},
                        .out = std::cout,
                        .err = std::cerr};
  for (const char* example : {"lenet_fashion_mnist", "cnn_batchnorm_fashion_mnist", "mlp_csv"}) {
    SCOPED_TRACE(example);
    const auto prepared = PrepareJob(context, JobFlags{.job = example}, {});
    DL_ASSERT_OK(prepared);
    ExpectEveryKeyTakesItsValue(prepared->written);
  }
}

TEST(ConfigShow, KeysOfShortDocumentAcceptTheirValues) {
  ExpectEveryKeyTakesItsValue(Json::parse(R"({
    "model": {"input": {"type": "image", "channels": 1, "height": 28, "width": 28},
      "layers": [{"type": "conv2d", "filters": 2, "kernel": 5}, {"type": "max_pool2d", "kernel": 3},
                 {"type": "output", "units": 10, "loss": "softmax_cross_entropy"}]},
    "data": {"train": {"format": "cifar10", "paths": ["a.bin"]}}})"));
  ExpectEveryKeyTakesItsValue(Json::parse(R"({
    "model": {"name": "n", "seed": 3, "input": {"type": "feed_forward", "features": 4},
      "updater": {"type": "adam", "learning_rate": 0.05},
      "layers": [{"type": "dense", "units": 2, "activation": {"type": "leaky_relu"}}, {"type": "dropout"},
                 {"type": "output", "units": 3, "loss": "softmax_cross_entropy"}]},
    "training": {"early_stopping": {}},
    "data": {"train": {"format": "csv", "path": "a.csv"}, "test": {"format": "csv", "path": "b.csv"}}})"));
}

}  // namespace
}  // namespace dl::cli
