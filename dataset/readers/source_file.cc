#include "dataset/readers/source_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMaxDeflateRatio = 1032;

// zlib puts the path in front of its texts.
std::string ZlibText(std::string_view text) {
  const size_t colon = text.rfind(": ");
  return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

// What a file begins with that zlib does not unpack, and what it is.
struct Packed {
  std::string_view begin, what;
};
constexpr Packed kPacked[] = {{"\x28\xb5\x2f\xfd", "compressed with zstd"},
                              {"PK\x03\x04", "a zip archive"},
                              {"BZh91AY&SY", "compressed with bzip2"},
                              {{"\xfd\x37zXZ\0", 6}, "compressed with xz"},
                              {"\x04\x22\x4d\x18", "compressed with lz4"},
                              {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
                              {"PAR1", "a Parquet file"},
                              {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
                              {"\x93NUMPY", "a NumPy file"}};

// OK for a file that is none of them.
Status CheckNotPacked(const std::string& path) {
  char begin[16] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(begin, sizeof begin);
  const std::string_view bytes(begin, static_cast<size_t>(file.gcount()));
  for (const Packed& packed : kPacked) {
    if (!bytes.starts_with(packed.begin)) continue;
    return InvalidArgument({.message = absl::StrCat("the file is ", std::string(packed.what)),
                            .where = path,
                            .remedy =
                                "Unpack or convert it: csv, idx and cifar10 files are read, plain "
                                "or compressed with gzip"});
  }
  return absl::OkStatus();
}

}  // namespace

// zlib reads plain files through the same calls, so there is one path for both.
struct SourceFile::Stream {
  gzFile file = nullptr;
  int plain = 0;
  ~Stream() {
    if (file != nullptr) gzclose_r(file);
  }
};

SourceFile::SourceFile(SourceFile&&) noexcept = default;
SourceFile& SourceFile::operator=(SourceFile&&) noexcept = default;
SourceFile::~SourceFile() = default;

StatusOr<SourceFile> SourceFile::Open(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error);
  if (!std::filesystem::exists(kind)) return NoSuchFile(path);
  if (!std::filesystem::is_regular_file(kind)) {
    return InvalidArgument({.message = "is not a regular file",
                            .where = path,
                            .remedy = "Name a file, not a folder or a device"});
  }
  DL_RETURN_IF_ERROR(CheckNotPacked(path));
  SourceFile out;
  out.path_ = path;
  out.file_bytes_ = static_cast<int64_t>(std::filesystem::file_size(path, error));
  out.stream_ = std::make_unique<Stream>();
  out.stream_->file = error ? nullptr : gzopen(path.c_str(), "rbe");
  if (out.stream_->file == nullptr) {
    return InvalidArgument({.message = absl::StrCat("cannot open the file: ", std::strerror(errno)),
                            .where = path,
                            .remedy = "Check the permissions of the file"});
  }
  gzbuffer(out.stream_->file, 1 << 17);
  out.stream_->plain = gzdirect(out.stream_->file);
  return out;
}

Status SourceFile::Damaged(int64_t position, std::string message, std::string_view remedy) const {
  return DataLoss(
      {.message = std::move(message),
       .where = absl::StrCat(path_, " at byte ", position, stream_->plain ? "" : " of its content"),
       .remedy = std::string(remedy.empty() ? kFetchAgain : remedy)});
}

Status SourceFile::CheckTotal(int64_t total) const {
  if (total > limits::kMaxImportBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the header declares ", total, " bytes, the limit is ",
                                 limits::kMaxImportBytes),
         .where = path_,
         .remedy = "Import fewer examples"});
  }
  if (stream_->plain ? file_bytes_ != total : file_bytes_ < total / kMaxDeflateRatio) {
    return DataLoss(
        {.message = absl::StrCat("the header declares ", total, " bytes, the ",
                                 stream_->plain ? "" : "compressed ", "file has ", file_bytes_),
         .where = path_,
         .remedy = std::string(kFetchAgain)});
  }
  return absl::OkStatus();
}

StatusOr<size_t> SourceFile::ReadSome(std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const auto want = static_cast<unsigned>(std::min(out.size() - done, size_t{1} << 30));
    const int got = gzread(stream_->file, out.data() + done, want);
    int code = Z_OK;
    const char* text = gzerror(stream_->file, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      // Of the file as a whole: zlib does not say at which of its bytes it stopped.
      return DataLoss({.message = code == Z_BUF_ERROR
                                      ? absl::StrCat("the compressed file ends too early, after ",
                                                     file_bytes_, " bytes")
                                  : code == Z_ERRNO
                                      ? absl::StrCat("cannot be read: ", std::strerror(errno))
                                      : absl::StrCat("cannot be unpacked: ", ZlibText(text)),
                       .where = path_,
                       .remedy = std::string(kFetchAgain)});
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
    position_ += got;
  }
  return done;
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
  return Damaged(position_ - 1, "goes on behind the size that its header declares");
}

}  // namespace dl::dataset
