#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
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

  // Goes on to the next entry and sets `name` to its name. Returns false after the last one. The
  // name is "" if UTF-8 cannot represent it; no spec can name the entry then.
  StatusOr<bool> Next(std::string& name) {
    const int answer = archive_read_next_header(zip_, &entry_);
    if (answer == ARCHIVE_EOF) return false;
    if (answer != ARCHIVE_OK) return Bad("is no whole zip archive");
    const char* found = archive_entry_pathname_utf8(entry_);
    name = found == nullptr ? "" : found;
    return true;
  }

  Status Open() {
    archive_read_support_format_zip_seekable(zip_);  // seekable: uses the directory of the archive
    if (archive_read_open_filename(zip_, path_.c_str(), kBlockBytes) != ARCHIVE_OK)
      return Bad("cannot be opened as a zip archive");
    return absl::OkStatus();
  }

  Status Find(const std::string& name) {
    DL_RETURN_IF_ERROR(Open());
    std::vector<std::string> names;
    for (std::string found;;) {
      DL_ASSIGN_OR_RETURN(const bool more, Next(found));
      if (!more) break;
      if (found.empty()) continue;
      if (name != found) {
        names.push_back(found);
        continue;
      }
      if (archive_entry_is_encrypted(entry_) == 0) return absl::OkStatus();
      return InvalidArgument({.message = absl::StrCat(name, " is encrypted"),
                              .where = path_,
                              .remedy = "Save the array without a password"});
    }
    const auto has = [&](const char* entry) {
      return std::ranges::find(names, entry) != names.end();
    };
    if (has("indptr.npy") && has("data.npy") && has("shape.npy")) {
      return InvalidArgument(
          {.message = "the archive has a sparse matrix of SciPy, not arrays of examples",
           .where = path_,
           .remedy =
               "Save arrays: numpy.savez(FILE, x=scipy.sparse.load_npz(FILE).toarray(), y=y); "
               "or write libsvm with sklearn.datasets.dump_svmlight_file"});
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
  archive_entry* entry_ = nullptr;  // the current one, owned by zip_
};

}  // namespace

StatusOr<std::unique_ptr<Content>> OpenZipEntry(const std::string& path, const std::string& name) {
  auto entry = std::make_unique<ZipEntry>(path);
  DL_RETURN_IF_ERROR(entry->Find(name));
  return entry;
}

StatusOr<std::vector<std::string>> ZipEntryNames(const std::string& path) {
  ZipEntry archive(path);
  DL_RETURN_IF_ERROR(archive.Open());
  std::vector<std::string> names;
  for (std::string name;;) {
    DL_ASSIGN_OR_RETURN(const bool more, archive.Next(name));
    if (!more) return names;
    if (!name.empty()) names.push_back(name);
  }
}

}  // namespace dl::dataset
