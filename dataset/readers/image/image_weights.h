// Reads weights of images from a table of names and weights.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"

namespace dl::dataset {

// Holds the weights of all images of a folder. Not thread-safe.
class ImageWeights {
 public:
  // Reads a CSV file with two columns: the path of an image in the folder, such as "cat/1.png", and
  // its weight. The first row is a header if its second field is not a number. Returns
  // InvalidArgument with its place if a row has another number of fields, if a weight is not a
  // finite number of at least 0, or if an image is named twice. Also returns the errors of
  // SourceFile::Open and CsvScanner::NextRow.
  static StatusOr<ImageWeights> Read(const std::string& path);

  // Returns the weight of an image, and removes it from this object: call it once for each image.
  // Returns InvalidArgument if the table does not name the image.
  StatusOr<float> Take(const std::string& image);
  // Must be called after the last image. Returns InvalidArgument if the table names images that do
  // not exist.
  Status Finish() const;
  const std::string& path() const { return path_; }

 private:
  explicit ImageWeights(std::string path) : path_(std::move(path)) {}

  std::string path_;
  absl::flat_hash_map<std::string, float> weights_;  // of images that have not been read
};

}  // namespace dl::dataset
