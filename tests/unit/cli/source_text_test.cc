#include "cli/jobs/source_text.h"

#include "gtest/gtest.h"
#include "job/dataset_spec.h"

namespace dl::cli {
namespace {

std::string TextOf(const job::DatasetSpec& source) { return SourceText(job::ToJson(source)); }

TEST(SourceText, NamesFormatAndSetKeys) {
  EXPECT_EQ(TextOf(data::ImageFolder("photos", 32, 24)),
            "image_folder with channels 3, height 32, label_type class, width 24");
}

TEST(SourceText, SourceWithoutSettingsShowsFormat) {
  EXPECT_EQ(SourceText({{"format", "idx"}, {"features", "a.gz"}, {"labels", "b.gz"}}), "idx");
  EXPECT_EQ(
      SourceText(
          {{"format", "npy"}, {"features", "a.npy"}, {"lengths", "n.npy"}, {"weights", "w.txt"}}),
      "npy");
  EXPECT_EQ(SourceText({{"format", "cifar10"}, {"paths", {"a.bin", "b.bin"}}}), "cifar10");
}

TEST(SourceText, LeavesOutUnsetKeys) {
  EXPECT_EQ(SourceText({{"format", "text"},
                        {"path", "a.txt"},
                        {"stride", 0},
                        {"mask_probability", 0.0},
                        {"steps", 50},
                        {"flag", false},
                        {"names", Json::array()}}),
            "text with steps 50");
}

}  // namespace
}  // namespace dl::cli
