// Tests the programs predict and generate: their output, and what they refuse.
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PredictProgram : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words));
  }
  std::vector<std::string> Lines(const std::string& text) {
    return absl::StrSplit(text, '\n', absl::SkipEmpty());
  }
  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string data_ = folder_ / "data", rows_ = folder_ / "rows.csv";
};

TEST_F(PredictProgram, WritesLinePerExampleInFileOrder) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const Ended all = Run({"predict", "small-1@best", "--data", rows_});
  ASSERT_EQ(all.code, kSuccess) << all.err;
  const std::vector<std::string> lines = Lines(all.out);
  ASSERT_EQ(lines.size(), 97u);
  EXPECT_EQ(lines[0], "example,label,class,probability");
  for (int i = 0; i < 96; ++i)
    EXPECT_THAT(lines[i + 1], StartsWith(absl::StrCat(i, ",", i % 3, ","))) << i;
  EXPECT_THAT(all.err, HasSubstr("predicted 96 examples by small-1@"));
  // The accuracy equals that of evaluate.
  const Ended evaluated = Run({"evaluate", "small-1@best", "--data", rows_, "--json"});
  const Ended json = Run({"predict", "small-1@best", "--data", rows_, "--top-k", "2", "--json",
                          "-o", folder_ / "answers.jsonl"});
  ASSERT_EQ(json.code, kSuccess) << json.err;
  EXPECT_EQ(json.last["accuracy"], evaluated.last["accuracy"]);
  EXPECT_EQ(json.last["format"], "jsonl");
  EXPECT_EQ(json.last["examples"], 96);
  const std::string answers = ReadFile(folder_ / "answers.jsonl", 1 << 20).value_or("");
  ASSERT_EQ(Lines(answers).size(), 96u);
  const Json first = Json::parse(Lines(answers)[0]);
  EXPECT_EQ(first["label"], "0");
  EXPECT_EQ(first["class"], first["top"][0]["class"]);
  EXPECT_EQ(first["top"].size(), 2u);
  const Ended no_layer = Run({"predict", "small-1", "--data", rows_, "--layer", "no"});
  EXPECT_EQ(no_layer.code, kUsage) << no_layer.err;
}

TEST_F(PredictProgram, EndingOfTheFileIsThatOfTheFormat) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const auto predict = [&](const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"predict", "small-1", "--data", rows_, "-o", file};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  };
  const Ended parquet = predict(folder_ / "p.parquet");
  EXPECT_EQ(parquet.code, kUsage);
  EXPECT_THAT(parquet.err, HasSubstr("predictions are not written as .parquet"));
  EXPECT_FALSE(ReadFile(folder_ / "p.parquet", 1).ok());
  EXPECT_EQ(predict(folder_ / "p.json", {"--format", "jsonl"}).code, kSuccess);
  EXPECT_EQ(predict(folder_ / "p").code, kSuccess);
  const std::string before = ReadFile(rows_, 1 << 20).value_or("");
  const Ended same = predict(rows_);
  EXPECT_EQ(same.code, kUsage);
  EXPECT_THAT(same.err, HasSubstr("is the file of the data"));
  EXPECT_EQ(Run({"import", rows_, "-o", rows_}).code, kUsage);
  EXPECT_EQ(ReadFile(rows_, 1 << 20).value_or("no"), before);
}

TEST_F(PredictProgram, LabelIsColumnUnknownToModel) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  std::ofstream first(folder_ / "first.csv");
  for (const std::string& line : Lines(ReadFile(rows_, 1 << 20).value_or(""))) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    first << fields[2] << ',' << fields[0] << ',' << fields[1] << '\n';
  }
  first.close();
  const Ended last = Run({"predict", "small-1", "--data", rows_});
  const Ended ended = Run({"predict", "small-1", "--data", folder_ / "first.csv"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.out, last.out);
  EXPECT_THAT(ended.err, HasSubstr("label: 3 classes: 0 32, 1 32, 2 32"));
  const Ended evaluated = Run({"evaluate", "small-1", "--data", folder_ / "first.csv", "--json"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_EQ(evaluated.last["accuracy"],
            Run({"evaluate", "small-1", "--data", rows_, "--json"}).last["accuracy"]);
}

TEST_F(PredictProgram, ReadsTableWithoutLabels) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  std::ofstream(folder_ / "new.csv") << "x,y\n3,4\n5,0\n";
  const Ended ended = Run({"predict", "small-1", "--data", folder_ / "new.csv", "--no-labels"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  ASSERT_EQ(Lines(ended.out).size(), 3u);
  EXPECT_EQ(Lines(ended.out)[0], "example,class,probability");
  EXPECT_EQ(ended.err.find("labels say"), std::string::npos) << ended.err;
  const Ended without = Run({"predict", "small-1", "--data", folder_ / "new.csv"});
  EXPECT_EQ(without.code, kSuccess) << without.err;
  EXPECT_EQ(without.out, ended.out) << "the header says that there is no label";
  std::ofstream(folder_ / "split.json") << R"({"data":{"train":{"format":"csv","path":")" << rows_
                                        << R"("},"split":{"test_fraction":0.25}}})";
  EXPECT_EQ(Run({"predict", "small-1", "--data", folder_ / "split.json", "--no-labels"}).code,
            kUsage);
  const Ended part = Run({"predict", "small-1", "--data", folder_ / "split.json", "--json"});
  EXPECT_THAT(part.err, HasSubstr(R"("examples":24)"));
  const Ended left_aside = Run({"predict", "small-1", "--data", rows_, "--no-labels"});
  EXPECT_EQ(left_aside.code, kSuccess) << left_aside.err;
  EXPECT_EQ(left_aside.err.find("labels say"), std::string::npos) << left_aside.err;
  std::ofstream(folder_ / "wide.csv") << "3,4,0\n5,0,1\n";
  const Ended wide = Run({"predict", "small-1", "--data", folder_ / "wide.csv", "--no-labels"});
  EXPECT_EQ(wide.code, kBadData) << wide.err;
  EXPECT_THAT(wide.err, HasSubstr("it has no header, and the columns of the training set have"));
}

TEST_F(PredictProgram, UnsuitableDataIsRefusedWithReason) {
  EXPECT_EQ(Run({"predict", "small-1", "--data", rows_}).code, kNotFound) << "no data folder";
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const Ended nothing = Run({"predict", "small-1"});
  EXPECT_EQ(nothing.code, kUsage);
  EXPECT_THAT(nothing.err, HasSubstr("--data DATA"));
  EXPECT_EQ(Run({"predict", "small-1", "--data", rows_, "--top-k", "0"}).code, kUsage);
  EXPECT_EQ(Run({"predict", "small-1", "--data", rows_, "--format", "xml"}).code, kUsage);
  EXPECT_EQ(Run({"predict", "small-1@lst", "--data", rows_}).code, kUsage);
  EXPECT_EQ(Run({"predict", "small-1@1000", "--data", rows_}).code, kNotFound);
  for (const char* gone : {"gone.csv", "gone.json"}) {
    for (const char* command : {"predict", "evaluate"})
      EXPECT_EQ(Run({command, "small-1", "--data", folder_ / gone}).code, kBadData) << gone;
    EXPECT_EQ(Run({"import", folder_ / gone}).code, kBadData) << gone;
  }
  const Ended out = Run({"predict", "small-1", "--data", rows_, "-o", folder_ / "no" + "/x.csv"});
  EXPECT_EQ(out.code, kInputOutput) << out.err;
  const Ended text = Run({"generate", "small-1", "--prompt", "abc"});
  EXPECT_EQ(text.code, kFailed);
  EXPECT_THAT(text.err, HasSubstr("the model cannot generate text"));
  EXPECT_THAT(text.err, HasSubstr("dl-submit predict"));
}

TEST_F(PredictProgram, RegressionPredictsNumbers) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 64; ++i) absl::StrAppend(&rows, i % 5, ",", 0.37 * (i % 5) + 0.1, "\n");
  std::ofstream(folder_ / "line.csv") << rows;
  std::ofstream(folder_ / "line.json")
      << R"({"name":"line","model":{"input":{"type":"feed_forward","features":1},)"
      << R"("layers":[{"type":"output","units":1,"loss":"mean_squared_error"}]},)"
      << R"("training":{"workers":1,"batch_size":8},"data":{"train":{"format":"csv","path":")"
      << folder_ / "line.csv"
      << R"(","label_type":"number"}}})";
  const Ended run = Run({"run", folder_ / "line.json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const Ended ended = Run({"predict", "line-1", "--data", folder_ / "line.csv"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(Lines(ended.out)[0], "example,target,output");
  EXPECT_THAT(Lines(ended.out)[2], StartsWith("1,0.47,"));
  EXPECT_EQ(Run({"predict", "line-1", "--data", folder_ / "line.csv", "--top-k", "2"}).code,
            kUsage);
}

// A model that learns without labels, from training to predictions.
TEST_F(PredictProgram, ModelWithoutLabelsPredicts) {
  std::string rows = "a,b,c\n";
  for (int i = 0; i < 64; ++i) absl::StrAppend(&rows, i % 5, ",", i % 3, ",", i % 5, "\n");
  std::ofstream(folder_ / "plain.csv") << rows;
  std::ofstream(folder_ / "code.json")
      << R"({"name":"code","model":{"input":{"type":"feed_forward","features":3},)"
      << R"("layers":[{"type":"dense","units":2},{"type":"output","units":3,)"
      << R"("loss":"mean_squared_error","compared_with":"input"}]},)"
      << R"("training":{"workers":2,"batch_size":8},"data":{"train":{"format":"csv","path":")"
      << folder_ / "plain.csv"
      << R"(","label_type":"none"},"split":{"test_fraction":0.25}}})";
  const Ended run = Run({"run", folder_ / "code.json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const Ended evaluated = Run({"evaluate", "code-1", "--data", folder_ / "plain.csv", "--json"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_EQ(evaluated.last["examples"], 64);
  const Ended answers = Run({"predict", "code-1", "--data", folder_ / "plain.csv"});
  ASSERT_EQ(answers.code, kSuccess) << answers.err;
  EXPECT_EQ(Lines(answers.out)[0], "example,output_1,output_2,output_3");
  EXPECT_EQ(Lines(answers.out).size(), 65u);
  const Ended imported = Run({"import", folder_ / "code.json"});
  ASSERT_EQ(imported.code, kSuccess) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("labels      none\n"));
}

TEST_F(PredictProgram, GenerateContinuesText) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "abcd ";
  std::ofstream(folder_ / "t.txt") << text;
  std::ofstream(folder_ / "text.json")
      << R"({"name":"text","model":{"input":{"type":"sequence","steps":4,"features":1},)"
      << R"("updater":{"type":"adam","learning_rate":0.05},)"
      << R"("layers":[{"type":"embedding","indices":5,"units":8},{"type":"lstm","units":8},)"
      << R"({"type":"output","units":5,"loss":"softmax_cross_entropy"}]},)"
      << R"("training":{"workers":1,"batch_size":8,"epochs":20},)"
      << R"("data":{"train":{"format":"text","steps":4,"path":")" << folder_ / "t.txt"
      << R"("}}})";
  const Ended run = Run({"run", folder_ / "text.json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const Ended greedy =
      Run({"generate", "text-1", "--prompt", "ab", "--length", "13", "--temperature", "0"});
  ASSERT_EQ(greedy.code, kSuccess) << greedy.err;
  EXPECT_EQ(greedy.out, "abcd abcd abcd \n");
  const std::vector<std::string> words = {"generate", "text-1", "--prompt", "ab",    "--length",
                                          "40",       "--seed", "7",        "--json"};
  const Ended json = Run(words);
  EXPECT_EQ(json.last["prompt"], "ab");
  EXPECT_EQ(json.last["prompt_tokens"], 2);
  EXPECT_EQ(json.last["text"].get<std::string>().size(), 40u);
  EXPECT_EQ(Run(words).out, json.out);
  const Ended unknown = Run({"generate", "text-1", "--prompt", "abx"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_EQ(unknown.out, "");
  EXPECT_THAT(unknown.err, HasSubstr("does not contain \"x\""));
  EXPECT_EQ(Run({"generate", "text-1"}).code, kUsage);
  for (const char* temperature : {"-1", "hot", "nan", "1e9"}) {
    EXPECT_EQ(
        Run({"generate", "text-1", "--prompt", "a", absl::StrCat("--temperature=", temperature)})
            .code,
        kUsage)
        << temperature;
  }
}

}  // namespace
}  // namespace dl::cli
