// Lists the files of a folder of images in an order that does not depend on the file system.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"

namespace dl::dataset {

// Returns the subfolders of `folder`, one for each class, in the byte order of their names. Returns
// the folder itself if images have no labels. Skips names that begin with a dot, and files next to
// the subfolders. Follows links. Returns an error if the folder does not exist, is not a folder, or
// has no subfolders.
StatusOr<std::vector<std::string>> ImageFolders(const std::string& folder, LabelColumns labels);

// The files in a folder, in the byte order of their names, without names that begin with a dot.
// Links are followed.
struct ImageFiles {
  std::vector<std::string> images;
  std::vector<std::string> others;  // files with other endings, such as ".txt" or ".csv"
};
// Returns an error if the folder contains something that is not a regular file, such as a folder,
// or more than limits::kMaxImagesOfClass files.
StatusOr<ImageFiles> ImagesIn(const std::string& folder);

// Returns the image files next to the folders of classes. They have no class.
StatusOr<std::vector<std::string>> ImagesBesideFolders(const std::string& folder);

// Returns the last part of a path.
std::string NameOfPath(const std::string& path);

}  // namespace dl::dataset
