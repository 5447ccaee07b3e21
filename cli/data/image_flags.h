// Folders and archives of images given on a command line instead of a document that describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/flags.h"

namespace dl::cli {

// A temporary folder with the files of an archive. The destructor deletes it.
class UnpackedArchive {
 public:
  // Unpacks an archive of images into TMPDIR, else /tmp. Errors are those of dataset::UnpackImages
  // and of the file system. `may_go_on` is that of dataset::UnpackOptions.
  static StatusOr<UnpackedArchive> Unpack(const std::string& archive,
                                          std::function<Status()> may_go_on);
  ~UnpackedArchive();
  UnpackedArchive(UnpackedArchive&& other) noexcept;
  UnpackedArchive& operator=(UnpackedArchive&&) = delete;

  // The folder with a folder for each class.
  const std::string& images() const { return images_; }

  // Return a text or an error with the path of the archive instead of that of the folder, which the
  // user does not know. Other parts of the error are kept.
  std::string WithArchive(const std::string& text) const;
  Status WithArchive(const Status& status) const;

 private:
  UnpackedArchive(std::string archive, std::string folder)
      : archive_(std::move(archive)), folder_(std::move(folder)) {}
  std::string archive_, folder_, images_;
};

// Returns InvalidArgument that names the format if the first file in a zip archive is a table or an
// array, such as "t.csv".
Status CheckHoldsNoTable(const std::string& archive);

// The flags --image-size and --image-channels.
class ImageFlags {
 public:
  void Declare(Flags& flags);
  bool given() const { return !size_.empty() || channels_ != 0; }
  // Returns the document of a folder of images. Returns UsageError if the size is missing or wrong.
  StatusOr<Json> Describe(const std::string& folder) const;
  // Returns the UsageError of Describe, if any.
  Status Check() const;

 private:
  std::string size_;
  int64_t channels_ = 0;  // 0: not given
};

}  // namespace dl::cli
