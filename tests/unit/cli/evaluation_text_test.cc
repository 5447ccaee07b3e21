// The output of evaluate fits into 80 columns, whatever the figures.
#include "cli/output/evaluation_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kFashion = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                           "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                           "Bag",         "Ankle boot"};

// Returns a report in which each class has `count` examples, and is confused with each class
// `count` times.
Json Report(const std::vector<std::string>& names, int64_t count) {
  Json report = {{"checkpoint", "lenet5-fashion-1@150"},
                 {"examples", 10'000},
                 {"loss", 0.3012345},
                 {"accuracy", 0.8912},
                 {"kernel_contract", "native/1;onednn=2.6.3;isa=avx512;l1d=32768"},
                 {"classes", Json::array()},
                 {"confusion", Json::array()}};
  for (size_t c = 0; c < names.size(); ++c) {
    report["classes"].push_back({{"class", names[c]},
                                 {"class_number", c},
                                 {"examples", count},
                                 {"precision", 0.8812},
                                 {"recall", 0.8712},
                                 {"f1", 0.8761},
                                 {"roc_auc", 0.9912}});
    report["confusion"].push_back(std::vector<int64_t>(names.size(), count));
  }
  return report;
}

std::vector<std::string> Numbered(int count) {
  std::vector<std::string> names;
  for (int c = 0; c < count; ++c) names.push_back(absl::StrCat(c));
  return names;
}

void ExpectFits(const std::string& text) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n')))
    EXPECT_LE(line.size(), 80) << line;
}

TEST(EvaluationText, ShowsClassNames) {
  const std::string text = EvaluationText(Report(kFashion, 1000));
  ExpectFits(text);
  EXPECT_THAT(text, HasSubstr("\nCLASS            0    1    2    3    4    5    6    7    8    9\n"
                              "0 T-shirt/top 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000\n"));
}

TEST(EvaluationText, ControlCharactersOfNamesAreEscaped) {
  const std::string text = EvaluationText(Report({"\x1b[31mred", "a\rb\nc"}, 10));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("a\\rb\\nc"));
}

TEST(EvaluationText, FiveDigitCountsFit) {
  const std::string text = EvaluationText(Report(kFashion, 60'000));
  ExpectFits(text);
  EXPECT_THAT(text, HasSubstr("\n9 Ankle boot  60000 60000"));
}

TEST(EvaluationText, MissingAreasAreExplained) {
  Json report = Report(kFashion, 1000);
  EXPECT_THAT(EvaluationText(report), Not(HasSubstr("no areas")));
  report["ranks_nothing_above"] = 33'554'432;
  const std::string text = EvaluationText(report);
  ExpectFits(text);
  EXPECT_THAT(text, HasSubstr("no areas (ROC, PR): they would rank more than 33554432 probabil"));
}

// The table of classes above the matrix contains the names.
TEST(EvaluationText, LongNamesAreLeftOutOfMatrix) {
  const std::string text = EvaluationText(Report(Numbered(20), 99));
  ExpectFits(text);
  EXPECT_THAT(text, HasSubstr("confusion matrix"));
  std::vector<std::string> names(12, "a class of a long name");
  const std::string named = EvaluationText(Report(names, 9999));
  ExpectFits(named);
  EXPECT_THAT(named, HasSubstr("\n11    9999 9999"));
}

TEST(EvaluationText, WideMatrixBecomesListOfConfusions) {
  for (const auto& [classes, count] :
       {std::pair{20, 9999}, std::pair{39, 10}, std::pair{1000, 1}}) {
    const std::string text = EvaluationText(Report(Numbered(classes), count));
    ExpectFits(text);
    EXPECT_THAT(text, HasSubstr("\nmost frequent confusions")) << classes;
    EXPECT_THAT(text, Not(HasSubstr("confusion matrix:"))) << classes;
  }
}

TEST(EvaluationText, OutputsAreShownInOrder) {
  const Json report = {
      {"checkpoint", "tasks-1@7"},
      {"examples", 90},
      {"loss", 1.75},
      {"accuracy", 0.5},
      {"kernel_contract", "native/1"},
      {"by_output",
       {{{"layer", "place"},
         {"loss_weight", 0.5},
         {"examples", 100},
         {"loss", 2.5},
         {"outputs", {{{"output", 0}, {"mse", 2.5}, {"mae", 1.25}, {"r2", 0.75}}}}},
        {{"layer", "hue"}, {"loss_weight", 1}, {"examples", 0}},
        {{"layer", "kind"},
         {"loss_weight", 1},
         {"examples", 90},
         {"loss", 0.5},
         {"accuracy", 0.5}}}}};
  const std::string text = EvaluationText(report);
  ExpectFits(text);
  EXPECT_EQ(text,
            "checkpoint  tasks-1@7\nexamples    90\nloss        1.750000\n"
            "contract    native/1\naccuracy    50.00 %\n"
            "\noutput place, whose loss counts 0.5\n"
            "examples    100\nloss        2.500000\n"
            "\nOUTPUT  MSE  MAE   R2\n0       2.5  1.25  0.7500\n"
            "\noutput hue, whose loss counts 1\nno example has a label of it\n"
            "\noutput kind, whose loss counts 1\n"
            "examples    90\nloss        0.500000\naccuracy    50.00 %\n");
}

// A report lists only classes that occur, so a class's number differs from its position.
TEST(EvaluationText, ClassesThatOccurKeepTheirNumbers) {
  Json report = Report({"a", "space"}, 3);
  report["classes"][0]["class_number"] = 97;
  report["classes"][1]["class_number"] = 32;
  report["top_3_accuracy"] = 0.5;
  const std::string text = EvaluationText(report);
  EXPECT_THAT(text, HasSubstr("\nCLASS    97 32\n97 a      3  3\n32 space  3  3\n"));
  EXPECT_THAT(text, HasSubstr("\ntop 3       50.00 %\n"));
}

TEST(EvaluationText, BlankNamesOfClassesAreVisible) {
  const std::string text = EvaluationText(Report({" ", "\n", "a", ""}, 3));
  EXPECT_THAT(text, HasSubstr("\n0      \" \"   3 "));
  EXPECT_THAT(text, HasSubstr("\n1      \"\\n\"  3 "));
  EXPECT_THAT(text, HasSubstr("\n0 \" \"  3 3 3 3\n1 \"\\n\" 3 3 3 3\n2 a    3 3 3 3\n3 \"\""));
}

TEST(EvaluationText, SmallLossKeepsItsDigits) {
  Json report = Report(kFashion, 1);
  report["loss"] = 1.1e-8;
  EXPECT_THAT(EvaluationText(report), HasSubstr("\nloss        1.100e-08\n"));
  report["weight_penalty"] = 0.25;
  EXPECT_THAT(EvaluationText(report),
              HasSubstr("1.100e-08, and L1 and L2 of the weights 0.250000"));
}

}  // namespace
}  // namespace dl::cli
