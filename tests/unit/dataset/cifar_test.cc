#include <algorithm>

#include "dataset/readers/image/cifar_classes.h"
#include "dataset/readers/image/cifar_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;

// Two images of CIFAR-100, a whale and a wolf, with their coarse labels.
std::string Records() {
  return std::string{0, 95} + std::string(3072, 'a') + std::string{8, 97} + std::string(3072, 'b');
}

TEST(Cifar100Test, EachOfTheTwoLabels) {
  const test::TempFolder folder;
  const std::string path = folder.Write("train.bin", test::Zstd(Records()));
  const auto fine = ReadCifar100(data::Cifar100(path));
  DL_ASSERT_OK(fine);
  EXPECT_EQ(fine->schema.classes(), 100);
  EXPECT_EQ(fine->classes, (std::vector<int32_t>{95, 97}));
  EXPECT_EQ(fine->schema.class_names()[95], "whale");
  EXPECT_EQ(fine->schema.class_names()[97], "wolf");
  EXPECT_EQ(fine->u8[3071], 'a');
  EXPECT_EQ(fine->u8[3072], 'b');
  const auto coarse = ReadCifar100(data::Cifar100(path).CoarseLabels());
  DL_ASSERT_OK(coarse);
  EXPECT_EQ(coarse->schema.classes(), 20);
  EXPECT_EQ(coarse->classes, (std::vector<int32_t>{0, 8}));
  EXPECT_EQ(coarse->schema.class_names()[8], "large_carnivores");
  EXPECT_EQ(coarse->u8, fine->u8);
  EXPECT_EQ(Cifar100FineClasses().size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(Cifar100FineClasses()));
  EXPECT_EQ(Cifar100CoarseClasses().size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(Cifar100CoarseClasses()));
}

TEST(Cifar100Test, BothSplitsHaveOneLevel) {
  const test::TempFolder folder;
  const std::string path = folder.Write("train.bin", Records());
  const auto fine = ReadCifar100(data::Cifar100(path));
  DL_ASSERT_OK(fine);
  DL_EXPECT_OK(ReadCifar100(data::Cifar100(path), {.training = &fine->schema}));
  EXPECT_THAT(
      ReadCifar100(data::Cifar100(path).CoarseLabels(), {.training = &fine->schema}).status(),
      IsError(absl::StatusCode::kInvalidArgument,
              "its images have 20 classes, but the training split has 100"));
}

TEST(Cifar100Test, BadRecordsNameTheirByte) {
  const test::TempFolder folder;
  const auto said = [&](const std::string& bytes, bool coarse = false) {
    job::Cifar100Source source = data::Cifar100(folder.Write("b", bytes));
    if (coarse) source.CoarseLabels();
    return ReadCifar100(source).status();
  };
  std::string bad = Records();
  bad[3074] = 20;
  DL_EXPECT_OK(said(bad));  // the label that is not used
  EXPECT_THAT(said(bad, true),
              IsError(absl::StatusCode::kDataLoss, "label 20 is not from 0 to 19"));
  EXPECT_THAT(said(bad, true), IsError(absl::StatusCode::kDataLoss, "at byte 3074"));
  bad[3075] = 100;
  EXPECT_THAT(said(bad), IsError(absl::StatusCode::kDataLoss, "at byte 3075"));
  const std::string whole = Records();
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3073}, whole.size() - 1, whole.size() - 2})
    EXPECT_THAT(said(whole.substr(0, size)), IsError(absl::StatusCode::kDataLoss, "b")) << size;
  // Records of CIFAR-10 have another size.
  EXPECT_THAT(said(std::string(3073 * 2, '\1')),
              IsError(absl::StatusCode::kDataLoss, "are not whole records of 3074"));
}

}  // namespace
}  // namespace dl::dataset
