// Decodes PNG with libpng. The library reports errors with longjmp, so functions that call setjmp
// have no local objects with destructors.
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataset/readers/image/image_file.h"
#include "dataset/readers/image/image_orientation.h"

namespace dl::dataset {
namespace {

constexpr int kSignatureBytes = 8;

class PngImage final : public ImageFile {
 public:
  explicit PngImage(SourceFile file) : file_(std::move(file)) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &OnError, &OnWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() override { png_destroy_read_struct(&png_, &info_, nullptr); }

  Status ReadHeader() {
    if (info_ == nullptr) return ResourceExhausted({.message = "no memory for a PNG image"});
    if (setjmp(jump_) != 0) return Why();
    png_set_read_fn(png_, this, &OnRead);
    png_set_sig_bytes(png_, kSignatureBytes);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // CheckImageSize limits the size
    // Skips texts, profiles and other chunks, which could decompress to any size.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    static constexpr png_byte kExif[] = {'e', 'X', 'I', 'f', '\0'};
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT, kExif, 1);
    png_read_info(png_, info_);
    const bool color = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
    header_.height = png_get_image_height(png_, info_);
    header_.width = png_get_image_width(png_, info_);
    header_.channels = color ? 3 : 1;
    header_.has_alpha = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
                        png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    header_.is_deep = png_get_bit_depth(png_, info_) == 16;
    png_uint_32 exif_bytes = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png_, info_, &exif_bytes, &exif) != 0)
      header_.orientation = OrientationInExif({exif, exif_bytes});
    if (png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE)
      header_.memory_bytes = header_.height * header_.width * header_.channels;
    return CheckImageSize(file_, header_.height, header_.width);
  }

  Status Begin() override {
    whole_.resize(header_.memory_bytes);
    return ReadInterlaced();
  }

  Status ReadRow(std::span<uint8_t> row) override {
    if (!whole_.empty()) {
      const auto begin = whole_.begin() + next_++ * std::ssize(row);
      std::copy(begin, begin + std::ssize(row), row.begin());
      return absl::OkStatus();
    }
    if (setjmp(jump_) != 0) return Why();
    png_read_row(png_, row.data(), nullptr);
    return absl::OkStatus();
  }

  Status Finish() override {
    if (setjmp(jump_) != 0) return Why();
    png_read_end(png_, nullptr);
    return absl::OkStatus();
  }

 private:
  // Sets the conversion of values. Reads the whole image if rows come in several passes.
  Status ReadInterlaced() {
    if (setjmp(jump_) != 0) return Why();
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_scale_16(png_);
    png_set_strip_alpha(png_);
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    const int64_t row = header_.width * header_.channels;
    if (png_get_rowbytes(png_, info_) != static_cast<size_t>(row))
      png_error(png_, "rows have another size than its header says");
    if (whole_.empty()) return absl::OkStatus();
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < header_.height; ++y)
        png_read_row(png_, whole_.data() + y * row, nullptr);
    }
    return absl::OkStatus();
  }

  // Returns false on failure, with the reason in status_.
  bool Fill(png_bytep out, size_t size) {
    status_ = file_.Read(std::as_writable_bytes(std::span(out, size)));
    return status_.ok();
  }
  static void OnRead(png_structp png, png_bytep out, size_t size) {
    auto* self = static_cast<PngImage*>(png_get_io_ptr(png));
    if (!self->Fill(out, size)) std::longjmp(self->jump_, 1);
  }
  static void OnError(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngImage*>(png_get_error_ptr(png));
    std::snprintf(self->message_, sizeof self->message_, "%s", message);
    std::longjmp(self->jump_, 1);
  }
  // Ignores damage that does not affect pixels, as in chunks of text.
  static void OnWarning(png_structp, png_const_charp) {}

  Status Why() const {
    if (!status_.ok()) return status_;
    return file_.Damaged(file_.position(), absl::StrCat("is no whole PNG image: ", message_));
  }

  SourceFile file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<uint8_t> whole_;  // pixels of an interlaced image
  int64_t next_ = 0;            // next row of whole_
  Status status_;
  char message_[256] = {};
  std::jmp_buf jump_;
};

}  // namespace

StatusOr<std::unique_ptr<ImageFile>> OpenPng(SourceFile file) {
  auto image = std::make_unique<PngImage>(std::move(file));
  DL_RETURN_IF_ERROR(image->ReadHeader());
  return image;
}

}  // namespace dl::dataset
