// PNG and JPEG files, read row by row, and archives of them.
#include <zlib.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "dataset/readers/image/image_archive.h"
#include "dataset/readers/image/image_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_folder.h"

namespace dl::fuzz {
namespace {

// Larger images only take longer.
constexpr int64_t kMostPixels = 1 << 20;

Status ReadWhole(dataset::ImageFile& image) {
  DL_RETURN_IF_ERROR(image.Begin());
  std::vector<uint8_t> row(static_cast<size_t>(image.header().width * image.header().channels));
  for (int64_t y = 0; y < image.header().height; ++y) DL_RETURN_IF_ERROR(image.ReadRow(row));
  return image.Finish();
}

// Corrects the checksums of a PNG's chunks. Otherwise most errors inside chunks would never be
// reached. A chunk has its length, four letters, its bytes, and the CRC of letters and bytes. All
// numbers are big-endian.
std::string WithRightSums(std::string bytes) {
  constexpr size_t kSignature = 8;
  auto* const data = reinterpret_cast<unsigned char*>(bytes.data());
  for (size_t at = kSignature; bytes.size() >= at + 12;) {
    const size_t length =
        size_t{data[at]} << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3];
    if (length > bytes.size() - at - 12) break;
    const auto sum = static_cast<uint32_t>(crc32(0, data + at + 4, static_cast<uInt>(length + 4)));
    for (int i = 0; i < 4; ++i)
      data[at + 8 + length + i] = static_cast<unsigned char>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
  return bytes;
}

}  // namespace

bool FuzzImage(std::string_view bytes) {
  const bool png = bytes.starts_with("\x89PNG");
  const auto image =
      dataset::OpenImage(WriteInput(png ? WithRightSums(std::string(bytes)) : std::string(bytes)));
  if (!image.ok()) {
    RequireGoodError(image.status());
    return false;
  }
  const dataset::ImageFile::Header& header = (*image)->header();
  Require(header.height > 0 && header.width > 0, "an image has pixels");
  Require(header.channels == 1 || header.channels == 3, "an image is grey or red, green, blue");
  if (header.height * header.width > kMostPixels) return false;
  const Status status = ReadWhole(**image);
  if (!status.ok()) RequireGoodError(status);
  return status.ok();
}

bool FuzzArchive(std::string_view bytes) {
  namespace fs = std::filesystem;
  static const test::TempFolder folder;
  const std::string inner = folder / "archive";
  fs::remove_all(inner);
  fs::create_directory(inner);
  const auto images = dataset::UnpackImages({.archive = WriteInput(bytes), .folder = inner});
  Require(std::distance(fs::directory_iterator(folder.path()), {}) == 1, "no file leaves a folder");
  uintmax_t unpacked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(inner)) {
    Require(!entry.is_symlink() && (entry.is_directory() || entry.is_regular_file()),
            "only files and folders are unpacked");
    if (entry.is_regular_file()) unpacked += entry.file_size();
  }
  Require(unpacked <= bytes.size() * dataset::kMaxUnpackedRatio + dataset::kFreeUnpackedBytes,
          "no archive is a bomb");
  if (!images.ok()) {
    RequireGoodError(images.status());
    return false;
  }
  Require(fs::is_directory(*images), "the images have a folder");
  return true;
}

}  // namespace dl::fuzz
