// Tables on command lines: messages about guesses, flags that change a guess, and tables for a
// trained model.
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/files.h"
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

class TableProgram : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  // Writes rows with a zone from 1 to 4, a number, and a label that follows from the zone.
  std::string Zones(const std::string& name, int rows, const char* suffix) {
    std::string text = "zone,a,y\n";
    for (int i = 0; i < rows; ++i)
      absl::StrAppend(&text, 1 + i % 4, suffix, ",", i % 7, ",", i % 4 == 1 ? "yes" : "no", "\n");
    return Write(name, text);
  }
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder_ / "D"});
    return DlSubmit(std::move(words));
  }
  test::TempFolder folder_;
};

TEST_F(TableProgram, ImportPrintsATableOfTheColumns) {
  const std::string path = Write("t.csv", "id,color,a,y\n1,red,1.5,A\n2,blue,,B\n3,red,2.5,A\n");
  const Ended ended = Run({"import", path});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("3 rows, fields separated by \",\", with a header"));
  EXPECT_THAT(ended.err, HasSubstr("COLUMN  TYPE"));
  EXPECT_THAT(ended.err, HasSubstr("label: 2 classes: A 2, B 1"));
  EXPECT_THAT(ended.err, HasSubstr("--keep id"));
  const Ended json = Run({"import", path, "--json"});
  ASSERT_TRUE(json.last.contains("table")) << json.out;
  const Json& table = json.last["table"];
  EXPECT_EQ(table["rows"], 3);
  EXPECT_EQ(table["columns"][0]["use"], "left out");
  EXPECT_EQ(table["columns"][2]["missing"], 1);
  EXPECT_EQ(table["classes"], (Json{{"A", 2}, {"B", 1}}));
}

// The sets are those of `run` with the same flag.
TEST_F(TableProgram, ImportTakesATestSetOutOfATable) {
  std::string rows = "a,y\n";
  for (int i = 0; i < 40; ++i) absl::StrAppend(&rows, i, ".5,", i % 4 == 0 ? "A" : "B", "\n");
  const std::string path = Write("t.csv", rows);
  const Ended ended = Run({"import", path, "--json", "--test-fraction", "0.5", "-o",
                           folder_ / "train", "--test-output", folder_ / "test"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.last["set"], "test");
  EXPECT_EQ(ended.last["class_histogram"], (Json{5, 15}));
  ASSERT_EQ(Run({"run", "mlp", "--train", path, "--test-fraction", "0.5", "--epochs", "1", "--set",
                 "data.normalizer=none"})
                .code,
            kSuccess);
  const Json spec = Json::parse(Run({"inspect", "mlp-1", "--spec"}).out);
  for (const char* set : {"train", "test"}) {
    const auto manifest = ReadFile(folder_ / set, 1 << 20);
    DL_ASSERT_OK(manifest);
    EXPECT_EQ(spec["data"][set]["sha256"], Sha256Hex(*manifest)) << set;
  }
}

TEST_F(TableProgram, WrongTestSetsOfImportAreUsageErrors) {
  const std::string path = Write("t.csv", "a,y\n1,A\n2,B\n3,A\n");
  EXPECT_EQ(Run({"import", path, "--test-fraction", "1.5"}).code, kUsage);
  EXPECT_EQ(Run({"import", path, "--test-output", folder_ / "test"}).code, kUsage);
  EXPECT_EQ(Run({"import", path, "--test-fraction", "0.5", "--test-output", "-"}).code, kUsage);
  EXPECT_EQ(Run({"import", path, "--test-fraction", "0.5", "--test-output", path}).code, kUsage);
}

TEST_F(TableProgram, ImportShowsWeightsOfExamples) {
  Write("w.csv", "a,w,y\n1,1,A\n2,4,B\n3,4,A\n");
  const std::string document = folder_.Write(
      "w.json", R"({"format":"csv","path":"w.csv","label_column":"y","weight_column":"w"})");
  const Ended ended = Run({"import", document});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("  weights     of column w, divided by their mean 3\n"));
}

TEST_F(TableProgram, LibsvmRowsUseIndexBaseOfModel) {
  std::string rows;
  for (int i = 0; i < 40; ++i) absl::StrAppend(&rows, i % 2, " 0:", i % 7, " 1:", i % 2, "\n");
  ASSERT_EQ(Run({"run", "mlp", "--train", Write("z.libsvm", rows), "--epochs", "3"}).code,
            kSuccess);
  const Ended ended = Run({"evaluate", "mlp-1", "--data", Write("n.libsvm", "1 1:1\n0 1:0\n")});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("index_base 0"));
}

TEST_F(TableProgram, NamesWithCommasAreQuoted) {
  const std::string path = Write("c.csv", "\"a,b\",c,d,y\n1,2,5,A\n2,1,4,B\n1,3,3,A\n");
  const auto excluded = [&](const std::string& drop) {
    const Ended dry = DlSubmit({"run", "mlp", "--train", path, "--dry-run", "--drop", drop});
    EXPECT_EQ(dry.code, kSuccess) << dry.err;
    return Json::parse(dry.out)["data"]["train"]["exclude_columns"];
  };
  EXPECT_EQ(excluded("\"a,b\",c"), (Json::array({"a,b", "c"})));
  EXPECT_EQ(excluded("c,d"), (Json::array({"c", "d"})));
  const Ended open = Run({"import", path, "--drop", "\"a,b"});
  EXPECT_EQ(open.code, kUsage);
  EXPECT_THAT(open.err, HasSubstr("is not closed"));
}

TEST_F(TableProgram, FlagSetsOrderOfDates) {
  std::string text = "t,a,y\n";
  for (int i = 1; i <= 24; ++i)
    absl::StrAppend(&text, "0", 1 + i % 3, "/0", 1 + i % 5, "/2020,", i % 5, ",", i % 2, "\n");
  const std::string path = Write("d.csv", text);
  const Ended unsure = Run({"import", path, "--dates", "t"});
  EXPECT_EQ(unsure.code, kBadData);
  EXPECT_THAT(unsure.err, HasSubstr("--date-order day-first or --date-order month-first"));
  const Ended stated = Run({"import", path, "--dates", "t", "--date-order", "month-first"});
  EXPECT_EQ(stated.code, kSuccess) << stated.err;
  const Ended alone = Run({"import", path, "--date-order", "month-first"});
  EXPECT_EQ(alone.code, kBadData);
  EXPECT_THAT(alone.err, HasSubstr("no column becomes dates"));
}

TEST_F(TableProgram, TestSetIsComparedWithTrainingSet) {
  std::string train = "zone,a,y\n", test = train;
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&train, i % 2 == 0 ? "N" : "S", ",", i % 7, ",", i % 3 == 0 ? "p" : "q", "\n");
    absl::StrAppend(&test, i % 4 == 0 ? "n" : "S", ",", i == 5 ? "" : "2", ",p\n");
  }
  const Ended dry = DlSubmit({"run", "mlp", "--train", Write("a.csv", train), "--test",
                              Write("b.csv", test), "--dry-run"});
  EXPECT_EQ(dry.code, kSuccess) << dry.err;
  EXPECT_THAT(dry.err, HasSubstr("UNKNOWN"));
  EXPECT_THAT(dry.err, HasSubstr("zone    categories  2         0        10"));
  EXPECT_THAT(dry.err, HasSubstr("numbers are missing in the test set alone"));
  EXPECT_EQ(Json::parse(dry.out)["data"]["train"]["missing_number"], "mean");
}

TEST_F(TableProgram, NonFileIsNamedForWhatItIs) {
  const Ended url = Run({"import", "https://host/iris.csv"});
  EXPECT_EQ(url.code, kBadData);
  EXPECT_THAT(url.err, HasSubstr("the name is a URL, but data is read only from files"));
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "l.csv");
  const Ended link = Run({"import", folder_ / "l.csv"});
  EXPECT_EQ(link.code, kBadData);
  EXPECT_THAT(link.err, HasSubstr("it is a link to a file that does not exist"));
  const Ended nameless = Run({"import", Write("t", "a,y\n1,A\n")});
  EXPECT_EQ(nameless.code, kSuccess) << nameless.err;
  EXPECT_EQ(Run({"import", Write("t.psv", "a|y\n1|A\n2|B\n")}).code, kSuccess);
}

TEST_F(TableProgram, FlagsRequireBareTable) {
  const std::string path = Zones("z.csv", 40, "");
  const Ended dry = DlSubmit({"run", "mlp", "--train", path, "--dry-run", "--categories", "zone",
                              "--drop", "a", "--label", "y"});
  EXPECT_EQ(dry.code, kSuccess) << dry.err;
  const Json train = Json::parse(dry.out)["data"]["train"];
  EXPECT_EQ(train["categorical_columns"], Json::array({"zone"}));
  EXPECT_EQ(train["exclude_columns"], Json::array({"a"}));
  const std::string json = Write("z.json", R"({"format":"csv","path":"z.csv"})");
  const auto usage = [&](std::vector<std::string> words, const std::string& message) {
    const Ended ended = Run(std::move(words));
    EXPECT_EQ(ended.code, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  usage({"import", json, "--label", "a"}, "--label applies only to a data file");
  usage({"import", Write("r.libsvm", "1 1:1\n0 1:2\n"), "--header", "yes"},
        "--header applies to a bare table");
  usage({"run", WriteSmallJob(folder_.path()), "--missing", "x"}, "applies only to a zoo network");
  usage({"run", "mlp", "--missing", "x"}, "--missing needs --train");
  usage({"import", path, "--decimal", "colon"}, "none of point, comma");
  usage({"import", path, "--separator", "ab"}, "cannot separate fields");
  usage({"import", path, "--regression", "--classes"}, "exclude each other");
  usage({"evaluate", "mlp-1", "--data", path, "--regression"}, "no flag --regression");
  usage({"export", "mlp-1", "--label", "y"}, "no flag --label");
}

TEST_F(TableProgram, FractionalLibsvmLabelsAreNumbers) {
  std::string rows;
  for (int i = 0; i < 40; ++i) absl::StrAppend(&rows, i * 0.37, " 1:", i, " 2:1\n");
  const std::string path = Write("n.libsvm", rows);
  const Ended guessed = Run({"import", path, "--json"});
  EXPECT_EQ(guessed.last["schema"]["label_kind"], "target") << guessed.err;
  const Ended classes = Run({"import", path, "--json", "--classes"});
  EXPECT_EQ(classes.last["schema"]["label_kind"], "class") << classes.err;
}

TEST_F(TableProgram, ControlCharactersAreEscaped) {
  const std::string path = Write("e.csv", "a,y\n1,\x1b[31mred\n2,blue\n3,\x1b[31mred\n4,blue\n");
  const Ended ended = Run({"import", path});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ended.out, HasSubstr("\\u001b[31mred"));
}

TEST_F(TableProgram, UnreadableFormatsGiveSameError) {
  for (const char* name : {"x.jsonl", "x.feather", "x.pkl", "x.tfrecord", "x.mat", "x.xls",
                           "x.parquet", "x.h5", "x.xlsx", "x.sas7bdat", "x.dbf", "x.orc"}) {
    const Ended ended = Run({"import", Write(name, "0123456789")});
    EXPECT_EQ(ended.code, kBadData) << name << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("has no known format")) << name;
    EXPECT_THAT(ended.err, HasSubstr("by its name the file is")) << name;
  }
  // The content says more than the name.
  const Ended arff = Run({"import", Write("x.arff", "@relation r\n@attribute a real\n@data\n1\n")});
  EXPECT_EQ(arff.code, kBadData);
  EXPECT_THAT(arff.err, HasSubstr("the file is an ARFF file"));
  const Ended renamed = Run({"import", Write("t.xlsx", "a,y\n1,A\n2,B\n3,A\n")});
  EXPECT_EQ(renamed.code, kBadData);
  EXPECT_THAT(renamed.err, HasSubstr("is a table of text, but its name has another ending"));
  const std::string entry = "t.csv";
  const Ended zip =
      Run({"import", Write("t.zip", std::string("PK\3\4\x14", 5) + std::string(21, '\0') + "\5" +
                                        std::string(3, '\0') + entry)});
  EXPECT_EQ(zip.code, kBadData) << zip.err;
  EXPECT_THAT(zip.err, HasSubstr("the file is a zip archive with t.csv"));
  const Ended parquet = Run({"import", Write("y.parquet", "PAR1\x15\x04")});
  EXPECT_EQ(parquet.code, kBadData) << parquet.err;
  EXPECT_THAT(parquet.err, HasSubstr("the file is a Parquet file"));
}

// Tables for a trained model may have their columns in another order, lack the label, or have more
// columns.
TEST_F(TableProgram, ModelFindsColumnsByName) {
  const std::string train = Zones("train.csv", 200, "");
  const Ended run =
      Run({"run", "mlp", "--train", train, "--categories", "zone", "--epochs", "20", "--json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const auto evaluate = [&](const std::string& path) {
    return Run({"evaluate", "mlp-1", "--data", path, "--json"});
  };
  const double accuracy = evaluate(train).last["accuracy"];
  EXPECT_GT(accuracy, 0.99);

  // The zones are spelled differently, and the columns have another order.
  std::string text = "n,y,a,zone\n";
  for (int i = 0; i < 200; ++i)
    absl::StrAppend(&text, i, ",", i % 4 == 1 ? "yes" : "no", ",", i % 7, ",", 1 + i % 4, ".0\n");
  const std::string other = Write("other.csv", text);
  const Ended evaluated = evaluate(other);
  EXPECT_EQ(evaluated.last["accuracy"], accuracy) << evaluated.err;
  EXPECT_FALSE(evaluated.last.contains("unknown_values")) << evaluated.last;
  EXPECT_THAT(Run({"evaluate", "mlp-1", "--data", other}).err,
              HasSubstr("left out, as the training set does not have it: \"n\""));

  const std::string unlabelled = Write("u.csv", "a,zone\n1,1\n2,2.0\n3,02\n4,9\n");
  const Ended predicted = Run({"predict", "mlp-1", "--data", unlabelled});
  EXPECT_EQ(predicted.code, kSuccess) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("example,class,probability\n0,no,"));
  EXPECT_THAT(predicted.out, HasSubstr("\n1,yes,"));
  EXPECT_THAT(predicted.out, HasSubstr("\n2,yes,"));
  EXPECT_THAT(predicted.err, HasSubstr("warning: zone: 1 of 4 values are unknown to the training "
                                       "set, as \"9\""));
  // The label column is recognized by its name and not used as a feature.
  const Ended with_label = Run({"predict", "mlp-1", "--data", other, "--no-labels"});
  EXPECT_EQ(with_label.code, kSuccess) << with_label.err;
  const Ended no_label = Run({"evaluate", "mlp-1", "--data", unlabelled});
  EXPECT_EQ(no_label.code, kBadData);
  EXPECT_THAT(no_label.err, HasSubstr("the label column is missing, \"y\""));
  const Ended lacks = Run({"predict", "mlp-1", "--data", Write("l.csv", "a,zoen\n1,1\n2,2\n")});
  EXPECT_EQ(lacks.code, kBadData);
  EXPECT_THAT(lacks.err, HasSubstr("it lacks the column \"zone\" of the training set"));
}

TEST_F(TableProgram, ManyUnknownCategoriesGiveWarning) {
  const std::string train = Write("t.csv", "c,a,y\nred,1,A\nblue,2,B\nred,3,A\nblue,1,B\n");
  const std::string test = Write("u.csv", "c,a,y\nRed,1,A\nBlue,2,B\n");
  const Ended ended =
      Run({"run", "mlp", "--train", train, "--test", test, "--epochs", "1", "--json"});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("c: 2 of 2 values are unknown to the training set"));
  EXPECT_THAT(ended.out, HasSubstr("\"type\":\"table\""));
}

// The same examples are noticed in a copy, in another order and with another separator. The second
// run reads neither file again.
TEST_F(TableProgram, TestSetWithTheExamplesOfTheTrainingSetIsNamed) {
  std::string train = "a,b,y\n", copy = "y;b;a\n", half = "a,b,y\n";
  for (int i = 0; i < 80; ++i) {
    const std::string a = absl::StrCat(i * 0.25), b = absl::StrCat(i % 7);
    const char* y = i % 3 == 0 ? "A" : "B";
    absl::StrAppend(&train, a, ",", b, ",", y, "\n");
    absl::StrAppend(&copy, y, ";", b, ";", a, "\n");
    absl::StrAppend(&half, i < 60 ? a : absl::StrCat(i * 0.5 + 100), ",", b, ",", y, "\n");
  }
  const std::string path = Write("train.csv", train);
  const auto of = [&](const std::string& test) {
    return Run({"run", "mlp", "--train", path, "--test", test, "--epochs", "1"}).err;
  };
  const std::string copied = Write("copy.csv", copy), contained = Write("half.csv", half);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_THAT(of(copied), HasSubstr("copy.csv: the test set is the training set"));
    EXPECT_THAT(of(contained), HasSubstr("half.csv: 60 of 80 compared examples of the test set"));
  }
  EXPECT_THAT(of(Write("other.csv", "a,b,y\n1.3,2,A\n1.7,3,B\n")), Not(HasSubstr("test set")));
  const Ended evaluated = Run({"evaluate", "mlp-1", "--data", copied, "--json"});
  EXPECT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_THAT(evaluated.last["warnings"].dump(),
              HasSubstr("these are the examples of the training set"));
  EXPECT_THAT(
      Run({"evaluate", "mlp-1", "--data", contained}).err,
      HasSubstr("half.csv: 60 of 80 compared examples of the test set are in the training"));
}

TEST_F(TableProgram, CheckpointOfOtherClassesIsNamed) {
  const auto table = [&](const char* name, const char* header, const char* one, const char* two) {
    std::string text = absl::StrCat(header, "\n");
    for (int i = 0; i < 40; ++i)
      absl::StrAppend(&text, i * 0.5, ",", i % 7 * 0.25, ",", i % 2 == 0 ? one : two, "\n");
    return Write(name, text);
  };
  ASSERT_EQ(
      Run({"run", "mlp", "--train", table("a.csv", "a,b,y", "no", "yes"), "--epochs", "1"}).code,
      kSuccess);
  const auto from = [&](const std::string& path) {
    return Run({"run", "mlp", "--train", path, "--init-from", "mlp-1", "--epochs", "1"}).err;
  };
  EXPECT_THAT(from(table("b.csv", "a,b,y", "maybe", "no")),
              HasSubstr("the data has another class 0 than mlp-1: \"maybe\", and not \"no\""));
  EXPECT_THAT(from(table("c.csv", "b,a,y", "no", "yes")),
              HasSubstr("the data has another feature 0 than mlp-1: \"b\", and not \"a\""));
  EXPECT_THAT(from(table("d.csv", "a,b,y", "yes", "no")), Not(HasSubstr("has another")));
}

// Rows that were repeated before the split are in both of its parts.
TEST_F(TableProgram, RepetitionsInBothPartsOfASplitAreNamed) {
  std::string repeated = "a,b,y\n", distinct = "a,b,y\n";
  for (int i = 0; i < 300; ++i) {
    const int of = i < 100 ? i : 100 + i % 50;
    const char* rest = i % 2 == 0 ? ",1,A\n" : ",2,B\n";
    absl::StrAppend(&repeated, of * 0.25, rest);
    absl::StrAppend(&distinct, i * 0.25, rest);
  }
  const auto of = [&](const std::string& path) {
    return Run({"run", "mlp", "--train", path, "--test-fraction", "0.3", "--epochs", "1"}).err;
  };
  EXPECT_THAT(of(Write("repeated.csv", repeated)),
              HasSubstr("are in the training set too, because the file repeats examples"));
  EXPECT_THAT(of(Write("distinct.csv", distinct)), Not(HasSubstr("repeats examples")));
  // The whole file has the training set of the split in it.
  EXPECT_THAT(Run({"evaluate", "mlp-2", "--data", folder_ / "distinct.csv"}).err,
              HasSubstr("compared examples of the test set are in the training set"));
}

TEST_F(TableProgram, ValuesInAnotherUnitAreNamed) {
  std::string train = "length,y\n", inches = "length,y\n";
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&train, 150 + i, ",", i % 3 == 0 ? "A" : "B", "\n");
    absl::StrAppend(&inches, (150 + i) / 2.54, ",", i % 3 == 0 ? "A" : "B", "\n");
  }
  ASSERT_EQ(Run({"run", "mlp", "--train", Write("cm.csv", train), "--epochs", "1"}).code, kSuccess);
  const std::string data = Write("in.csv", inches);
  for (const char* command : {"evaluate", "predict"}) {
    const Ended ended = Run({command, "mlp-1", "--data", data});
    EXPECT_EQ(ended.code, kSuccess) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("\"length\": 40 of 40 values are far from those of the "
                                     "training set, whose mean is 169.5"));
  }
}

}  // namespace
}  // namespace dl::cli
