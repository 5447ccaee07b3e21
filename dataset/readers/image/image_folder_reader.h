// Reads a folder of images with a subfolder for each class, which names the class. If the source
// has no labels, or ReadOptions::labels is kNone, the images are directly in the folder.
// docs/formats.md describes how each image is converted.
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
// Besides its rows, needs the memory of DecodeImages (image_decoding.h). An image whose rows cannot
// be decoded one by one is in memory as a whole. This image, and 8 bytes for each value of an
// example, must each fit into `options.memory`, or limits::kImageMemoryBytes if that is more;
// otherwise ResourceExhausted is returned.
//
// Errors name the file or the folder. Returns InvalidArgument for a training class without images,
// a test class that the training split lacks, and a folder without images. If one file cannot be
// decoded, returns the error of OpenImage or ImageFile; if several, one InvalidArgument that lists
// the first 8. Also returns the errors of image_listing.h, ImageWeights, FinishWeights,
// CheckSameSchema, ValidateTable, SpillFeatures and `options.may_go_on`.
StatusOr<ExampleTable> ReadImageFolder(const job::ImageFolderSource& source,
                                       const ReadOptions& options = {});

// Returns schema and number of examples of a training set whose images are all readable, without
// decoding them. Weights are not read. The errors are those of ReadImageFolder about names.
StatusOr<ExampleTable> ListImageFolder(const job::ImageFolderSource& source);

}  // namespace dl::dataset
