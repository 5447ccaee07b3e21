// Trains a job on each data format with the programs that a user runs.
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/shared_data.h"
#include "tests/unit/dataset/image_bytes.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 60, kColumns = 5;

job::JobSpec JobOn(const job::DatasetSpec& train, const std::optional<job::DatasetSpec>& test,
                   const nn::Sequential& model, int64_t epochs) {
  job::Job job("formats");
  job.Model(model)
      .Training(ParameterAveraging().Workers(2).BatchSizePerWorker(8).AveragingFrequency(4).Epochs(
          epochs))
      .Train(train);
  if (test) job.Test(*test);
  auto spec = job.Build();
  EXPECT_TRUE(spec.ok()) << DescribeError(spec.status());
  return *std::move(spec);
}

nn::Sequential Perceptron(const nn::InputType& input, int64_t classes) {
  return nn::Sequential("perceptron")
      .Seed(3)
      .Updater(nn::Adam(0.01))
      .Input(input)
      .Layer(nn::Dense(16).Activation(nn::Relu()))
      .Layer(nn::Output(classes).Loss(nn::SoftmaxCrossEntropy()));
}

class Formats : public testing::Test {
 protected:
  Formats() {
    RandomStream random({.seed = 1, .purpose = RandomPurpose::kForTests});
    for (int64_t i = 0; i < kRows; ++i) {
      classes_.push_back(static_cast<int32_t>(i % 3));
      for (int64_t k = 0; k < kColumns; ++k) {
        const auto drawn = static_cast<float>(random.Bounded(64));
        values_.push_back(drawn < 32 ? 0 : drawn / 16 + static_cast<float>(i % 3));
      }
    }
  }
  // Returns one line per example. `line` formats a label and its values.
  std::string Lines(int64_t begin, int64_t end,
                    const std::function<std::string(int32_t, const float*)>& line) const {
    std::string text;
    for (int64_t i = begin; i < end; ++i)
      absl::StrAppend(&text, line(classes_[i], values_.data() + i * kColumns), "\n");
    return text;
  }
  // Returns the hash of the state at the end of training.
  std::string StateOf(const job::DatasetSpec& source) {
    const job::JobSpec spec = JobOn(source, {}, Perceptron(nn::FeedForward(kColumns), 3), 2);
    const Json result = RunJob("local[2]", WriteJob(folder_, "job", spec));
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result;
    EXPECT_EQ(result.value("examples", int64_t{0}), 2 * kRows);
    return result.value("state_sha256", "");
  }

  TempFolder folder_;
  std::vector<float> values_;
  std::vector<int32_t> classes_;
};

TEST_F(Formats, FormatLeavesResultUnchanged) {
  const auto csv = [](int32_t label, const float* values) {
    std::string text;
    for (int64_t k = 0; k < kColumns; ++k) absl::StrAppend(&text, values[k], ",");
    return absl::StrCat(text, label);
  };
  const auto libsvm = [](int32_t label, const float* values) {
    std::string text = absl::StrCat(label);
    for (int64_t k = 0; k < kColumns; ++k) {
      if (values[k] != 0) absl::StrAppend(&text, " ", k + 1, ":", values[k]);
    }
    return text;
  };
  const std::string expected =
      StateOf(data::Csv(folder_.Write("all.csv", Lines(0, kRows, csv))).NoHeader());
  ASSERT_EQ(expected.size(), 64u);
  folder_.Write("part-1.csv", Lines(0, 20, csv));
  folder_.Write("part-2.csv.zst", Zstd(Lines(20, 41, csv)));
  folder_.Write("part-3.csv.gz", Gzip(Lines(41, kRows, csv)));
  EXPECT_EQ(StateOf(data::Csv(folder_ / "part-*").NoHeader()), expected);
  EXPECT_EQ(StateOf(data::Libsvm(folder_.Write("rows.libsvm", Lines(0, kRows, libsvm)))
                        .FeatureCount(kColumns)),
            expected);
  const std::string features = Npy("<f4", "(60, 5)", Raw(values_)),
                    labels = Npy("<i4", "(60,)", Raw(classes_));
  EXPECT_EQ(StateOf(data::Npy(folder_.Write("x.npy", features), folder_.Write("y.npy", labels))),
            expected);
  EXPECT_EQ(StateOf(data::Npz(
                folder_.Write("a.npz", Zip({{"x.npy", features}, {"y.npy", labels}}, true)))),
            expected);
  EXPECT_EQ(StateOf(data::Idx(folder_.Write("x.idx", Idx(0x0d, {60, 5}, Raw(values_, true))),
                              folder_.Write("y.idx", Idx(0x0c, {60}, Raw(classes_, true))))),
            expected);
  const std::string other = StateOf(
      data::Csv(folder_.Write("other.csv", Lines(0, kRows - 1, csv) + "1,2,3,4,5,0\n")).NoHeader());
  EXPECT_NE(other, expected) << "the data is in the result";
}

TEST_F(Formats, ImageFormatsTrainAlike) {
  std::string records;
  for (int i = 0; i < 24; ++i)
    records += std::string{static_cast<char>(i % 20), static_cast<char>(i)} +
               std::string(3072, static_cast<char>(i * 9));
  const std::string path = folder_.Write("train.bin.zst", Zstd(records));
  for (const bool fine : {true, false}) {
    job::Cifar100Source source = data::Cifar100(path);
    if (!fine) source.CoarseLabels();
    const job::JobSpec spec =
        JobOn(source, source, Perceptron(nn::Image(3, 32, 32), fine ? 100 : 20), 1);
    const Json result = RunJob("local[1]", WriteJob(folder_, "images", spec));
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result;
    EXPECT_EQ(result.value("examples", int64_t{0}), 24);
  }
}

// Trains on folders of classes and predicts a folder without classes. The spec names no image size.
TEST_F(Formats, ImageFoldersTrain) {
  const auto write = [&](const std::string& name, int value, bool png) {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const Pixels image{20, 30, 3, std::vector<uint8_t>(20 * 30 * 3, static_cast<uint8_t>(value))};
    folder_.Write(name, png ? Png(image) : Jpeg(image));
  };
  for (int i = 0; i < 20; ++i) {
    for (const char* set : {"train", "test"}) {
      write(absl::StrCat(set, "/dark/", i), 10 + i, i % 2 == 0);
      write(absl::StrCat(set, "/light/", i), 240 - i, i % 2 == 0);
    }
  }
  write("new/a.png", 250, true);
  write("new/b.jpg", 5, false);
  folder_.Write("set.json", R"({"format":"image_folder","folder":"test","height":6,"width":5})");
  const std::string data = folder_ / "data";
  job::JobSpec spec =
      JobOn(data::ImageFolder(folder_ / "train", 6, 5), {}, Perceptron(nn::Image(3, 6, 5), 2), 10);
  spec.data.normalizer = job::NormalizerChoice::kStandardize;
  const Finished run = DlSubmit({"run", "--master", "local[2]", "--data-dir", data, "--json",
                                 WriteJob(folder_, "images", spec)});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string job = "formats-1";
  const Finished evaluated =
      DlSubmit({"evaluate", job, "--data-dir", data, "--json", "--data", folder_ / "set.json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  EXPECT_EQ(evaluated.result()["accuracy"], 1.0);
  EXPECT_EQ(evaluated.result()["classes"][1]["class"], "light");
  const Finished bare =
      DlSubmit({"evaluate", job, "--data-dir", data, "--json", "--data", folder_ / "test"});
  ASSERT_EQ(bare.exit_code, 0) << bare.errors;
  EXPECT_EQ(bare.result()["loss"], evaluated.result()["loss"]);
  const std::string answers = folder_ / "answers.csv";
  const Finished predicted = DlSubmit({"predict", job, "--data-dir", data, "--data",
                                       folder_ / "new", "--no-labels", "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  const std::string lines = ReadFile(answers, 1 << 20).value_or("");
  EXPECT_THAT(lines, testing::StartsWith("example,file,class,probability\n"));
  EXPECT_THAT(lines, HasSubstr(absl::StrCat("\n0,", folder_ / "new/a.png", ",light,")));
  EXPECT_THAT(lines, HasSubstr(absl::StrCat("\n1,", folder_ / "new/b.jpg", ",dark,")));
  const Finished labelled =
      DlSubmit({"predict", job, "--data-dir", data, "--data", folder_ / "new"});
  EXPECT_EQ(labelled.exit_code, 65);
  EXPECT_THAT(labelled.errors, HasSubstr("--no-labels"));
  const Finished import = DlSubmit({"import", "--data-dir", data, folder_ / "train"});
  EXPECT_EQ(import.exit_code, 2);
  EXPECT_THAT(import.errors, HasSubstr("--image-size"));
}

// An archive is imported as the folder that was packed, and its errors name the archive.
TEST_F(Formats, ArchivesOfImagesAreImportedAsFolders) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const char* name : {"dark/1.png", "dark/2.png", "light/3.png"}) {
    const auto value = static_cast<uint8_t>(entries.size() * 90);
    entries.emplace_back(name, Png({20, 30, 3, std::vector<uint8_t>(20 * 30 * 3, value)}));
    const std::string path = absl::StrCat("photos/", name);
    std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
    folder_.Write(path, entries.back().second);
  }
  const std::string archive = folder_.Write("photos.zip", Zip(entries));
  std::filesystem::create_directory(folder_ / "temporary");
  const auto import = [&](std::vector<std::string> words) {
    setenv("TMPDIR", (folder_ / "temporary").c_str(), /*overwrite=*/1);
    words.insert(words.begin(), {"import", "--data-dir", folder_ / "data", "--json"});
    const Finished done = DlSubmit(std::move(words));
    unsetenv("TMPDIR");
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "temporary")) << "the files are deleted";
    return done;
  };
  const Finished packed = import({archive, "--image-size", "6x5"});
  ASSERT_EQ(packed.exit_code, 0) << packed.errors;
  const Finished plain = import({folder_ / "photos", "--image-size", "6x5"});
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_EQ(packed.lines, plain.lines);
  EXPECT_EQ(packed.lines.at(0)["schema"]["feature_shape"], Json({3, 6, 5}));
  const Finished grey = import({archive, "--image-size", "6x5", "--image-channels", "1"});
  ASSERT_EQ(grey.exit_code, 0) << grey.errors;
  EXPECT_EQ(grey.lines.at(0)["schema"]["feature_shape"], Json({1, 6, 5}));
  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {archive},
           {archive, "--image-size", "6"},
           {archive, "--image-size", "0x5"},
           {archive, "--image-size", "6x5", "--image-channels", "2"},
           {archive, "--image-size", "6x5", "--label", "y"},
           {archive, "--image-channels", "1"}}) {
    EXPECT_EQ(import(wrong).exit_code, 2) << wrong.back();
  }
  EXPECT_EQ(import({folder_ / "none.zip", "--image-size", "6x5"}).exit_code, 65);
  entries.emplace_back("light/4.png", "no image");
  folder_.Write("photos.zip", Zip(entries));
  const Finished damaged = import({archive, "--image-size", "6x5"});
  EXPECT_EQ(damaged.exit_code, 65);
  EXPECT_EQ(damaged.lines.back()["error"]["where"], archive + "/light/4.png") << damaged.errors;
}

// A relative pattern starts at the spec's folder. The format of a file without a spec follows from
// its name.
TEST_F(Formats, CommandLineTakesBareFiles) {
  folder_.Write("p1.csv", "1,2,a\n3,4,b\n");
  folder_.Write("p2.csv", "5,6,a\n");
  folder_.Write("set.json", R"({"format":"csv","path":["p1.csv","p[2-9].csv"],"header":false})");
  folder_.Write("none.json", R"({"format":"csv","path":"q*.csv"})");
  folder_.Write("rows.svm", "1 1:2\n0 3:1\n");
  const std::string data = folder_ / "data";
  const auto import = [&](const std::string& what) {
    return DlSubmit({"import", "--master", "local[1]", "--data-dir", data, "--json", what});
  };
  const Finished document = import(folder_ / "set.json");
  ASSERT_EQ(document.exit_code, 0) << document.errors;
  EXPECT_EQ(document.lines.back().value("examples", 0), 3);
  const Finished pattern = import(folder_ / "p*.csv");
  ASSERT_EQ(pattern.exit_code, 0) << pattern.errors;
  EXPECT_EQ(pattern.lines.back().value("examples", 0), 3);
  const Finished sparse = import(folder_ / "rows.svm");
  ASSERT_EQ(sparse.exit_code, 0) << sparse.errors;
  EXPECT_EQ(sparse.lines.back().at("schema").at("feature_shape"), Json::array({3}));
  const Finished none = import(folder_ / "none.json");
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_THAT(none.text + none.errors, HasSubstr("no file matches the pattern"));
  EXPECT_THAT(none.text + none.errors, HasSubstr(folder_ / "q*.csv"));
}

TEST_F(Formats, AgaricusIsLearned) {
  const std::string shared = SharedData("agaricus");
  DL_SKIP_WITHOUT(shared);
  const job::JobSpec spec =
      JobOn(data::Libsvm(shared + "agaricus.txt.train"), data::Libsvm(shared + "agaricus.txt.test"),
            Perceptron(nn::FeedForward(126), 2), 2);
  const Json result = RunJob("local[2]", WriteJob(folder_, "agaricus", spec));
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result;
  EXPECT_GT(result.at("metrics").at("test").at("accuracy"), 0.95);
}

}  // namespace
}  // namespace dl::test
