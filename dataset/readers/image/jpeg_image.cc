// Decodes JPEG with libjpeg-turbo.
//
// The library reports errors with longjmp, so functions that call setjmp have no local objects with
// destructors.
//
// Settings give the same bits on every machine. The inverse transform is JDCT_ISLOW and chroma is
// upsampled in integers; for both, the library's SIMD code and C code agree. Block smoothing of
// progressive files is off, because versions of the library differ.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

// jpeglib.h requires <cstdio>.
#include <jerror.h>
#include <jpeglib.h>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/image/image_file.h"
#include "dataset/readers/image/image_orientation.h"

namespace dl::dataset {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
// The segment APP1 with EXIF data. The orientation is among the first entries, so its beginning is
// enough.
constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kExifBytes = 4 << 10;
constexpr std::string_view kExifBegin("Exif\0\0", 6);

class JpegImage final : public ImageFile {
 public:
  JpegImage(SourceFile file, const std::string& begin) : file_(std::move(file)) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = &OnError;
    errors_.emit_message = &OnMessage;
    jpeg_.client_data = this;
    std::memcpy(buffer_.data(), begin.data(), begin.size());
    source_.next_input_byte = buffer_.data();
    source_.bytes_in_buffer = begin.size();
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = &OnEmpty;
    source_.skip_input_data = &OnSkip;
    source_.resync_to_restart = &jpeg_resync_to_restart;
    progress_.progress_monitor = &OnProgress;
  }
  JpegImage(const JpegImage&) = delete;
  JpegImage& operator=(const JpegImage&) = delete;
  ~JpegImage() override { jpeg_destroy_decompress(&jpeg_); }

  Status ReadHeader() {
    if (setjmp(jump_) != 0) return Why();
    jpeg_create_decompress(&jpeg_);
    jpeg_.src = &source_;
    jpeg_.progress = &progress_;
    jpeg_save_markers(&jpeg_, kExifMarker, kExifBytes);
    jpeg_read_header(&jpeg_, TRUE);
    header_.orientation = StoredOrientation();
    header_.height = jpeg_.image_height;
    header_.width = jpeg_.image_width;
    header_.channels = jpeg_.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    if (jpeg_has_multiple_scans(&jpeg_)) {
      for (int i = 0; i < jpeg_.num_components; ++i) {
        const jpeg_component_info& part = jpeg_.comp_info[i];
        header_.memory_bytes += int64_t{part.width_in_blocks} * part.height_in_blocks * DCTSIZE2 *
                                int64_t{sizeof(JCOEF)};
      }
    }
    if (Status status = CheckColors(); !status.ok()) return status;
    return CheckImageSize(file_, header_.height, header_.width);
  }

  Status Begin() override {
    if (setjmp(jump_) != 0) return Why();
    jpeg_.out_color_space = header_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_.dct_method = JDCT_ISLOW;
    jpeg_.do_fancy_upsampling = TRUE;
    jpeg_.do_block_smoothing = FALSE;
    jpeg_start_decompress(&jpeg_);
    return absl::OkStatus();
  }

  Status ReadRow(std::span<uint8_t> row) override {
    if (setjmp(jump_) != 0) return Why();
    JSAMPROW out = row.data();
    while (jpeg_read_scanlines(&jpeg_, &out, 1) == 0) continue;
    return absl::OkStatus();
  }

  // Ignores data after the image, which some cameras write.
  Status Finish() override {
    if (setjmp(jump_) != 0) return Why();
    jpeg_finish_decompress(&jpeg_);
    return absl::OkStatus();
  }

 private:
  Orientation StoredOrientation() const {
    for (jpeg_saved_marker_ptr at = jpeg_.marker_list; at != nullptr; at = at->next) {
      const std::span<const uint8_t> data(at->data, at->data_length);
      if (at->marker != kExifMarker || data.size() < kExifBegin.size() ||
          !std::equal(kExifBegin.begin(), kExifBegin.end(), data.begin()))
        continue;
      return OrientationInExif(data.subspan(kExifBegin.size()));
    }
    return Orientation::kTopLeft;
  }

  Status CheckColors() const {
    const J_COLOR_SPACE space = jpeg_.jpeg_color_space;
    if (space == JCS_GRAYSCALE || space == JCS_YCbCr || space == JCS_RGB) return absl::OkStatus();
    return InvalidArgument(
        {.message =
             space == JCS_CMYK || space == JCS_YCCK
                 ? "its colors are CMYK, which have no definite meaning without a color profile"
                 : absl::StrCat("it has ", jpeg_.num_components, " channels of unknown meaning"),
         .where = file_.path(),
         .remedy = "Convert it to RGB or grey"});
  }

  // Returns false on failure, with the reason in status_.
  bool Fill() {
    const auto got = file_.ReadSome(std::as_writable_bytes(std::span(buffer_)));
    if (!got.ok()) {
      status_ = got.status();
    } else if (*got == 0) {
      status_ = file_.Damaged(file_.position(),
                              absl::StrCat("ends at byte ", file_.position(), " in its image"));
    } else {
      source_.next_input_byte = buffer_.data();
      source_.bytes_in_buffer = *got;
      return true;
    }
    return false;
  }

  static JpegImage* Self(j_common_ptr jpeg) { return static_cast<JpegImage*>(jpeg->client_data); }
  static boolean OnEmpty(j_decompress_ptr jpeg) {
    JpegImage* self = static_cast<JpegImage*>(jpeg->client_data);
    if (!self->Fill()) std::longjmp(self->jump_, 1);
    return TRUE;
  }
  static void OnSkip(j_decompress_ptr jpeg, long bytes) {
    jpeg_source_mgr* source = jpeg->src;
    for (auto left = static_cast<size_t>(bytes > 0 ? bytes : 0); left > 0;) {
      if (source->bytes_in_buffer == 0) OnEmpty(jpeg);
      const size_t now = left < source->bytes_in_buffer ? left : source->bytes_in_buffer;
      source->next_input_byte += now;
      source->bytes_in_buffer -= now;
      left -= now;
    }
  }
  static void OnError(j_common_ptr jpeg) {
    JpegImage* self = Self(jpeg);
    (*jpeg->err->format_message)(jpeg, self->message_);
    std::longjmp(self->jump_, 1);
  }
  // Treats warnings (level -1) as errors, because pixels are lost or invented, except for three.
  static void OnMessage(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    switch (jpeg->err->msg_code) {
      case JWRN_EXTRANEOUS_DATA:  // additional bytes, which some cameras write
      case JWRN_JFIF_MAJOR:
      case JWRN_ADOBE_XFORM:
        return;
      default:
        OnError(jpeg);
    }
  }
  // Limits the number of scans of a progressive file. Each scan costs time for all pixels, even if
  // it has only a few bytes.
  static void OnProgress(j_common_ptr jpeg) {
    const auto* decompress = reinterpret_cast<j_decompress_ptr>(jpeg);
    if (decompress->input_scan_number <= limits::kMaxImageScans) return;
    JpegImage* self = Self(jpeg);
    std::snprintf(self->message_, sizeof self->message_, "it has more than %d scans",
                  static_cast<int>(limits::kMaxImageScans));
    std::longjmp(self->jump_, 1);
  }

  Status Why() const {
    if (!status_.ok()) return status_;
    return file_.Damaged(file_.position() - static_cast<int64_t>(source_.bytes_in_buffer),
                         absl::StrCat("is no whole JPEG image: ", message_));
  }

  SourceFile file_;
  jpeg_decompress_struct jpeg_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_source_mgr source_ = {};
  jpeg_progress_mgr progress_ = {};
  std::array<JOCTET, kBufferBytes> buffer_;
  Status status_;
  char message_[JMSG_LENGTH_MAX] = {};
  std::jmp_buf jump_;
};

}  // namespace

StatusOr<std::unique_ptr<ImageFile>> OpenJpeg(SourceFile file, const std::string& begin) {
  auto image = std::make_unique<JpegImage>(std::move(file), begin);
  DL_RETURN_IF_ERROR(image->ReadHeader());
  return image;
}

}  // namespace dl::dataset
