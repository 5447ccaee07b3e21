// Reads a folder of images with a subfolder for each class, which names the class. docs/formats.md
// describes how each image is converted.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/image_folder.h"

namespace dl::dataset {

// Returns images (channels, height, width) as bytes, class by class, in the byte order of their
// paths. The classes are the folders in the byte order of their names. A test split has the classes
// of the training split, some of which may have no folder.
//
// Besides its rows, needs memory for one row of an image, or for a whole image if its rows cannot
// be decoded one by one. The image must then fit into `options.memory`, or
// limits::kImageMemoryBytes if that is more.
//
// Errors name the file. Returns InvalidArgument for a training class without images, a test class
// that the training split lacks, and files that are not images or incomplete. Returns
// ResourceExhausted for an image that needs more memory. Also returns the errors of image_listing.h
// and CheckSameSchema.
StatusOr<ExampleTable> ReadImageFolder(const job::ImageFolderSource& source,
                                       const ReadOptions& options = {});

}  // namespace dl::dataset
