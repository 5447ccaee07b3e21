// A job that starts from another job's checkpoint or from a file of weights. The tests compare its
// initial state tensor by tensor.
#include <cstring>
#include <map>

#include "base/files.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

constexpr int64_t kMaxBytes = 1 << 24;

using Tensors = std::map<std::string, std::string>;  // bytes by name

struct State {
  std::string sha256;
  Tensors weights;  // and running moments
  Tensors updater;
};

void ExpectEqual(const Tensors& seen, const Tensors& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    const auto found = seen.find(name);
    ASSERT_NE(found, seen.end()) << name;
    EXPECT_TRUE(found->second == bytes) << name;  // not printed, because it is long
  }
}

bool AllZero(const std::string& bytes) {
  return bytes.find_first_not_of('\0') == std::string::npos;
}

class Beginnings : public testing::Test {
 protected:
  // Runs a job with this spec. Returns the result line.
  Json Train(const job::JobSpec& spec, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", "--master", "local[2]", "--json",
                                      WriteJob(folder_, "job", spec)};
    words.insert(words.end(), more.begin(), more.end());
    return Ask(words).result();
  }
  // Exports a checkpoint. Divides its tensors by what `inspect` reports about its segments.
  State Read(const std::string& checkpoint, const std::string& to = "exported") {
    const std::string file = folder_ / to;
    Ask({"export", "--format", "safetensors", "--updater-state", "-o", file, checkpoint});
    Tensors tensors = ReadTensors(file);
    const Json inspected = Ask({"inspect", "--json", checkpoint}).result();
    State state{.sha256 = inspected.value("state_sha256", "")};
    for (const auto& [key, part] : inspected.at("parts").items()) {
      const bool prefixed = key.find('-') != std::string::npos ||
                            (key == "model" && inspected.at("parts").contains("ema"));
      Take(part["segments"], prefixed ? key + "/" : "", tensors, state);
    }
    EXPECT_TRUE(tensors.empty()) << tensors.begin()->first;
    return state;
  }

  Finished Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder_ / "data"});
    Finished finished = DlSubmit(words);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished;
  }

 private:
  static Tensors ReadTensors(const std::string& file) {
    const std::string bytes = ReadFile(file, kMaxBytes).value_or("");
    uint64_t header_bytes = 0;
    Tensors tensors;
    if (bytes.size() < sizeof(header_bytes)) return tensors;
    std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
    const auto header = ParseJson(bytes.substr(8, header_bytes), "header");
    EXPECT_TRUE(header.ok());
    if (!header.ok()) return tensors;
    for (const auto& [name, entry] : header->items()) {
      if (name == "__metadata__") continue;
      const int64_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
      tensors[name] = bytes.substr(8 + header_bytes + begin, end - begin);
    }
    return tensors;
  }
  static void Take(const Json& segments, const std::string& prefix, Tensors& tensors,
                   State& state) {
    for (const Json& segment : segments) {
      auto tensor = tensors.extract(prefix + segment.value("name", ""));
      ASSERT_FALSE(tensor.empty()) << segment;
      (segment.value("kind", "") == "updater" ? state.updater : state.weights)
          .insert(std::move(tensor));
    }
  }

 protected:
  const TempFolder folder_;
};

class BeginsFromCheckpoint : public Beginnings, public testing::WithParamInterface<SampleJob> {};

TEST_P(BeginsFromCheckpoint, ResumeLoadsStateAndInitLoadsWeights) {
  job::JobSpec spec = MakeSample(folder_, {.job = GetParam(), .epochs = 1});
  spec.training.checkpoint.keep_last = 1000;
  const std::string source = Train(spec).value("checkpoint", "");
  const State left = Read(source);
  ASSERT_FALSE(left.weights.empty());
  ASSERT_FALSE(left.updater.empty());
  for (const auto& [name, bytes] : left.updater) EXPECT_FALSE(AllZero(bytes)) << name;

  spec.seed = 99;  // its own initial weights would differ
  const Json resumed = Train(spec, {"--resume-from", source});
  const State full = Read(resumed.value("job", "") + "@0");
  ExpectEqual(full.weights, left.weights);
  ExpectEqual(full.updater, left.updater);
  EXPECT_EQ(full.sha256, left.sha256);

  const Json begun = Train(spec, {"--init-from", source});
  const State weights = Read(begun.value("job", "") + "@0");
  ExpectEqual(weights.weights, left.weights);
  ASSERT_EQ(weights.updater.size(), left.updater.size());
  for (const auto& [name, bytes] : weights.updater) {
    EXPECT_TRUE(AllZero(bytes)) << name;
    EXPECT_EQ(bytes.size(), left.updater.at(name).size()) << name;
  }
  EXPECT_NE(begun.value("state_sha256", ""), resumed.value("state_sha256", ""));
}

INSTANTIATE_TEST_SUITE_P(Samples, BeginsFromCheckpoint,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kCnnKeep,
                                         SampleJob::kCnnOuterKeep),
                         [](const auto& info) { return ToString(info.param); });

// A job that resumes gets both the weights and their average. A job that starts from the
// checkpoint's weights gets the average as both.
TEST_F(Beginnings, InitFromLoadsAverageOfWeights) {
  job::JobSpec spec = MakeSample(folder_, {.job = SampleJob::kCnnEma, .epochs = 1});
  spec.training.checkpoint.keep_last = 1000;
  const std::string source = Train(spec).value("checkpoint", "");
  const State left = Read(source);
  const Json resumed = Train(spec, {"--resume-from", source});
  EXPECT_EQ(Read(resumed.value("job", "") + "@0").sha256, left.sha256);
  const Json begun = Train(spec, {"--init-from", source});
  const State weights = Read(begun.value("job", "") + "@0");
  ASSERT_EQ(weights.weights.size(), left.weights.size());
  bool differ = false;
  for (const auto& [name, bytes] : left.weights) {
    if (name.starts_with("model/")) continue;
    EXPECT_TRUE(weights.weights.at(name) == bytes) << name;
    EXPECT_TRUE(weights.weights.at("model/" + name) == bytes) << name;
    differ = differ || left.weights.at("model/" + name) != bytes;
  }
  EXPECT_TRUE(differ) << "the average is the model";
}

class BeginsFromWeights : public Beginnings {
 protected:
  // Trains a job and writes its tensors to a file. The learning rate of later jobs is 0: they end
  // with their initial weights, except for running moments.
  void SetUp() override {
    spec_ = MakeSample(folder_, {.job = SampleJob::kCnnKeep, .epochs = 1});
    spec_.training.checkpoint.keep_last = 1000;
    left_ = ParametersOf(Train(spec_), "w.safetensors");
    spec_.seed = spec_.model.seed = 99;  // its own initial weights would differ
    spec_.model.updater = nn::Momentum(0.0);
  }
  Tensors ParametersOf(const Json& result, const std::string& to = "exported") {
    Tensors parameters = Read(result.value("checkpoint", ""), to).weights;
    std::erase_if(parameters, [](const auto& tensor) {
      return tensor.first.ends_with(".mean") || tensor.first.ends_with(".variance");
    });
    EXPECT_FALSE(parameters.empty());
    return parameters;
  }

  job::JobSpec spec_;
  Tensors left_;
  const std::string weights_ = folder_ / "w.safetensors";
};

TEST_F(BeginsFromWeights, ExportedFileEqualsInitFromCheckpoint) {
  const Json begun = Train(spec_, {"--weights", weights_});
  ExpectEqual(ParametersOf(begun), left_);
  // The same file named in the spec, by a path relative to the spec, with another number of
  // executors.
  spec_.initial_weights = job::weights::Safetensors("w.safetensors");
  const Finished again =
      Ask({"run", "--master", "local-cluster[2]", "--json", WriteJob(folder_, "again", spec_)});
  EXPECT_EQ(again.result().value("state_sha256", ""), begun.value("state_sha256", ""));
  // The output of `inspect --spec` can be submitted again. It uses the blocks that the master
  // already has.
  const Finished printed = Ask({"inspect", "--spec", begun.value("job", "")});
  DL_ASSERT_OK(AtomicWriteFile(folder_ / "printed.json", printed.text));
  EXPECT_EQ(Ask({"run", "--master", "local[1]", "--json", folder_ / "printed.json"})
                .result()
                .value("state_sha256", ""),
            begun.value("state_sha256", ""));
}

TEST_F(BeginsFromWeights, NewLastLayerIsInitializedBySeed) {
  nn::SetName(spec_.model.layers.back().conf, "fresh");
  const std::string job = WriteJob(folder_, "tuned", spec_);
  const Finished refused = DlSubmit(
      {"run", job, "--master", "local[2]", "--weights", weights_, "--data-dir", folder_ / "data"});
  EXPECT_EQ(refused.exit_code, kBadData) << refused.errors;
  EXPECT_NE(refused.errors.find("the file has no tensor fresh.weight"), std::string::npos)
      << refused.errors;

  const Tensors fresh = ParametersOf(Train(spec_));
  const Tensors tuned =
      ParametersOf(Train(spec_, {"--weights", weights_, "--set", "initial_weights.missing=seed"}));
  for (const auto& [name, bytes] : tuned) {
    const bool is_new = name.starts_with("fresh.");
    EXPECT_TRUE(bytes == (is_new ? fresh : left_).at(name)) << name;
    EXPECT_TRUE(is_new || bytes != fresh.at(name)) << name;
  }
}

TEST_F(BeginsFromWeights, BlocksExistUntilJobIsDeleted) {
  const std::string job = Train(spec_, {"--weights", weights_}).value("job", "");
  const std::string checkpoint = Train(spec_).value("checkpoint", "");
  const Finished both =
      DlSubmit({"run", WriteJob(folder_, "job", spec_), "--master", "local[2]", "--weights",
                weights_, "--init-from", checkpoint, "--data-dir", folder_ / "data"});
  EXPECT_NE(both.exit_code, 0);
  EXPECT_NE(both.errors.find("initial_weights"), std::string::npos) << both.errors;
  const Finished printed = Ask({"inspect", "--spec", job});
  DL_ASSERT_OK(AtomicWriteFile(folder_ / "printed.json", printed.text));
  Ask({"delete", job});
  const Finished gone = DlSubmit(
      {"run", folder_ / "printed.json", "--master", "local[2]", "--data-dir", folder_ / "data"});
  EXPECT_NE(gone.exit_code, 0);
  EXPECT_NE(gone.errors.find("not stored on the master"), std::string::npos) << gone.errors;
}

}  // namespace
}  // namespace dl::test
