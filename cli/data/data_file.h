// Data files given on a command line instead of a document that describes them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "dataset/readers/table/table_guess.h"
#include "dataset/schema.h"

namespace dl::cli {

// Returns whether `path` is an existing folder.
bool IsFolder(const std::string& path);

// Returns whether the name, without the ending of a compression, is that of a supported data format
// or of another program's data format. Also true for a folder. A pattern is judged by its ending.
bool HasDataName(const std::string& path);

// Returns whether `path` is to be read as data, and not as a document or a job program. This holds
// for such a name, for pipes, devices and "-". It also holds for an existing file that is not
// executable and whose name does not end in ".json".
bool IsDataFile(const std::string& path);

// Returns the error about a path for which IsDataFile() is false: there is no such file, or it is a
// program. It is an error of data.
Status NoDataFileError(const std::string& path);

// Returns whether `path` is a file with the name of a PNG or JPEG image.
bool IsImageFile(const std::string& path);

// Returns InvalidArgument, as an error of data, if `path` is a pipe, a device or "-".
Status CheckIsNoStream(const std::string& path);

struct DataFileOptions {
  dataset::TableHints hints;
  std::string hint_flag;  // one of the flags that gave the hints; empty: none
  // Weights of the examples of data that is not a table: a file, or an array of an archive. Empty:
  // none. The column of a table is among the hints.
  std::string weights;
  // Schema of a trained model, or of the training table for its test set; null: none.
  const dataset::Schema* known = nullptr;
  // Whether arrays may lack the file of their labels. They are then read without labels.
  bool may_lack_labels = false;
  int64_t memory_bytes = int64_t{64} << 20;  // for reading a table
};

// The document of a dataset, and what to report about the guess.
struct DescribedFile {
  Json document;
  std::optional<dataset::TableReport> table;
  std::vector<std::string> notes;  // notes about formats other than tables
  bool has_labels = true;          // false: a file without labels, for a trained model
  dataset::Schema expected;        // for tables: what the test set must contain
  // Whether a table that was read with DataFileOptions::known lacks values of numbers, or of
  // categories.
  bool lacks_numbers = false, lacks_categories = false;
};
// Describes a data file:
//   - a table by all of its rows (dataset/readers/table/table_guess.h). A file whose name has no
//     known ending is read as a table.
//   - a libsvm file by its labels and indices.
//   - an archive of arrays by the names of its arrays and by its labels.
//   - IDX images by their name, with the labels in the same folder.
//   - with may_lack_labels, also IDX images or an .npy file without their labels.
// Returns InvalidArgument for other files and for folders. If a document can describe the data, the
// error shows the document to write. Returns UsageError if a flag does not apply to the format, and
// errors of reading the file.
StatusOr<DescribedFile> DescribeDataFile(const std::string& path,
                                         const DataFileOptions& options = {});
// Sets in `document` whether labels are numbers or classes, and the weights of examples, as the
// flags say, for data that is not a table. Returns UsageError if a flag applies only to tables, or
// if a flag states the kind of labels for a format that always has classes. Also returns it if
// weights are given for a text or for the document of a table.
Status ApplyHints(const DataFileOptions& options, const std::string& path, Json& document);

// Describes a text for a model that was trained on texts: the unit of its tokens, the length of its
// windows and the share of hidden tokens are those of the training set. Returns nullopt if the
// training set has no texts, for a folder, or if the name of the file is that of a document or of
// arrays.
std::optional<Json> DescribeText(const std::string& path, const dataset::Schema& training);

// Describes a folder of images, or one image, for a model that takes examples of this shape.
// Returns InvalidArgument unless the shape is that of images with 1 or 3 channels.
StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape);

// Writes to `err` how the data is read: the report about a table, else a line with the format and
// its keys, and a line for each note.
void ReportSource(const DescribedFile& described, const std::string& path, std::ostream& err);

}  // namespace dl::cli
