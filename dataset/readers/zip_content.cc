#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "dataset/readers/content.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/label_texts.h"

namespace dl::dataset {
namespace {

constexpr size_t kBlockBytes = 64 << 10;

// Reads zip archives; other formats of libarchive are not enabled.
class ZipEntry final : public Content {
 public:
  explicit ZipEntry(std::string path) : path_(std::move(path)), zip_(archive_read_new()) {}
  ZipEntry(const ZipEntry&) = delete;
  ZipEntry& operator=(const ZipEntry&) = delete;
  ~ZipEntry() override { archive_read_free(zip_); }

  Status Find(const std::string& name) {
    archive_read_support_format_zip_seekable(zip_);  // seekable: uses the directory of the archive
    if (archive_read_open_filename(zip_, path_.c_str(), kBlockBytes) != ARCHIVE_OK)
      return Bad("cannot be opened as a zip archive");
    std::vector<std::string> names;
    for (archive_entry* entry = nullptr;;) {
      const int answer = archive_read_next_header(zip_, &entry);
      if (answer == ARCHIVE_EOF) break;
      if (answer != ARCHIVE_OK) return Bad("is no whole zip archive");
      const char* found = archive_entry_pathname_utf8(entry);
      if (found == nullptr) continue;  // not representable as UTF-8, so no spec can name it
      if (name != found) {
        names.emplace_back(found);
        continue;
      }
      if (archive_entry_is_encrypted(entry) == 0) return absl::OkStatus();
      return InvalidArgument({.message = absl::StrCat(name, " is encrypted"),
                              .where = path_,
                              .remedy = "Save the array without a password"});
    }
    constexpr size_t kShort = 6;  // "x.npy" and "y.npy" are not misspellings of each other
    return InvalidArgument(
        {.message = absl::StrCat("the archive has no ", name,
                                 name.size() < kShort ? "" : DidYouMean(name, names)),
         .where = path_,
         .remedy = names.empty() ? "Name an archive that holds arrays"
                                 : absl::StrCat("Its entries are ", FirstOf(names),
                                                "; the keys feature_array and label_array of a "
                                                ".json file with the dataset name them, without "
                                                ".npy")});
  }

  StatusOr<size_t> Read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const la_ssize_t got = archive_read_data(zip_, out.data() + done, out.size() - done);
      if (got < 0) return Bad("cannot be unpacked");
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  int64_t MaxRatio() const override { return kMaxDeflateRatio; }

 private:
  Status Bad(std::string_view what) const {
    const char* why = archive_error_string(zip_);
    return DataLoss({.message = absl::StrCat(std::string(what), why == nullptr ? "" : ": ",
                                             why == nullptr ? "" : why),
                     .where = path_,
                     .remedy = std::string(kFetchAgain)});
  }

  const std::string path_;
  archive* const zip_;
};

}  // namespace

StatusOr<std::unique_ptr<Content>> OpenZipEntry(const std::string& path, const std::string& name) {
  auto entry = std::make_unique<ZipEntry>(path);
  DL_RETURN_IF_ERROR(entry->Find(name));
  return entry;
}

}  // namespace dl::dataset
