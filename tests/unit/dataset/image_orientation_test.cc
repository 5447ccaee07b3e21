#include "dataset/readers/image/image_orientation.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataset/readers/image/image_folder_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::dataset {
namespace {

using test::Exif;
using test::Pixels;
using test::WithExif;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Reads the images of one class, in the order of their names.
class ImageOrientation : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(folder_ / "set/a");
    folder_.Write("set/a/" + name, bytes);
  }
  std::vector<uint8_t> Read(int64_t height, int64_t width, bool crop = false) {
    auto source = data::ImageFolder(folder_ / "set", height, width).Grey();
    if (crop) source.CropToAspectRatio();
    const auto table = ReadImageFolder(source, {});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->u8 : std::vector<uint8_t>{};
  }
  test::TempFolder folder_;
};

// The upright image is 1 2 3 over 4 5 6. The stored images follow from the definition of the tag.
TEST_F(ImageOrientation, EveryOrientationGivesTheUprightImage) {
  const std::vector<Pixels> stored = {{2, 3, 1, {1, 2, 3, 4, 5, 6}}, {2, 3, 1, {3, 2, 1, 6, 5, 4}},
                                      {2, 3, 1, {6, 5, 4, 3, 2, 1}}, {2, 3, 1, {4, 5, 6, 1, 2, 3}},
                                      {3, 2, 1, {1, 4, 2, 5, 3, 6}}, {3, 2, 1, {3, 6, 2, 5, 1, 4}},
                                      {3, 2, 1, {6, 3, 5, 2, 4, 1}}, {3, 2, 1, {4, 1, 5, 2, 6, 3}}};
  std::vector<uint8_t> upright;
  for (size_t i = 0; i < stored.size(); ++i) {
    const auto orientation = static_cast<uint8_t>(i + 1);
    Write(absl::StrCat(i, ".png"),
          WithExif(Png(stored[i]), Exif(orientation, i % 2 ? "MM" : "II")));
    upright.insert(upright.end(), {1, 2, 3, 4, 5, 6});
  }
  EXPECT_THAT(Read(2, 3), ElementsAreArray(upright));
}

TEST_F(ImageOrientation, JpegOfACameraIsTurned) {
  const std::vector<uint8_t> black(64, 0), white(64, 255);
  std::vector<uint8_t> both = black;
  both.insert(both.end(), white.begin(), white.end());
  const std::string jpeg = Jpeg(Pixels{16, 8, 1, both});  // black above white
  Write("1.jpg", jpeg);
  Write("2.jpg", WithExif(jpeg, Exif(6)));
  EXPECT_THAT(Read(1, 2), ElementsAre(128, 128, 219, 36)) << "its upper half is on the right side";
}

TEST_F(ImageOrientation, CropIsCenteredInTheUprightImage) {
  Write("1.png", Png(Pixels{1, 4, 1, {1, 2, 3, 4}}));
  Write("2.png", WithExif(Png(Pixels{1, 4, 1, {4, 3, 2, 1}}), Exif(2)));
  Write("3.png", WithExif(Png(Pixels{4, 1, 1, {4, 3, 2, 1}}), Exif(6)));
  Write("4.png", WithExif(Png(Pixels{4, 1, 1, {1, 2, 3, 4}}), Exif(5)));
  EXPECT_THAT(Read(1, 1, true), ElementsAre(2, 2, 2, 2)) << "one value of three is cut off first";
}

TEST_F(ImageOrientation, DamagedExifIsNoOrientation) {
  const auto bytes = [](const std::string& text) {
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  const std::string whole = Exif(6);
  EXPECT_EQ(OrientationInExif(bytes(whole)), Orientation::kRightTop);
  for (size_t size = 0; size < whole.size() - 8; ++size)
    EXPECT_EQ(OrientationInExif(bytes(whole.substr(0, size))), Orientation::kTopLeft) << size;
  for (const uint8_t value : {0, 9, 255})
    EXPECT_EQ(OrientationInExif(bytes(Exif(value))), Orientation::kTopLeft);
  std::string far = whole;
  far.replace(4, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(OrientationInExif(bytes(far)), Orientation::kTopLeft);
  Write("1.png", WithExif(Png(Pixels{1, 2, 1, {1, 2}}), "no EXIF"));
  EXPECT_THAT(Read(1, 2), ElementsAre(1, 2));
}

}  // namespace
}  // namespace dl::dataset
