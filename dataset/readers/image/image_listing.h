// Lists the files of a folder of images in an order that does not depend on the file system.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"

namespace dl::dataset {

// Returns the subfolders of `folder`, one for each class, in the byte order of their names. Returns
// the folder itself, unchecked, if images have no labels. Skips files next to the subfolders.
//
// All functions that read a folder skip names that begin with a dot and files that systems leave in
// folders, and follow links. They return NotFound if the folder does not exist, and InvalidArgument
// if it is not a folder, cannot be read, or has more than limits::kMaxImagesOfClass entries. This
// function also returns InvalidArgument if there are no subfolders.
StatusOr<std::vector<std::string>> ImageFolders(const std::string& folder, LabelColumns labels);

// The files in a folder, in the byte order of their names.
struct ImageFiles {
  std::vector<std::string> images;  // all other files, whatever their endings
  std::vector<std::string> others;  // files with an ending of other data, such as ".txt" or ".zip"
};
// If `folder` is a regular file, returns this file as the only image. Returns InvalidArgument if
// the folder contains something that is not a regular file, such as a folder or a broken link.
StatusOr<ImageFiles> ImagesIn(const std::string& folder);

// Returns the files next to the folders of classes that have a name of PNG or JPEG. They have no
// class. Errors are those of every function that reads a folder (ImageFolders).
StatusOr<std::vector<std::string>> ImagesBesideFolders(const std::string& folder);

// Returns whether the name of the folder suggests a training or test set with folders of classes.
bool IsNamedAsSet(const std::string& folder);

// Returns the last part of a path.
std::string NameOfPath(const std::string& path);
// Returns the path of a file relative to a folder that contains it.
std::string NameIn(const std::string& folder, const std::string& path);

}  // namespace dl::dataset
