#include "dataset/readers/image/image_file.h"

#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpeg = "\xff\xd8\xff";

// Returns the name of an image format that is not supported, from the first bytes of the file.
std::string_view ForeignFormat(std::string_view begin) {
  if (begin.starts_with("GIF8")) return "a GIF image";
  if (begin.starts_with("BM")) return "a BMP image";
  if (begin.starts_with("RIFF")) return "a WebP image";
  if (begin.starts_with("II*") || begin.starts_with("MM")) return "a TIFF image";
  if (begin.size() >= 8 && begin.substr(4) == "ftyp") return "an HEIC or AVIF image";
  return begin.empty() ? "empty" : "no image that is known";
}

}  // namespace

Status CheckImageSize(const SourceFile& file, int64_t height, int64_t width) {
  if (height <= limits::kMaxImageSide && width <= limits::kMaxImageSide &&
      height * width <= limits::kMaxImagePixels) {
    return absl::OkStatus();
  }
  return ResourceExhausted(
      {.message = absl::StrCat("its header declares ", height, " x ", width,
                               " pixels (height x width), but the limit is ", limits::kMaxImageSide,
                               " a side or ", limits::kMaxImagePixels, " in all"),
       .where = file.path(),
       .remedy = "Save a smaller image, or remove it"});
}

StatusOr<std::unique_ptr<ImageFile>> OpenImage(const std::string& path) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  std::string begin(kPng.size(), '\0');
  DL_ASSIGN_OR_RETURN(const size_t got,
                      file.ReadSome(std::as_writable_bytes(std::span(begin.data(), begin.size()))));
  begin.resize(got);
  if (begin == kPng) return OpenPng(std::move(file));
  if (begin.starts_with(kJpeg)) return OpenJpeg(std::move(file), begin);
  return InvalidArgument({.message = absl::StrCat("is neither PNG nor JPEG: it is ",
                                                  std::string(ForeignFormat(begin))),
                          .where = path,
                          .remedy = "Convert it to PNG or JPEG, or move it away"});
}

}  // namespace dl::dataset
