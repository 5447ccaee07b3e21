#include "dataset/readers/source_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/shell_word.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/foreign_format.h"

namespace dl::dataset {
namespace {

constexpr size_t kLeastStep = 64 << 10;

constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd", kGzip = "\x1f\x8b";

// Returns an error if the file has an unsupported format. Files of the expected format begin with
// `own`.
Status CheckNotForeign(const std::string& path, std::string_view begin, std::string_view own) {
  if (!own.empty() && begin.starts_with(own)) return absl::OkStatus();
  if (const auto format = RecognizeFormat(begin, path)) return ForeignFileError(*format, path);
  return absl::OkStatus();
}

// Checks the content of a compressed file in the same way. A damaged file is left to its reader.
Status CheckContent(const std::string& path, Content& content, std::string_view own) {
  std::string begin(kFormatBytes, '\0');
  const auto got = content.Read(std::as_writable_bytes(std::span(begin.data(), begin.size())));
  if (!got.ok()) return absl::OkStatus();
  begin.resize(*got);
  if (!begin.starts_with(kGzip) && !begin.starts_with(kZstd))
    return CheckNotForeign(path, begin, own);
  return InvalidArgument({.message = "the file is compressed twice",
                          .where = path,
                          .remedy = "Unpack it once, with gunzip or unzstd"});
}

// Returns enough bytes to recognize the format, or fewer if the file is shorter.
StatusOr<std::string> FirstBytes(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error);
  if (!std::filesystem::exists(kind)) return NoSuchFile(path);
  if (std::filesystem::is_directory(kind)) {
    return InvalidArgument(
        {.message = "is a folder, and a file is expected",
         .where = path,
         .remedy = absl::StrCat("Name its files with a pattern in quotes: ",
                                ShellWord(absl::StrCat(path, path.ends_with('/') ? "*" : "/*")))});
  }
  if (!std::filesystem::is_regular_file(kind)) {
    return InvalidArgument({.message = "is not a regular file",
                            .where = path,
                            .remedy = "Write the data to a file, and name that"});
  }
  std::string bytes(kFormatBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace

StatusOr<SourceFile> SourceFile::Open(const std::string& path, std::string_view own) {
  DL_ASSIGN_OR_RETURN(const std::string begin, FirstBytes(path));
  DL_RETURN_IF_ERROR(CheckNotForeign(path, begin, own));
  SourceFile out;
  out.path_ = path;
  std::error_code error;
  out.file_bytes_ = static_cast<int64_t>(std::filesystem::file_size(path, error));
  const auto open = [&] {
    return begin.starts_with(kZstd) ? OpenZstd(path) : OpenGzipOrPlain(path);
  };
  DL_ASSIGN_OR_RETURN(out.content_, open());
  if (out.IsPlain()) return out;
  DL_RETURN_IF_ERROR(CheckContent(path, *out.content_, own));
  DL_ASSIGN_OR_RETURN(out.content_, open());
  return out;
}

StatusOr<SourceFile> SourceFile::OpenZipEntry(const std::string& path, const std::string& name) {
  DL_ASSIGN_OR_RETURN(const std::string begin, FirstBytes(path));
  if (!begin.starts_with(kZipMagic)) {
    DL_RETURN_IF_ERROR(CheckNotForeign(path, begin, kZipMagic));
    return DataLoss({.message = "is not a zip archive: its first bytes are wrong",
                     .where = path,
                     .remedy = std::string(kFetchAgain)});
  }
  SourceFile out;
  out.path_ = absl::StrCat(path, ", ", name);
  std::error_code error;
  out.file_bytes_ = static_cast<int64_t>(std::filesystem::file_size(path, error));
  DL_ASSIGN_OR_RETURN(out.content_, dataset::OpenZipEntry(path, name));
  return out;
}

Status SourceFile::Damaged(int64_t position, std::string message, std::string_view remedy) const {
  return DataLoss(
      {.message = std::move(message),
       .where = absl::StrCat(path_, " at byte ", position, IsPlain() ? "" : " of its content"),
       .remedy = std::string(remedy.empty() ? kFetchAgain : remedy)});
}

Status SourceFile::CheckTotal(int64_t total) const {
  if (total > limits::kMaxImportBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the header declares ", total, " bytes, but the limit is ",
                                 limits::kMaxImportBytes),
         .where = path_,
         .remedy = "Import fewer examples"});
  }
  if (IsPlain() ? file_bytes_ != total : file_bytes_ < total / content_->MaxRatio()) {
    return DataLoss(
        {.message = absl::StrCat("the header declares ", total, " bytes, but the ",
                                 IsPlain() ? "" : "compressed ", "file has ", file_bytes_),
         .where = path_,
         .remedy = std::string(kFetchAgain)});
  }
  return absl::OkStatus();
}

StatusOr<size_t> SourceFile::ReadSome(std::span<std::byte> out) {
  DL_ASSIGN_OR_RETURN(const size_t got, content_->Read(out));
  position_ += static_cast<int64_t>(got);
  return got;
}

StatusOr<bool> SourceFile::ReadOnto(std::string& held) {
  const size_t before = held.size(), step = std::max(kLeastStep, before);
  held.resize(before + step);
  DL_ASSIGN_OR_RETURN(const size_t got,
                      ReadSome(std::as_writable_bytes(std::span(held).subspan(before))));
  held.resize(before + got);
  return got == step;
}

Status SourceFile::Read(std::span<std::byte> out) {
  DL_ASSIGN_OR_RETURN(const size_t got, ReadSome(out));
  if (got == out.size()) return absl::OkStatus();
  return Damaged(position_, absl::StrCat("ends at byte ", position_, ", ", out.size() - got,
                                         " bytes too early"));
}

Status SourceFile::ExpectEnd() {
  std::byte extra[1];
  DL_ASSIGN_OR_RETURN(const size_t got, ReadSome(extra));
  if (got == 0) return absl::OkStatus();
  return Damaged(position_ - 1, "continues after the size that its header declares");
}

}  // namespace dl::dataset
