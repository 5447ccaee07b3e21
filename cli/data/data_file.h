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
bool IsDataFile(const std::string& path);

struct DataFileOptions {
  dataset::TableHints hints;
  std::string hint_flag;  // one of the flags that gave the hints; empty: none
  // Weights of the examples of data that is not a table: a file, or an array of an archive. Empty:
  // none. The column of a table is among the hints.
  std::string weights;
  const dataset::Schema* known = nullptr;  // schema of a trained model
  // Whether arrays may lack the file of their labels. They are then read without labels.
  bool may_lack_labels = false;
  int64_t memory_bytes = int64_t{64} << 20;
};

// The document of a dataset, and what to report about the guess.
struct DescribedFile {
  Json document;
  std::optional<dataset::TableReport> table;
  std::vector<std::string> notes;  // notes about formats other than tables
  bool has_labels = true;          // false: a file for a trained model without its label
  dataset::Schema expected;        // for tables: what the test set must contain
  // Whether a table for a trained model lacks values of numbers, or of categories.
  bool lacks_numbers = false, lacks_categories = false;
};
// Describes a data file:
//   - a table by all of its rows (dataset/readers/table/table_guess.h).
//   - a libsvm file by its labels and indices.
//   - an archive of arrays by the names of its arrays and by its labels.
//   - IDX images by their name, with the labels in the same folder.
// Returns InvalidArgument for other files and for folders. If a document can describe the data, the
// error shows the document to write. Returns UsageError if a flag does not apply to the format, and
// errors of reading the file.
StatusOr<DescribedFile> DescribeDataFile(const std::string& path,
                                         const DataFileOptions& options = {});
// Sets in `document` whether labels are numbers or classes, and the weights of examples, as the
// flags say, for data that is not a table. Returns UsageError if a flag refers to columns, or if
// the format always has classes or never has weights.
Status ApplyHints(const DataFileOptions& options, const std::string& path, Json& document);

// Describes a text for a model that was trained on texts: the unit of its tokens, the length of its
// windows and the share of hidden tokens are those of the training set. Returns nullopt if the
// training set has no texts, or if the name of the file is that of a document or of arrays.
std::optional<Json> DescribeText(const std::string& path, const dataset::Schema& training);

// Describes a folder of images for a model that takes examples of this shape. Returns an error if
// the model takes no images.
StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape);

// Writes the report of the guess to `err`, or the document in one line if there is no report.
void ReportSource(const DescribedFile& described, const std::string& path, std::ostream& err);

}  // namespace dl::cli
