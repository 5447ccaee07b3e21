#include "dataset/readers/image/image_decoding.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/usable_cores.h"
#include "dataset/readers/image/image_file.h"
#include "dataset/readers/image/image_orientation.h"
#include "dataset/readers/image/image_resizer.h"

namespace dl::dataset {
namespace {

// ITU-R BT.601, section 2.5.1, in units of 1/65536 that sum to 1.
uint8_t Luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

// The part of an image that is used.
struct UsedPart {
  int64_t top = 0, left = 0;
  ImageResizer::Size size;
};

// Returns the number of values before a part that begins after half of the excess, rounded down. If
// the stored axis runs backwards, the part begins at its other end.
int64_t BeforePart(int64_t excess, bool is_reversed) {
  return is_reversed ? excess - excess / 2 : excess / 2;
}

// Returns the largest part with the aspect ratio of `wanted` that is centered in the upright image.
// Everything is in the axes of the stored image.
UsedPart UsedPartOf(const ImageFile::Header& image, const job::ImageFolderSource& source,
                    const ImageResizer::Size& wanted) {
  UsedPart part{.size = {image.height, image.width}};
  if (!source.crop_to_aspect_ratio) return part;
  part.size.width =
      std::clamp<int64_t>(image.height * wanted.width / wanted.height, 1, image.width);
  part.size.height =
      std::clamp<int64_t>(image.width * wanted.height / wanted.width, 1, image.height);
  part.top = BeforePart(image.height - part.size.height, ReversesRows(image.orientation));
  part.left = BeforePart(image.width - part.size.width, ReversesColumns(image.orientation));
  return part;
}

Status CheckMemory(int64_t needed, int64_t given, const std::string& path) {
  if (needed <= given) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("its image is interlaced or progressive and needs ", needed,
                               " bytes of memory, but the limit is ", given),
       .where = path,
       .remedy = "Save it neither interlaced nor progressive, or import with more --memory"});
}

constexpr std::chrono::hours kLongestWait{1};  // for the memory of other images

class ImageDecoder {
 public:
  ImageDecoder(const job::ImageFolderSource& source, int64_t memory_bytes)
      : source_(source), memory_bytes_(memory_bytes), budget_(memory_bytes) {}

  // Thread-safe.
  DecodedImage Decode(const std::string& path) {
    DecodedImage decoded;
    decoded.status = DecodeTo(path, decoded);
    return decoded;
  }

 private:
  Status DecodeTo(const std::string& path, DecodedImage& decoded) {
    DL_ASSIGN_OR_RETURN(const std::unique_ptr<ImageFile> image, OpenImage(path));
    const ImageFile::Header& header = image->header();
    DL_RETURN_IF_ERROR(CheckMemory(header.memory_bytes, memory_bytes_, path));
    MemoryBudget::Charge charge;
    if (header.memory_bytes > 0) {
      DL_ASSIGN_OR_RETURN(
          charge, budget_.Take(header.memory_bytes, Clock::Real().Now() + Duration(kLongestWait)));
    }
    DL_RETURN_IF_ERROR(image->Begin());
    // The image is resized as it is stored, and then turned.
    ImageResizer::Size size{source_.height, source_.width};
    if (SwapsSides(header.orientation)) std::swap(size.height, size.width);
    const UsedPart part = UsedPartOf(header, source_, size);
    const int64_t channels = std::min(header.channels, source_.channels);
    ImageResizer resizer(part.size, size, channels);
    std::vector<uint8_t> row(header.width * header.channels);
    for (int64_t y = 0; y < header.height; ++y) {
      DL_RETURN_IF_ERROR(image->ReadRow(row));
      if (header.is_deep) decoded.largest = std::max(decoded.largest, std::ranges::max(row));
      if (y < part.top || y >= part.top + part.size.height) continue;
      if (channels < header.channels) {
        for (int64_t x = 0; x < header.width; ++x) row[x] = Luma(row.data() + 3 * x);
      }
      resizer.AddRow(std::span(row).subspan(part.left * channels, part.size.width * channels));
    }
    DL_RETURN_IF_ERROR(image->Finish());
    decoded.is_deep = header.is_deep;
    decoded.has_alpha = header.has_alpha;
    Store(resizer, header, size, channels, decoded.pixels);
    return absl::OkStatus();
  }

  void Store(const ImageResizer& resizer, const ImageFile::Header& header,
             const ImageResizer::Size& size, int64_t channels, std::vector<uint8_t>& out) const {
    const int64_t plane = source_.height * source_.width;
    out.resize(plane * source_.channels);
    const std::span<uint8_t> pixels = std::span(out).first(plane * channels);
    resizer.Store(pixels);
    if (header.orientation != Orientation::kTopLeft) {
      const std::vector<uint8_t> stored(pixels.begin(), pixels.end());
      for (int64_t c = 0; c < channels; ++c) {
        TurnUpright(header.orientation, std::span(stored).subspan(c * plane, plane), size.height,
                    size.width, pixels.subspan(c * plane, plane));
      }
    }
    for (int64_t c = channels; c < source_.channels; ++c)
      std::copy_n(out.begin(), plane, out.begin() + c * plane);
  }

  const job::ImageFolderSource& source_;
  const int64_t memory_bytes_;
  MemoryBudget budget_;  // for images whose rows cannot be decoded one by one
};

}  // namespace

Status DecodeImages(std::span<const std::string> paths, const job::ImageFolderSource& source,
                    const ImageDecodingOptions& options,
                    const std::function<Status(size_t, const DecodedImage&)>& visit) {
  constexpr int64_t kMostCores = 16, kImagesOfThread = 16;
  const int64_t memory = std::max(options.memory_bytes, limits::kImageMemoryBytes);
  const int64_t example = source.channels * source.height * source.width;
  const int64_t wanted = options.threads > 0
                             ? options.threads
                             : std::min<int64_t>(FindUsableCores().count, kMostCores);
  const int64_t threads = std::clamp<int64_t>(memory / (8 * example), 1, wanted);
  const auto group =
      static_cast<size_t>(std::clamp(memory / 4 / example, int64_t{1}, threads * kImagesOfThread));
  ImageDecoder decoder(source, memory);
  std::vector<DecodedImage> decoded;
  for (size_t begin = 0; begin < paths.size(); begin += group) {
    const auto some = paths.subspan(begin, std::min(group, paths.size() - begin));
    decoded.assign(some.size(), {});
    InParallel(
        std::ssize(some), [&](int64_t i) { decoded[i] = decoder.Decode(some[i]); }, threads);
    for (size_t i = 0; i < some.size(); ++i) DL_RETURN_IF_ERROR(visit(begin + i, decoded[i]));
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
