// Writes image files with the libraries that read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// jpeglib.h requires <cstdio>.
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include "base/philox.h"
#include "base/status.h"

namespace dl::test {

// [height, width, channels], the channels of a pixel next to each other.
struct Pixels {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> bytes;

  uint8_t At(int64_t y, int64_t x, int64_t c) const {
    return bytes[(y * width + x) * channels + c];
  }
};

// Returns a smooth image with some noise. Equal seeds give equal images.
inline Pixels Drawn(int64_t height, int64_t width, int64_t channels, uint64_t seed = 1) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Pixels pixels{height, width, channels, {}};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < channels; ++c)
        pixels.bytes.push_back(static_cast<uint8_t>((y * 150 / height + x * 40 / width + c * 15) +
                                                    random.Bounded(20)));
    }
  }
  return pixels;
}

struct PngKind {
  int color_type = PNG_COLOR_TYPE_RGB;  // determines the number of values in a row
  int bits = 8;
  bool interlaced = false;
  std::vector<uint8_t> palette = {};  // red, green, blue of each color
};

// Returns a PNG file. `rows` are in the form that `kind` requires, each in whole bytes, from the
// top.
inline std::string Png(int64_t height, int64_t width, const std::vector<uint8_t>& rows,
                       const PngKind& kind = {}) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp to, png_bytep bytes, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, kind.bits, kind.color_type,
               kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  std::vector<png_color> palette;
  for (size_t i = 0; i + 2 < kind.palette.size(); i += 3)
    palette.push_back({kind.palette[i], kind.palette[i + 1], kind.palette[i + 2]});
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  png_write_info(png, info);
  const size_t row = rows.size() / height;
  std::vector<png_bytep> pointers;
  for (int64_t y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data() + y * row));
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}
inline std::string Png(const Pixels& pixels, bool interlaced = false) {
  return Png(pixels.height, pixels.width, pixels.bytes,
             {.color_type = pixels.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
              .interlaced = interlaced});
}

// Returns EXIF data with this orientation, of the byte order "II" or "MM".
inline std::string Exif(uint8_t orientation, const std::string& order = "II") {
  const auto number = [&](uint32_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<char>(value >> 8 * (order == "II" ? i : size - 1 - i)));
    return bytes;
  };
  // The folder is at byte 8 and has two entries, each with tag, type, count and value.
  return order + number(42, 2) + number(8, 4) + number(2, 2) + number(0x0100, 2) + number(3, 2) +
         number(1, 4) + number(9, 2) + number(0, 2) + number(0x0112, 2) + number(3, 2) +
         number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4);
}
// Inserts EXIF data into a JPEG or PNG file.
inline std::string WithExif(std::string image, const std::string& exif) {
  const auto big_endian = [](uint32_t value, int size) {
    std::string bytes;
    for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<char>(value >> 8 * i));
    return bytes;
  };
  if (image.starts_with("\xff")) {
    const std::string segment = std::string("Exif\0\0", 6) + exif;
    return image.insert(
        2, "\xff\xe1" + big_endian(static_cast<uint32_t>(segment.size()) + 2, 2) + segment);
  }
  constexpr size_t kAfterHeader = 33;  // signature and IHDR
  const std::string chunk = "eXIf" + exif;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  return image.insert(kAfterHeader, big_endian(static_cast<uint32_t>(exif.size()), 4) + chunk +
                                        big_endian(static_cast<uint32_t>(sum), 4));
}

struct JpegKind {
  bool progressive = false;
  bool apart = false;  // each of the three channels in a scan of its own
  int quality = 95;
};

// Returns a JPEG file of 1 (gray), 3 (red, green, blue) or 4 (CMYK) channels.
inline std::string Jpeg(const Pixels& pixels, const JpegKind& kind = {}) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(pixels.width);
  jpeg.image_height = static_cast<JDIMENSION>(pixels.height);
  jpeg.input_components = static_cast<int>(pixels.channels);
  jpeg.in_color_space = pixels.channels == 1   ? JCS_GRAYSCALE
                        : pixels.channels == 3 ? JCS_RGB
                                               : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, kind.quality, TRUE);
  jpeg.dct_method = JDCT_ISLOW;
  if (kind.progressive) jpeg_simple_progression(&jpeg);
  static constexpr jpeg_scan_info kApart[] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (kind.apart) {
    jpeg.scan_info = kApart;
    jpeg.num_scans = 3;
  }
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.bytes.data() +
                                     jpeg.next_scanline * pixels.width * pixels.channels);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string out(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return out;
}

}  // namespace dl::test
