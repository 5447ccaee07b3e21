// Unpacks an archive of images, so that it can be read as a folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"

namespace dl::dataset {

// Returns whether the name is that of an archive that UnpackImages can read: .zip, .tar, .tgz,
// .tar.gz or .tar.zst, in upper or lower case.
bool IsImageArchive(const std::string& name);

// Most files and folders of an archive.
inline constexpr int64_t kMaxArchiveFiles = 1'000'000;
// An archive may unpack to this many times its size, and kFreeUnpackedBytes more. Images are
// compressed, so archives of images unpack to about their size.
inline constexpr int64_t kMaxUnpackedRatio = 4;
inline constexpr int64_t kFreeUnpackedBytes = int64_t{64} << 20;

struct UnpackOptions {
  std::string archive;
  std::string folder;                      // an existing, empty folder, which receives the files
  std::function<Status()> may_go_on = {};  // called often; its error ends the work
  int64_t max_files = kMaxArchiveFiles;
};
// Unpacks the regular files of the archive. Returns the folder that contains the folders of
// classes: `folder`, or its only subfolder if that contains folders. Skips names that begin with a
// dot, and folders that systems leave in archives; their bytes count. Names are UTF-8 or raw bytes.
// Returns:
//   - InvalidArgument for an entry that is no regular file and no folder, such as a link, and for
//     one that is encrypted. Also for a name that is absolute, has "..", is too long, or occurs
//     twice, as a file or as a file and a folder.
//   - ResourceExhausted for too many or too large files.
//   - DataLoss for an archive that cannot be read, errors of the file system and of may_go_on.
// After an error, the folder contains some of the files. Errors about the archive name it.
StatusOr<std::string> UnpackImages(const UnpackOptions& options);

}  // namespace dl::dataset
