// The files of a folder of images, in an order that no file system decides.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"

namespace dl::dataset {

// The folders in `folder`, one for each class, sorted by the bytes of their names; without labels
// the folder itself. Names that begin with a full stop, and files beside the folders, are left
// alone; links are followed. Errors: it is not there or no folder, it has no folders.
StatusOr<std::vector<std::string>> ImageFolders(const std::string& folder, LabelColumns labels);

// The files in a folder, sorted by the bytes of their names; what begins with a full stop is left
// alone, links are followed. Errors: something that is no regular file, a folder too; more than
// limits::kMaxImagesOfClass.
StatusOr<std::vector<std::string>> ImagesIn(const std::string& folder);

// The last part of a path.
std::string NameOfPath(const std::string& path);

}  // namespace dl::dataset
