// dl-submit export as safetensors: the metadata, and the model card next to the file.
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kMaxBytes = 1 << 22;

class ModelCard : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_ / "data"});
    return DlSubmit(std::move(words));
  }
  // Returns the metadata of a safetensors file, and expects that all values are texts.
  static Json MetadataIn(const std::string& file) {
    const std::string bytes = ReadFile(file, kMaxBytes).value_or("");
    uint64_t length = 0;
    if (bytes.size() < sizeof(length)) return Json::object();
    std::memcpy(&length, bytes.data(), sizeof(length));
    Json metadata = Json::parse(bytes.substr(sizeof(length), length)).at("__metadata__");
    for (const auto& [key, value] : metadata.items()) EXPECT_TRUE(value.is_string()) << key;
    return metadata;
  }
  // Writes the small job on rows whose classes have these names.
  std::string JobWithClasses(const std::vector<std::string>& names) const {
    std::string rows = "x,y,label\n";
    for (size_t i = 0; i < 96; ++i) {
      rows += std::to_string(i % 7) + "," + std::to_string(i * 5 % 11) + "," +
              names[i % names.size()] + "\n";
    }
    const std::string job = WriteSmallJob(folder_.path());
    folder_.Write("rows.csv", rows);
    return job;
  }

  const test::TempFolder folder_;
};

TEST_F(ModelCard, MetadataAndCardDescribeTheCheckpoint) {
  const std::string job = JobWithClasses({"ash", "birch", "cedar"});
  const Ended run = Run({"run", job, "--epochs", "3", "--json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const std::string file = folder_ / "small.safetensors";
  const Ended exported =
      Run({"export", "small-1", "-o", file, "--license", "apache-2.0", "--json"});
  ASSERT_EQ(exported.code, kSuccess) << exported.err;
  EXPECT_EQ(exported.last["card_file"], file + ".md");

  const Json metadata = MetadataIn(file);
  EXPECT_EQ(metadata.at("state_sha256"), run.last["state_sha256"]);
  EXPECT_EQ(metadata.at("checkpoint"), exported.last["checkpoint"]);
  EXPECT_EQ(metadata.at("license"), "Apache-2.0");
  const auto value = [&](const char* key) {
    return Json::parse(metadata.at(key).get<std::string>());
  };
  EXPECT_EQ(value("classes"), (Json{"ash", "birch", "cedar"}));
  EXPECT_EQ(value("features").at("names"), (Json{"x", "y"}));
  EXPECT_EQ(value("spec").at("training").at("epochs"), 3);
  EXPECT_EQ(value("spec").at("model").at("layers"), value("model").at("layers"));
  EXPECT_TRUE(value("normalizer").contains("kind"));
  // The figures are those of `history`.
  const Json epoch = Run({"history", "small-1", "--json"}).last["epochs"].back();
  EXPECT_EQ(value("metrics").at("train"), epoch["train"]);
  EXPECT_EQ(value("metrics").at("test"), epoch["test"]);
  EXPECT_EQ(value("metrics").at("epoch"), 3);

  const std::string card = ReadFile(file + ".md", kMaxBytes).value_or("");
  EXPECT_TRUE(card.starts_with("---\nlicense: apache-2.0\ntags:\n- paravane\n---\n\n# small\n"));
  EXPECT_THAT(card, HasSubstr("| License | Apache-2.0 |\n"));
  EXPECT_THAT(card, HasSubstr(run.last["state_sha256"].get<std::string>()));
  EXPECT_THAT(card, HasSubstr("| 2 | cedar | 32 |\n"));
  EXPECT_THAT(card, HasSubstr("| loss | "));
  EXPECT_THAT(card, HasSubstr("safe_open(\"small.safetensors\""));
}

TEST_F(ModelCard, NpzAndStandardOutputHaveNoCard) {
  ASSERT_EQ(Run({"run", WriteSmallJob(folder_.path())}).code, kSuccess);
  const std::string file = folder_ / "small.npz";
  const Ended npz = Run({"export", "small-1", "-o", file, "--json"});
  ASSERT_EQ(npz.code, kSuccess) << npz.err;
  EXPECT_FALSE(npz.last.contains("card"));
  EXPECT_FALSE(std::filesystem::exists(file + ".md"));
  const Ended streamed = Shell("cd " + folder_.path() + " && $DL export small-1 -o - --data-dir " +
                               folder_ / "data" + " >s.safetensors 2>said; ls | grep -c md$");
  EXPECT_EQ(streamed.out, "0\n");
  EXPECT_FALSE(MetadataIn(folder_ / "s.safetensors").contains("license"));
}

TEST_F(ModelCard, TextsOfTheJobAreShownAsTheyAre) {
  const std::string job = JobWithClasses({"a|b", "<script>", "[x](y)"});
  ASSERT_EQ(Run({"run", job}).code, kSuccess);
  const std::string file = folder_ / "x.safetensors";
  ASSERT_EQ(Run({"export", "small-1", "-o", file, "--license", "see \"LICENSE\": #1"}).code,
            kSuccess);
  const std::string card = ReadFile(file + ".md", kMaxBytes).value_or("");
  EXPECT_TRUE(card.starts_with("---\nlicense: other\nlicense_name: \"see \\\"LICENSE\\\": #1\"\n"))
      << card;
  EXPECT_THAT(card, HasSubstr(R"(| a\|b |)"));
  EXPECT_THAT(card, HasSubstr(R"(| \<script\> |)"));
  EXPECT_THAT(card, HasSubstr(R"(| \[x\](y) |)"));
  EXPECT_THAT(card, Not(HasSubstr(" <script>")));
}

TEST_F(ModelCard, OnlyFilesOfExportAreReplaced) {
  ASSERT_EQ(Run({"run", WriteSmallJob(folder_.path())}).code, kSuccess);
  for (const auto& [file, described] :
       {std::pair{"x.safetensors", "x.safetensors.md"}, std::pair{"x.onnx", "x.onnx.json"}}) {
    const auto to_export = [&] { return Run({"export", "small-1", "-o", folder_ / file}); };
    folder_.Write(described, "notes");
    const Ended refused = to_export();
    EXPECT_EQ(refused.code, kInputOutput) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(described));
    EXPECT_EQ(ReadFile(folder_ / described, kMaxBytes).value_or(""), "notes");
    EXPECT_FALSE(std::filesystem::exists(folder_ / file)) << "nothing is written";
    std::filesystem::remove(folder_ / described);
    ASSERT_EQ(to_export().code, kSuccess);
    EXPECT_EQ(to_export().code, kSuccess) << "its own files are replaced";
  }
  const std::string card = ReadFile(folder_ / "x.safetensors.md", kMaxBytes).value_or("");
  folder_.Write("x.safetensors.md", card + "\nMore about the data.\n");
  EXPECT_EQ(Run({"export", "small-1", "-o", folder_ / "x.safetensors"}).code, kInputOutput)
      << "a card that was changed";
}

TEST_F(ModelCard, LicenseOfSeveralLinesIsAUsageError) {
  const Ended refused = Run({"export", "small-1", "--license", "a\nb"});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("--license"));
}

}  // namespace
}  // namespace dl::cli
