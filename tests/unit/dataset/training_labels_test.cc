// Tests which classes the numbers in arrays are, for a model whose classes have names.
#include "dataset/readers/training_labels.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataset/readers/array/npy_reader.h"
#include "dataset/readers/image/cifar_reader.h"
#include "dataset/readers/table/libsvm_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using test::Raw;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kBad = absl::StatusCode::kInvalidArgument;

class TrainingLabels : public testing::Test {
 protected:
  // The schema of rows with one feature and these classes.
  static Schema Named(const std::vector<std::string>& names) {
    Schema schema{.feature_shape = {1}};
    schema.SetClasses(std::ssize(names), names);
    return schema;
  }
  // Reads an array of labels for a model with this schema.
  StatusOr<std::vector<int32_t>> Read(const Schema& training, const std::vector<int32_t>& labels,
                                      std::vector<std::string> class_names = {}) {
    const std::string shape = absl::StrCat("(", labels.size(), ",)");
    auto source = data::Npy(
        folder_.Write("x.npy", Npy("<f4", shape, Raw(std::vector<float>(labels.size(), 0.5f)))),
        folder_.Write("y.npy", Npy("<i4", shape, Raw(labels))));
    source.class_names = std::move(class_names);
    DL_ASSIGN_OR_RETURN(const ExampleTable table, ReadNpy(source, {.training = &training}));
    EXPECT_EQ(table.schema.class_names(), training.class_names());
    return table.classes;
  }

  test::TempFolder folder_;
};

// A libsvm file has the classes 1 to 3, and the arrays of the same data have them too.
TEST_F(TrainingLabels, LabelIsTheClassWithThisName) {
  const auto trained =
      ReadLibsvm(data::Libsvm(folder_.Write("t.libsvm", "2 1:1\n1 1:2\n3 1:3\n")), {});
  DL_ASSERT_OK(trained);
  const auto classes = Read(trained->schema, {3, 1, 2, 3});
  DL_ASSERT_OK(classes);
  EXPECT_THAT(*classes, ElementsAre(2, 0, 1, 2));
}

// Folders of images are sorted by the bytes of their names: 0, 1, 10, 2.
TEST_F(TrainingLabels, NamesOfFoldersAreNotInTheOrderOfTheirNumbers) {
  const auto classes = Read(Named({"0", "1", "10", "2"}), {10, 0, 2});
  DL_ASSERT_OK(classes);
  EXPECT_THAT(*classes, ElementsAre(2, 0, 3));
}

TEST_F(TrainingLabels, LabelThatIsNoNameIsTheNumberOfAClass) {
  const auto classes = Read(Named({"1", "2", "3"}), {0, 1, 2});
  DL_ASSERT_OK(classes);
  EXPECT_THAT(*classes, ElementsAre(0, 1, 2));
  const auto animals = Read(Named({"ant", "bee"}), {1, 0});
  DL_ASSERT_OK(animals);
  EXPECT_THAT(*animals, ElementsAre(1, 0));
  const auto digits = Read(Named({"0", "1", "2"}), {2, 1});
  DL_ASSERT_OK(digits);
  EXPECT_THAT(*digits, ElementsAre(2, 1));
}

TEST_F(TrainingLabels, TwoReadingsAreRefused) {
  const Schema training = Named({"1", "2", "3"});
  const Status status = Read(training, {2, 1, 1}).status();
  EXPECT_THAT(status, IsError(kBad,
                              "label 2 is the name of a class of the training split, and "
                              "also the number of another class, \"3\""));
  EXPECT_THAT(ErrorWhere(status), HasSubstr("y.npy"));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("class_names"));
  const auto named = Read(training, {2, 1, 1}, {"0", "1", "2", "3"});
  DL_ASSERT_OK(named);
  EXPECT_THAT(*named, ElementsAre(1, 0, 0));
  const auto numbered = Read(training, {2, 1, 1}, {"1", "2", "3"});
  DL_ASSERT_OK(numbered);
  EXPECT_THAT(*numbered, ElementsAre(2, 1, 1));
}

TEST_F(TrainingLabels, StatedNamesDecide) {
  const Schema training = Named({"ant", "bee", "cat"});
  const auto classes = Read(training, {0, 1, 0}, {"cat", "ant"});
  DL_ASSERT_OK(classes);
  EXPECT_THAT(*classes, ElementsAre(2, 0, 2));
  EXPECT_THAT(Read(training, {0, 1}, {"cat", "dog"}).status(),
              IsError(kBad, "the training split has no class \"dog\""));
  EXPECT_THAT(Read(training, {0, 2}, {"cat", "ant"}).status(),
              IsError(kBad, "label 2 has no name in class_names"));
}

// The classes of CIFAR-10 have names of their own.
TEST_F(TrainingLabels, FormatsWithNamedClassesMatchByName) {
  std::vector<std::string> names = {"truck", "ship", "horse", "frog",       "dog",
                                    "deer",  "cat",  "bird",  "automobile", "airplane"};
  Schema training = Named(names);
  training.feature_shape = {3, 32, 32};
  training.features = ByteFeatures{};
  const std::string path = folder_.Write("b.bin", std::string(1, '\x02') + std::string(3072, '\1'));
  const auto bird = ReadCifar10(data::Cifar10(path), {.training = &training});
  DL_ASSERT_OK(bird);
  EXPECT_THAT(bird->classes, ElementsAre(7));
  names[7] = "parrot";
  training.SetClasses(std::ssize(names), names);
  EXPECT_THAT(ReadCifar10(data::Cifar10(path), {.training = &training}).status(),
              IsError(kBad, "the training split has no class \"bird\""));
}

}  // namespace
}  // namespace dl::dataset
