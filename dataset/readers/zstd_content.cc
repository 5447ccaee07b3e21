#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataset/readers/content.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

// A block of 128 KiB with equal bytes takes a header of three bytes and that byte.
constexpr int64_t kMaxZstdRatio = (128 << 10) / 4;

class ZstdContent final : public Content {
 public:
  ZstdContent(std::string path, std::ifstream file)
      : path_(std::move(path)),
        file_(std::move(file)),
        packed_(ZSTD_DStreamInSize()),
        context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {}

  StatusOr<size_t> Read(std::span<std::byte> out) override {
    ZSTD_outBuffer unpacked{.dst = out.data(), .size = out.size(), .pos = 0};
    while (unpacked.pos < unpacked.size) {
      if (next_.pos == next_.size) DL_RETURN_IF_ERROR(Refill());
      const bool at_end = next_.size == 0;
      if (at_end && !in_frame_) break;
      const size_t before = unpacked.pos;
      const size_t rest = ZSTD_decompressStream(context_.get(), &unpacked, &next_);
      if (ZSTD_isError(rest)) return Bad("cannot be unpacked: ", ZSTD_getErrorName(rest));
      in_frame_ = rest != 0;
      if (at_end && in_frame_ && unpacked.pos == before)
        return Bad("the compressed file ends too early");
    }
    return unpacked.pos;
  }
  int64_t MaxRatio() const override { return kMaxZstdRatio; }

 private:
  // The place is the whole file, as for gzip.
  Status Bad(std::string_view what, std::string_view why = "") const {
    return DataLoss({.message = absl::StrCat(std::string(what), std::string(why)),
                     .where = path_,
                     .remedy = std::string(kFetchAgain)});
  }
  Status Refill() {
    file_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    if (file_.bad()) return Bad("cannot be read: ", std::strerror(errno));
    next_ = {.src = packed_.data(), .size = static_cast<size_t>(file_.gcount()), .pos = 0};
    return absl::OkStatus();
  }

  const std::string path_;
  std::ifstream file_;
  std::vector<char> packed_;
  // Data of packed_ that is not decompressed yet; empty at the end of the file.
  ZSTD_inBuffer next_ = {};
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  bool in_frame_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<Content>> OpenZstd(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return InvalidArgument({.message = absl::StrCat("cannot open the file: ", std::strerror(errno)),
                            .where = path,
                            .remedy = "Check the permissions of the file"});
  }
  return std::make_unique<ZstdContent>(path, std::move(file));
}

}  // namespace dl::dataset
