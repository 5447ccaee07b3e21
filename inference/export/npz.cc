#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "inference/export/tensors.h"

namespace dl::inference {
namespace {

// Returns the bytes before the values of a .npy file.
std::string NpyHeader(std::string_view descr, const std::vector<int64_t>& shape) {
  std::string extents;
  for (int64_t extent : shape) absl::StrAppend(&extents, extent, ", ");
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  std::string header = absl::StrCat("{'descr': '", std::string(descr),
                                    "', 'fortran_order': False, 'shape': (", extents, "), }");
  constexpr size_t kPrefix = 10, kAlignment = 64;
  header.append((kAlignment - (kPrefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header += '\n';
  const uint16_t length = static_cast<uint16_t>(header.size());
  std::string out("\x93NUMPY\x01\x00", 8);
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return out + header;
}

// Writes a zip archive with libarchive, without seeking, so sizes and checksums of an entry follow
// its bytes. Entries have no time, so zip's first time, 1980-01-01, is stored in every time zone.
class ZipArchive {
 public:
  // `sink` must outlive the archive.
  explicit ZipArchive(ByteSink sink) : sink_(sink), zip_(archive_write_new()) {}
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;
  ~ZipArchive() {
    // The failed status stops all writes to the sink, so an unfinished archive is not completed.
    status_.Update(Cancelled({.message = "the archive was not finished"}));
    archive_write_close(zip_);
    archive_write_free(zip_);
  }

  Status Open() {
    DL_RETURN_IF_ERROR(Check(archive_write_set_format_zip(zip_)));
    DL_RETURN_IF_ERROR(Check(archive_write_zip_set_compression_store(zip_)));
    // No buffer in libarchive.
    DL_RETURN_IF_ERROR(Check(archive_write_set_bytes_per_block(zip_, 0)));
    return Check(archive_write_open2(zip_, this, nullptr, &Write, nullptr, nullptr));
  }

  Status Add(const std::string& name, std::string_view header, std::string_view values) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(
        archive_entry_new2(zip_), &archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<int64_t>(header.size() + values.size()));
    DL_RETURN_IF_ERROR(Check(archive_write_header(zip_, entry.get())));
    DL_RETURN_IF_ERROR(Append(header));
    return Append(values);
  }

  Status Finish() { return Check(archive_write_close(zip_)); }

 private:
  Status Append(std::string_view bytes) {
    // libarchive includes only the lower 32 bits of the length of one call in the checksum.
    constexpr size_t kMaxAtOnce = 1 << 20;
    for (size_t at = 0; at < bytes.size(); at += kMaxAtOnce) {
      const std::string_view piece = bytes.substr(at, kMaxAtOnce);
      const bool whole = archive_write_data(zip_, piece.data(), piece.size()) ==
                         static_cast<la_ssize_t>(piece.size());
      DL_RETURN_IF_ERROR(Check(whole ? ARCHIVE_OK : ARCHIVE_FATAL));
    }
    return absl::OkStatus();
  }

  static la_ssize_t Write(archive*, void* self, const void* bytes, size_t size) {
    auto& zip = *static_cast<ZipArchive*>(self);
    if (zip.status_.ok()) zip.status_ = zip.sink_({static_cast<const char*>(bytes), size});
    return zip.status_.ok() ? static_cast<la_ssize_t>(size) : -1;
  }

  Status Check(int answer) {
    if (answer == ARCHIVE_OK) return absl::OkStatus();
    DL_RETURN_IF_ERROR(status_);
    const char* why = archive_error_string(zip_);
    return Internal({.message = absl::StrCat("cannot write the zip archive: ",
                                             why == nullptr ? "no reason given" : why),
                     .remedy = "Export with --format safetensors"});
  }

  ByteSink sink_;
  archive* zip_;
  Status status_;  // last status of the sink
};

}  // namespace

Status WriteNpz(const TensorFile& file, ByteSink sink) {
  ZipArchive zip(sink);
  DL_RETURN_IF_ERROR(zip.Open());
  for (const NamedTensor& tensor : file.tensors) {
    DL_RETURN_IF_ERROR(
        zip.Add(tensor.name + ".npy", NpyHeader("<f4", tensor.shape), BytesOf(tensor)));
  }
  if (!file.metadata.empty()) {
    const std::string text = JsonText(file.metadata);
    DL_RETURN_IF_ERROR(
        zip.Add("__metadata__.npy", NpyHeader(absl::StrCat("|S", text.size()), {}), text));
  }
  return zip.Finish();
}

}  // namespace dl::inference
