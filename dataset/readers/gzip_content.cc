#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dataset/readers/content.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

// Returns the text without the path, which zlib puts at its begin.
std::string ZlibText(std::string_view text) {
  const size_t colon = text.rfind(": ");
  return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

// Reads gzip files and plain files, because zlib reads both with the same functions.
class GzipContent final : public Content {
 public:
  GzipContent(std::string path, gzFile file) : path_(std::move(path)), file_(file) {
    gzbuffer(file_, 1 << 17);
    plain_ = gzdirect(file_) != 0;
  }
  GzipContent(const GzipContent&) = delete;
  GzipContent& operator=(const GzipContent&) = delete;
  ~GzipContent() override { gzclose_r(file_); }

  StatusOr<size_t> Read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const auto want = static_cast<unsigned>(std::min(out.size() - done, size_t{1} << 30));
      const int got = gzread(file_, out.data() + done, want);
      int code = Z_OK;
      const char* text = gzerror(file_, &code);
      if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        // The place is the whole file, because zlib does not report the byte at which it stopped.
        return DataLoss({.message = code == Z_BUF_ERROR ? "the compressed file ends too early"
                                    : code == Z_ERRNO
                                        ? absl::StrCat("cannot be read: ", std::strerror(errno))
                                        : absl::StrCat("cannot be unpacked: ", ZlibText(text)),
                         .where = path_,
                         .remedy = std::string(kFetchAgain)});
      }
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  int64_t MaxRatio() const override { return plain_ ? 1 : kMaxDeflateRatio; }

 private:
  const std::string path_;
  gzFile file_;
  bool plain_;
};

}  // namespace

StatusOr<std::unique_ptr<Content>> OpenGzipOrPlain(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return InvalidArgument({.message = absl::StrCat("cannot open the file: ", std::strerror(errno)),
                            .where = path,
                            .remedy = "Check the permissions of the file"});
  }
  return std::make_unique<GzipContent>(path, file);
}

}  // namespace dl::dataset
