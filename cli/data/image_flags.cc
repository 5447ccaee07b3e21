#include "cli/data/image_flags.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/system_error.h"
#include "cli/exit_code.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/image/image_archive.h"
#include "job/dataset_spec.h"

namespace dl::cli {
namespace {

namespace fs = std::filesystem;

struct ImageSize {
  int64_t height = 0, width = 0;
};

StatusOr<ImageSize> ParseImageSize(const std::string& text) {
  const size_t cross = text.find('x');
  ImageSize size;
  const auto is_side = [](const std::string& side, int64_t& value) {
    return absl::SimpleAtoi(side, &value) && value >= 1 && value <= limits::kMaxImageSide;
  };
  if (cross != std::string::npos && is_side(text.substr(0, cross), size.height) &&
      is_side(text.substr(cross + 1), size.width)) {
    return size;
  }
  const std::string wanted =
      absl::StrCat("Give height and width, 1 to ", limits::kMaxImageSide, ": --image-size 64x64");
  if (text.empty()) {
    return UsageError({.message = "a folder or an archive of images needs the size of examples",
                       .where = "--image-size",
                       .remedy = absl::StrCat(wanted, ". Unpack archives of other data")});
  }
  return UsageError({.message = absl::StrCat("\"", text, "\" is no size of images"),
                     .where = "--image-size",
                     .remedy = wanted});
}

}  // namespace

StatusOr<UnpackedArchive> UnpackedArchive::Unpack(const std::string& archive,
                                                  std::function<Status()> may_go_on) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "images-XXXXXX").string();
  if (error) return SystemError(error.value(), "find the folder for temporary files", "TMPDIR");
  if (mkdtemp(pattern.data()) == nullptr)
    return SystemError(errno, "create a temporary folder", pattern);
  UnpackedArchive unpacked(archive, pattern);
  DL_ASSIGN_OR_RETURN(unpacked.images_, dataset::UnpackImages({.archive = archive,
                                                               .folder = pattern,
                                                               .may_go_on = std::move(may_go_on)}));
  return unpacked;
}

UnpackedArchive::UnpackedArchive(UnpackedArchive&& other) noexcept
    : archive_(std::move(other.archive_)),
      folder_(std::exchange(other.folder_, {})),
      images_(std::move(other.images_)) {}

UnpackedArchive::~UnpackedArchive() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string UnpackedArchive::WithArchive(const std::string& text) const {
  return absl::StrReplaceAll(text, {{folder_, archive_}});
}

Status UnpackedArchive::WithArchive(const Status& status) const {
  Status named(status.code(), WithArchive(std::string(status.message())));
  status.ForEachPayload([&](absl::string_view kind, const absl::Cord& value) {
    named.SetPayload(kind, absl::Cord(WithArchive(std::string(value))));
  });
  return named;
}

Status CheckHoldsNoTable(const std::string& archive) {
  const auto format = dataset::RecognizeFile(archive);
  if (!format) return absl::OkStatus();
  for (const char* ending :
       {".csv", ".tsv", ".txt", ".data", ".libsvm", ".svm", ".npz", ".json", ".parquet"}) {
    if (absl::EndsWithIgnoreCase(format->what, ending))
      return dataset::ForeignFileError(*format, archive);
  }
  return absl::OkStatus();
}

void ImageFlags::Declare(Flags& flags) {
  flags.Text("--image-size", "HxW", size_,
             "Size of the examples of a folder or an archive of images, such as 64x64. All images "
             "are resized.");
  flags.Integer("--image-channels", "N", channels_,
                "Channels of these examples: 1 for gray, 3 for red, green and blue. Default: 3.", 1,
                3);
}

Status ImageFlags::Check() const {
  if (channels_ == 2) {
    return UsageError({.message = "images have 1 or 3 channels",
                       .where = "--image-channels",
                       .remedy = "Give 1 for gray, 3 for red, green and blue"});
  }
  return ParseImageSize(size_).status();
}

StatusOr<Json> ImageFlags::Describe(const std::string& folder) const {
  DL_RETURN_IF_ERROR(Check());
  DL_ASSIGN_OR_RETURN(const ImageSize size, ParseImageSize(size_));
  job::ImageFolderSource source = data::ImageFolder(folder, size.height, size.width);
  if (channels_ != 0) source.channels = channels_;
  return job::ToJson(job::DatasetSpec(source));
}

}  // namespace dl::cli
