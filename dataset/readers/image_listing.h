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

// The files in a folder, sorted by the bytes of their names, without those whose name begins with a
// full stop. Links are followed.
struct ImageFiles {
  std::vector<std::string> images;
  std::vector<std::string> others;  // whose ending says that they are no images: ".txt", ".csv"
};
// Errors: something that is no regular file, a folder too; more than limits::kMaxImagesOfClass.
StatusOr<ImageFiles> ImagesIn(const std::string& folder);

// The files beside folders of classes that have an image's ending: they have no class.
StatusOr<std::vector<std::string>> ImagesBesideFolders(const std::string& folder);

// The last part of a path.
std::string NameOfPath(const std::string& path);

}  // namespace dl::dataset
