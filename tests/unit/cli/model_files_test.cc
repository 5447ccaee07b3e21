// Tests which files evaluate and predict take without a document that describes them: for a model
// that was trained on arrays, and for one that was trained on a text.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::cli {
namespace {

using test::Idx;
using test::Npy;
using test::Raw;
using testing::HasSubstr;

class ModelFiles : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder_ / "data"});
    return DlSubmit(std::move(words));
  }
  // Writes a file beside the jobs, and returns its path.
  std::string Write(const std::string& name, const std::string& bytes) {
    return folder_.Write(name, bytes);
  }
  // Trains `job`, which is the rest of a spec after its name.
  void Train(const std::string& name, const std::string& job) {
    const Ended run =
        Run({"run", Write(name + ".json", absl::StrCat(R"({"name":")", name, R"(",)", job, "}"))});
    ASSERT_EQ(run.code, kSuccess) << run.err;
  }
  // The features 0 to 59, and the classes 0 to 2 by turns.
  std::string Features() {
    std::vector<float> values(60);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    return Write("x.npy", Npy("<f4", "(60, 1)", Raw(values)));
  }
  std::string Labels() {
    std::vector<int32_t> classes(60);
    for (size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int32_t>(i % 3);
    return Write("y.npy", Npy("<i4", "(60,)", Raw(classes)));
  }
  void TrainOnArrays() {
    Train("arrays",
          absl::StrCat(R"("model":{"input":{"type":"feed_forward","features":1},"layers":[)",
                       R"({"type":"output","units":3,"loss":"softmax_cross_entropy"}]},)",
                       R"("training":{"workers":1,"batch_size":8},"data":{"train":{)",
                       R"("format":"npy","features":")", Features(), R"(","labels":")", Labels(),
                       R"("}})"));
  }
  // Trains on windows of four characters. `keys` are further keys of the text.
  void TrainOnText(const std::string& keys, int64_t units) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcd ";
    Train("text", absl::StrCat(R"("model":{"input":{"type":"sequence","steps":4,"features":1},)",
                               R"("layers":[{"type":"embedding","indices":)", units,
                               R"(,"units":4},)", R"({"type":"output","units":)", units,
                               R"(,"loss":"softmax_cross_entropy"}]},)",
                               R"("training":{"workers":1,"batch_size":8},)",
                               R"("data":{"train":{"format":"text","steps":4,)", keys,
                               R"("path":")", Write("t.txt", text), R"("}})"));
  }

  const test::TempFolder folder_;
};

TEST_F(ModelFiles, ArrayWithoutTheFileOfItsLabelsIsPredicted) {
  TrainOnArrays();
  const std::string document =
      Write("all.json", R"({"format":"npy","features":"x.npy","labels":"y.npy"})");
  const Ended labelled = Run({"predict", "arrays-1", "--data", document});
  ASSERT_EQ(labelled.code, kSuccess) << labelled.err;
  const std::vector<std::string> expected = absl::StrSplit(labelled.out, '\n');
  for (const bool is_stated : {false, true}) {
    std::vector<std::string> words = {"predict", "arrays-1", "--data", folder_ / "x.npy"};
    if (is_stated) words.push_back("--no-labels");
    const Ended ended = Run(words);
    ASSERT_EQ(ended.code, kSuccess) << ended.err;
    const std::vector<std::string> lines = absl::StrSplit(ended.out, '\n');
    ASSERT_EQ(lines.size(), expected.size());
    EXPECT_EQ(lines[0], "example,class,probability");
    // 7,LABEL,CLASS,PROBABILITY
    const std::vector<std::string> fields = absl::StrSplit(expected[8], ',');
    EXPECT_EQ(lines[8], absl::StrCat("7,", fields[2], ",", fields[3]));
  }
  const Ended evaluated = Run({"evaluate", "arrays-1", "--data", folder_ / "x.npy"});
  EXPECT_EQ(evaluated.code, kBadData);
  EXPECT_THAT(evaluated.err, HasSubstr("x.npy has no labels: they are in another file"));
}

TEST_F(ModelFiles, IdxWithoutTheFileOfItsLabelsIsPredicted) {
  TrainOnArrays();
  std::vector<float> values(60);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Features();
  const Ended array = Run({"predict", "arrays-1", "--data", folder_ / "x.npy"});
  const Ended idx = Run({"predict", "arrays-1", "--data",
                         Write("new-idx2-float", Idx(0x0d, {60, 1}, Raw(values, true)))});
  ASSERT_EQ(idx.code, kSuccess) << idx.err;
  EXPECT_EQ(idx.out, array.out);
  const Ended evaluated = Run({"evaluate", "arrays-1", "--data", folder_ / "new-idx2-float"});
  EXPECT_EQ(evaluated.code, kBadData);
  EXPECT_THAT(evaluated.err, HasSubstr("has no labels: they are in another file"));
}

TEST_F(ModelFiles, TextIsReadLikeTheTextOfTheTrainingSet) {
  TrainOnText("", 5);
  const std::string document = Write("new.json", R"({"format":"text","steps":4,"path":"new.txt"})");
  Write("new.txt", "ab cd ab cd ab\n");
  for (const char* command : {"evaluate", "predict"}) {
    const Ended unknown = Run({command, "text-1", "--data", folder_ / "new.txt"});
    EXPECT_EQ(unknown.code, kBadData) << unknown.out;
    EXPECT_THAT(unknown.err, HasSubstr("the text of the training split does not contain \"\\n\""))
        << command;
  }
  for (const char* name : {"new.txt", "chapter"}) {
    Write(name, "ab cd ab cd ab");
    for (const char* command : {"evaluate", "predict"}) {
      const Ended bare = Run({command, "text-1", "--data", folder_ / name});
      ASSERT_EQ(bare.code, kSuccess) << bare.err;
      EXPECT_THAT(bare.err, HasSubstr("read as text with steps 4, unit character"));
      EXPECT_EQ(bare.out, Run({command, "text-1", "--data", document}).out);
    }
  }
}

TEST_F(ModelFiles, SentencesAboutTheDataAreShownByEveryCommand) {
  TrainOnText(R"("unknown_character":"token",)", 6);
  Write("new.txt", "abXd abcd abcd");
  const std::string sentence = "new.txt: 1 of 14 tokens are not in the vocabulary";
  for (const char* command : {"evaluate", "predict"}) {
    const std::vector<std::string> words = {command, "text-1", "--data", folder_ / "new.txt"};
    EXPECT_THAT(Run(words).err, HasSubstr(sentence)) << command;
    std::vector<std::string> as_json = words;
    as_json.insert(as_json.end(), {"--json"});
    if (as_json[0] == "predict") as_json.insert(as_json.end(), {"-o", folder_ / "out.csv"});
    const Ended json = Run(as_json);
    ASSERT_EQ(json.code, kSuccess) << json.err;
    ASSERT_TRUE(json.last.contains("warnings")) << json.out;
    EXPECT_THAT(json.last["warnings"][0], HasSubstr("1 of 14 tokens")) << command;
  }
  const std::string job = Write("import.json", R"({"data":{
      "train":{"format":"text","steps":4,"unknown_character":"token","path":"t.txt"},
      "test":{"format":"text","steps":4,"unknown_character":"token","path":"new.txt"}}})");
  const Ended imported = Run({"import", job, "--json"});
  ASSERT_EQ(imported.code, kSuccess) << imported.err;
  EXPECT_THAT(imported.last["warnings"][0], HasSubstr(sentence)) << imported.out;
}

}  // namespace
}  // namespace dl::cli
