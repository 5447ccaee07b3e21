#include "dataset/readers/image/image_file.h"

#include <zlib.h>

#include "base/checksum.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::dataset {
namespace {

using test::Drawn;
using test::IsError;
using test::Jpeg;
using test::Pixels;
using test::Png;
using ::testing::HasSubstr;

class ImageFileTest : public testing::Test {
 protected:
  StatusOr<Pixels> Read(const std::string& bytes) {
    DL_ASSIGN_OR_RETURN(const auto image, OpenImage(folder_.Write("image", bytes)));
    memory_ = image->header().memory_bytes;
    DL_RETURN_IF_ERROR(image->Begin());
    const auto& [height, width, channels, orientation, is_deep, has_alpha, memory] =
        image->header();
    Pixels pixels{height, width, channels, {}};
    std::vector<uint8_t> row(width * channels);
    for (int64_t y = 0; y < height; ++y) {
      DL_RETURN_IF_ERROR(image->ReadRow(row));
      pixels.bytes.insert(pixels.bytes.end(), row.begin(), row.end());
    }
    DL_RETURN_IF_ERROR(image->Finish());
    return pixels;
  }
  std::vector<uint8_t> Bytes(const std::string& file) {
    const auto read = Read(file);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->bytes : std::vector<uint8_t>{};
  }

  test::TempFolder folder_;
  int64_t memory_ = 0;
};

TEST_F(ImageFileTest, PngIsWhatWasWritten) {
  for (const int64_t channels : {1, 3}) {
    const Pixels image = Drawn(19, 23, channels);
    EXPECT_EQ(Bytes(Png(image)), image.bytes);
    EXPECT_EQ(memory_, 0);
    EXPECT_EQ(Bytes(Png(image, true)), image.bytes) << "interlaced";
    EXPECT_EQ(memory_, 19 * 23 * channels);
  }
}

TEST_F(ImageFileTest, PngOfEachKind) {
  EXPECT_EQ(
      Bytes(Png(1, 2, {0x12, 0x80, 0xff, 0xff, 0x00, 0x7f, 0, 0, 0, 0, 0x01, 0x81}, {.bits = 16})),
      (std::vector<uint8_t>{0x12, 0xff, 0x00, 0, 0, 0x01}))
      << "v / 257, rounded: 0x1280 is 18.43, 0x007f 0.49, 0x0181 1.498";
  EXPECT_EQ(Bytes(Png(1, 1, {0x00, 0x81}, {.color_type = PNG_COLOR_TYPE_GRAY, .bits = 16})),
            (std::vector<uint8_t>{1}));
  EXPECT_EQ(Bytes(Png(1, 4, {0b10'01'11'00}, {.color_type = PNG_COLOR_TYPE_GRAY, .bits = 2})),
            (std::vector<uint8_t>{170, 85, 255, 0}));
  EXPECT_EQ(Bytes(Png(1, 3, {0b101'00000}, {.color_type = PNG_COLOR_TYPE_GRAY, .bits = 1})),
            (std::vector<uint8_t>{255, 0, 255}));
  EXPECT_EQ(Bytes(Png(1, 3, {1, 0, 1},
                      {.color_type = PNG_COLOR_TYPE_PALETTE, .palette = {1, 2, 3, 4, 5, 6}})),
            (std::vector<uint8_t>{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Bytes(Png(1, 2, {7, 8, 9, 0, 1, 2, 3, 128}, {.color_type = PNG_COLOR_TYPE_RGB_ALPHA})),
            (std::vector<uint8_t>{7, 8, 9, 1, 2, 3}))
      << "the colour of a transparent pixel";
  EXPECT_EQ(Bytes(Png(1, 2, {7, 0, 8, 9}, {.color_type = PNG_COLOR_TYPE_GRAY_ALPHA})),
            (std::vector<uint8_t>{7, 8}));
}

TEST_F(ImageFileTest, JpegIsNearWhatWasWritten) {
  for (const bool progressive : {false, true}) {
    for (const int64_t channels : {1, 3}) {
      const Pixels image = Drawn(33, 41, channels);
      const auto read = Read(Jpeg(image, {.progressive = progressive}));
      DL_ASSERT_OK(read);
      EXPECT_EQ(memory_ > 0, progressive);
      ASSERT_EQ(read->bytes.size(), image.bytes.size());
      for (size_t i = 0; i < image.bytes.size(); ++i)
        ASSERT_NEAR(read->bytes[i], image.bytes[i], 25) << i;
    }
  }
  EXPECT_EQ(Bytes(Jpeg(Drawn(33, 41, 3), {.progressive = true})), Bytes(Jpeg(Drawn(33, 41, 3))));
}

// Both the SIMD code and the C code of the library give these bits. JSIMD_FORCENONE=1 selects the C
// code.
TEST_F(ImageFileTest, JpegBitsAreThoseOnRecord) {
  const std::string file = Jpeg(Drawn(75, 93, 3));
  EXPECT_EQ(Sha256Hex(file), "d37648258a3668e3d42a1985aa586644bd37d845ea10df0218856fa191873a57")
      << "another version of the library writes another file";
  const std::vector<uint8_t> bytes = Bytes(file);
  EXPECT_EQ(Sha256Hex(std::string(bytes.begin(), bytes.end())),
            "0413cd3e200819e1f50ecf833e0c78e97338650096c8bbf4b382b47769e3059c");
}

TEST_F(ImageFileTest, EachCutIsAnError) {
  for (const std::string& whole :
       {Png(Drawn(6, 7, 3)), Png(Drawn(6, 7, 1), true), Jpeg(Drawn(16, 16, 1)),
        Jpeg(Drawn(17, 9, 3), {.progressive = true})}) {
    DL_EXPECT_OK(Read(whole));
    for (size_t size = 0; size < whole.size(); ++size) {
      const Status cut = Read(whole.substr(0, size)).status();
      ASSERT_FALSE(cut.ok()) << size << " of " << whole.size();
      EXPECT_FALSE(ErrorRemedy(cut).empty());
      EXPECT_THAT(ErrorWhere(cut), HasSubstr(folder_ / "image"));
    }
  }
  EXPECT_THAT(Read(Jpeg(Drawn(16, 16, 1)).substr(0, 300)).status(),
              IsError(absl::StatusCode::kDataLoss, "ends at byte 300 in its image"));
}

TEST_F(ImageFileTest, DamageIsReported) {
  std::string png = Png(Drawn(20, 20, 3));
  png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 1);
  EXPECT_THAT(Read(png).status(), IsError(absl::StatusCode::kDataLoss, "is no whole PNG image: "));
  // A marker in the middle of the pixels.
  std::string jpeg = Jpeg(Drawn(64, 64, 3));
  jpeg.replace(jpeg.size() / 2, 2, "\xff\xd9");
  EXPECT_THAT(Read(jpeg).status(),
              IsError(absl::StatusCode::kDataLoss, "is no whole JPEG image: Corrupt JPEG data"));
}

TEST_F(ImageFileTest, BytesAfterJpegAreIgnored) {
  const std::string jpeg = Jpeg(Drawn(16, 16, 3));
  EXPECT_EQ(Bytes(jpeg + "what a camera writes"), Bytes(jpeg));
}

TEST_F(ImageFileTest, OtherFilesAreCalledByTheirFormat) {
  const auto said = [&](const std::string& bytes) {
    const Status status = Read(bytes).status();
    EXPECT_THAT(ErrorRemedy(status), HasSubstr("Convert it to PNG or JPEG"));
    return std::string(status.message());
  };
  EXPECT_THAT(said("GIF89a......"), HasSubstr("it is a GIF image"));
  EXPECT_THAT(said(std::string("RIFF....WEBPVP8 ")), HasSubstr("it is a WebP image"));
  EXPECT_THAT(said("BM.........."), HasSubstr("it is a BMP image"));
  EXPECT_THAT(said("II*........."), HasSubstr("it is a TIFF image"));
  EXPECT_THAT(said(std::string("\0\0\0 ftypheic", 12)), HasSubstr("HEIC"));
  EXPECT_THAT(said("a,b\n1,2\n"), HasSubstr("no image that is known"));
  EXPECT_THAT(said(""), HasSubstr("it is empty"));
  EXPECT_THAT(Read("PK\x03\x04............").status(),
              IsError(absl::StatusCode::kInvalidArgument, "a zip archive"));
  const Status cmyk = Read(Jpeg(Drawn(8, 8, 4))).status();
  EXPECT_THAT(cmyk, IsError(absl::StatusCode::kInvalidArgument, "CMYK"));
  EXPECT_THAT(ErrorRemedy(cmyk), HasSubstr("RGB or grey"));
}

// Headers with sizes, without pixels after them.
TEST_F(ImageFileTest, BombIsRefusedByHeader) {
  std::string png = Png(Drawn(1, 1, 1));
  const auto big_endian = [](uint32_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(value >> shift));
    return bytes;
  };
  const auto with_size = [&](uint32_t height, uint32_t width) {
    std::string bytes = png;
    bytes.replace(16, 8, big_endian(width) + big_endian(height));
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + 12, 17);
    return bytes.replace(29, 4, big_endian(static_cast<uint32_t>(sum)));
  };
  EXPECT_THAT(Read(with_size(20'000, 20'000)).status(),
              IsError(absl::StatusCode::kResourceExhausted, "declares 20000 x 20000 pixels"));
  EXPECT_THAT(Read(with_size(70'000, 1)).status(),
              IsError(absl::StatusCode::kResourceExhausted, "the limit is 65536 a side"));
  EXPECT_THAT(Read(with_size(2, 1)).status(), IsError(absl::StatusCode::kDataLoss, "PNG"));
  std::string jpeg = Jpeg(Drawn(8, 8, 1));
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xf0\xf0\xf0\xf0");
  EXPECT_THAT(Read(jpeg).status(),
              IsError(absl::StatusCode::kResourceExhausted, "declares 61680 x 61680 pixels"));
}

// Each scan costs time for all pixels, even if it has only a few bytes.
TEST_F(ImageFileTest, JpegOfThousandScansIsRefused) {
  const Pixels image = Drawn(16, 16, 3);
  std::string jpeg = Jpeg(image, {.apart = true});
  EXPECT_EQ(Bytes(jpeg), Bytes(Jpeg(image)));
  const size_t last = jpeg.rfind("\xff\xda");
  const std::string scan = jpeg.substr(last, jpeg.size() - 2 - last);
  jpeg.insert(last, scan + scan);
  EXPECT_EQ(Bytes(jpeg), Bytes(Jpeg(image)));
  for (int i = 0; i < 1000; ++i) jpeg.insert(last, scan);
  EXPECT_THAT(Read(jpeg).status(),
              IsError(absl::StatusCode::kDataLoss, "it has more than 500 scans"));
}

// Two thousand damaged files give an error or an image.
TEST_F(ImageFileTest, MutatedFilesAreErrorsOrImages) {
  RandomStream random({.seed = 21, .purpose = RandomPurpose::kForTests});
  for (const std::string& whole :
       {Png(Drawn(12, 11, 3)), Png(Drawn(9, 8, 1), true), Jpeg(Drawn(16, 24, 3)),
        Jpeg(Drawn(20, 9, 3), {.progressive = true})}) {
    int errors = 0;
    for (int i = 0; i < 500; ++i) {
      std::string bad = whole;
      for (uint64_t k = 0; k <= random.Bounded(4); ++k) {
        const size_t at = random.Bounded(bad.size());
        switch (random.Bounded(4)) {
          case 0:
            bad.erase(at, 1 + random.Bounded(8));
            break;
          case 1:
            bad.insert(at, bad.substr(random.Bounded(bad.size()), 1 + random.Bounded(16)));
            break;
          default:
            bad[at] = static_cast<char>(random.Bounded(256));
        }
      }
      const auto read = Read(bad);
      if (read.ok()) {
        ASSERT_EQ(std::ssize(read->bytes), read->height * read->width * read->channels);
      } else {
        ASSERT_FALSE(ErrorRemedy(read.status()).empty()) << read.status();
        ++errors;
      }
    }
    EXPECT_GT(errors, 50);
  }
}

}  // namespace
}  // namespace dl::dataset
