// Tests the errors of all readers about bad files: what is wrong, the place once, and what to do.
#include <vector>

#include "dataset/readers/array/idx_reader.h"
#include "dataset/readers/image/cifar_reader.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Gzip;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Idx(const std::vector<uint32_t>& shape, const std::string& values) {
  return test::Idx(8, shape, values);
}

const std::string kThreeImages = Idx({3, 2, 2}, "abcdefghijkl");
const std::string kThreeLabels = Idx({3}, {2, 0, 1});

// Expects that `status` is about `path`: its place begins with the path, and its message leaves it
// out.
void ExpectGoodError(const Status& status, const std::string& path, const std::string& message,
                     const std::string& place = "", const std::string& remedy = "") {
  ASSERT_FALSE(status.ok()) << message;
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr(path)));
  EXPECT_THAT(ErrorWhere(status), StartsWith(path)) << message;
  EXPECT_THAT(ErrorWhere(status), HasSubstr(place)) << message;
  EXPECT_THAT(ErrorRemedy(status), HasSubstr(remedy)) << message;
  EXPECT_NE(ErrorRemedy(status), "") << message;
}

TEST(ReaderErrors, Idx) {
  struct Case {
    std::string bytes, message, place;
  };
  std::string cut = Gzip(kThreeImages);
  cut.resize(cut.size() - 9);
  std::string wrong_sum = Gzip(kThreeImages);
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  test::TempFolder folder;
  const std::string labels = folder.Write("labels", kThreeLabels), path = folder / "images";
  for (const Case& c : {
           Case{Idx({0xffffffff, 280, 280}, "few"),
                "declares 4294967295 x 280 x 280 values, more than", "at byte 4"},
           {Idx({2, 0xffffffff, 0xffffffff}, "few"), "declares 2 x 4294967295 x 4294967295 values",
            "at byte 8"},
           {Idx({2, 0}, ""), "dimension 1 is 0", "at byte 8"},
           {"PNG" + kThreeImages, "is not an IDX file", "at byte 0"},
           {Idx({}, ""), "has 0 dimensions", "at byte 3"},
           {Idx({1, 1, 1, 1, 1, 1}, "x"), "has 6 dimensions, must have from 1 to 5", "at byte 3"},
           {kThreeImages.substr(0, 2), "ends at byte 2", "at byte 2"},
           {kThreeImages.substr(0, 20), "declares 28 bytes, but the file has 20", ""},
           {kThreeImages + "x", "declares 28 bytes, but the file has 29", ""},
           {Gzip(kThreeImages + "x"), "continues after", "of its content"},
           {Gzip(kThreeImages.substr(0, 20)), "ends at byte 20", "of its content"},
           {cut, "the compressed file ends too early", ""},
           {wrong_sum, "cannot be unpacked", ""},
       }) {
    folder.Write("images", c.bytes);
    const Status status = ReadIdx({.features = path, .labels = labels}).status();
    ExpectGoodError(status, path, c.message, c.place);
    if (c.bytes == cut) {
      EXPECT_EQ(ErrorWhere(status), path) << "no byte that is in the file";
    }
  }
  ExpectGoodError(ReadIdx({.features = folder / "none", .labels = labels}).status(),
                  folder / "none", "there is no such file");
  ExpectGoodError(ReadIdx({.features = folder.path(), .labels = labels}).status(), folder.path(),
                  "is a folder, and a file is expected");
  folder.Write("images", kThreeImages);
  folder.Write("labels", Idx({2}, {0, 1}));
  ExpectGoodError(ReadIdx({.features = path, .labels = labels}).status(), labels,
                  "2 labels for 3 examples");
  folder.Write("labels", Idx({3, 1}, {0, 1, 2}));
  ExpectGoodError(ReadIdx({.features = path, .labels = labels}).status(), labels, "2 dimensions");
  folder.Write("labels", kThreeLabels);
  ExpectGoodError(ReadIdx({.features = path, .labels = labels, .class_names = {"a", "b"}}).status(),
                  labels, "label 2 of example 0 is not from 0 to 1", "", "class_names");
  const auto training = ReadIdx({.features = path, .labels = labels});
  folder.Write("test", Idx({3, 2, 3}, "abcdefghijklmnopqr"));
  ExpectGoodError(
      ReadIdx({.features = folder / "test", .labels = labels}, {.training = &training->schema})
          .status(),
      folder / "test", "examples of 1x2x3, the training split has examples of 1x2x2");
  ExpectGoodError(
      ReadIdx({.features = path, .labels = labels, .class_names = {"a", "a", "b"}}).status(), path,
      "two classes are named a");
}

TEST(ReaderErrors, Cifar10) {
  test::TempFolder folder;
  const std::string path = folder / "batch";
  std::string record(3073, '\1');
  folder.Write("batch", record.substr(1));
  ExpectGoodError(ReadCifar10({.paths = {path}}).status(), path,
                  "3072 bytes are not whole records");
  folder.Write("batch", "");
  ExpectGoodError(ReadCifar10({.paths = {path}}).status(), path, "is empty");
  record[0] = 10;
  folder.Write("batch", record);
  ExpectGoodError(ReadCifar10({.paths = {path}}).status(), path, "label 10", "at byte 0");
  EXPECT_NE(ErrorRemedy(ReadCifar10({}).status()), "");
}

TEST(ReaderErrors, Csv) {
  test::TempFolder folder;
  const std::string path = folder / "t.csv";
  struct Case {
    std::string text, message, place, remedy;
    job::CsvSource source = {};
    const Schema* training = nullptr;
  };
  const auto training = ReadCsv({.path = folder.Write("t.csv", "a,k\n1,x\n2,y\n")});
  ASSERT_TRUE(training.ok());
  for (const Case& c : {
           Case{"", "the file is empty", "", ""},
           {"a,k\n", "no row follows the header", "", ""},
           {"a,k\n1,x,2\n", "row 2: has 3 fields, the first row has 2", ":2", "separator"},
           {"a,k\n\n\n1\n", "row 2: has 1 field, the first row has 2", ":4", ""},
           {"a,k\n1,\"x\n", "row 2: a quoted field does not end", ":2", "quote"},
           {"a,k\n1,\"x\"y\n", "row 2: text follows a closing quote", ":2", "quote"},
           {"a,k\n,x\n", "row 2, column 1 (\"a\"): a value is missing", ":2", "Fill it in"},
           {"a,k\n1,\n", "row 2, column 2 (\"k\"): the label is missing", ":2", "Fill it in"},
           {"a,k\n1e99,x\n", "row 2, column 1 (\"a\"): 1e99 is outside the range of float32", ":2",
            "from -3.4e38 to 3.4e38"},
           {"a,k\nred,x\n", "\"red\" is not a number", ":2", "numbers"},
           {"a,k\n1,\xff\n", "the label is not UTF-8", ":2", "UTF-8"},
           {"\xff,k\n1,x\n", "the column's name is not UTF-8", ":1", "UTF-8"},
           {"k\nx\n", "there is one column", ":1", "separator"},
           {"a,k\n1,x\n",
            "there is no column 2: the row has 2",
            ":1",
            "from 0 to 1",
            {.label_column = 2}},
           {"a,k\n1,x\n",
            "there is no column -3: the row has 2",
            ":1",
            "from -2 to -1",
            {.label_column = -3}},
           {"a,k\n1,x\n", "there is no column \"kk\"", ":1", "a, k", {.label_column = "kk"}},
           {"a,k,k\n1,x,x\n", "two columns are named \"k\"", ":1", "index", {.label_column = "k"}},
           {"a,k\n1,x\n",
            "a label column is named",
            ":1",
            "index",
            {.header = false, .label_column = "k"}},
           {"a,k\n1,q\n",
            "the training split has no class \"q\"",
            ":2",
            "x, y",
            {},
            &training->schema},
           {"b,k\n1,x\n", "it lacks the column \"a\"", "", "", {}, &training->schema},
       }) {
    folder.Write("t.csv", c.text);
    job::CsvSource source = c.source;
    source.path = path;
    ExpectGoodError(ReadCsv(source, {.training = c.training}).status(), path, c.message, c.place,
                    c.remedy);
  }
  EXPECT_NE(ErrorRemedy(ReadCsv({.path = path, .separator = "\""}).status()), "");
  const std::string gone = folder / "gone";
  ExpectGoodError(SourceFingerprint(job::CsvSource{.path = gone}, {}).status(), gone,
                  "there is no such file");
}

}  // namespace
}  // namespace dl::dataset
