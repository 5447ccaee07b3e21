// A folder of images with a folder for each class, whose name is the class's. What each image
// becomes: docs/formats.md.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/image_folder.h"

namespace dl::dataset {

// Images (channels, height, width) of bytes, in the order of their paths' bytes, class by class;
// the classes are the folders, sorted by the bytes of their names, or of a test split the training
// split's, some of which may have no folder. Beside its rows it holds one image in memory, a row at
// a time, or one whose rows do not come one by one: that has to fit into `options.memory`, or
// limits::kImageMemoryBytes. Errors name the file: a training class without images, a test class
// that the training split has not, what is no image or no whole one.
StatusOr<ExampleTable> ReadImageFolder(const job::ImageFolderSource& source,
                                       const ReadOptions& options = {});

}  // namespace dl::dataset
