// A file of data on a command line, where a document that describes it is meant.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "dataset/readers/table_guess.h"
#include "dataset/schema.h"

namespace dl::cli {

bool IsFolder(const std::string& path);

// Whether its name, without the ending of a packed file, is one of a format that is read or of
// another program's. Also a folder. A pattern goes by its end.
bool IsDataFile(const std::string& path);

struct DataFileOptions {
  dataset::TableHints hints;
  std::string hint_flag;                   // one of the flags that gave them; empty: none did
  const dataset::Schema* known = nullptr;  // of a trained model
  int64_t memory_bytes = int64_t{64} << 20;
};

// A dataset's document, and what is to be told of a guess.
struct DescribedFile {
  Json document;
  std::optional<dataset::TableReport> table;
  std::vector<std::string> notes;  // of other formats
  bool has_labels = true;          // false: a table for a trained model without its label
  dataset::Schema expected;        // of a table: what its test set has to hold
  // Whether a table for a trained model lacks values of numbers, or of categories.
  bool lacks_numbers = false, lacks_categories = false;
};
// Describes a table by all of its rows (dataset/readers/table_guess.h), libsvm by its labels and
// indices, an archive of arrays by the defaults of its format, and IDX images by their name, with
// the labels that lie beside them. InvalidArgument for other files has the document to write.
// UsageError: a flag is not for the format.
StatusOr<DescribedFile> DescribeDataFile(const std::string& path,
                                         const DataFileOptions& options = {});
// Sets whether labels are numbers or classes, as the flags say, in the document of data that is no
// bare table. UsageError: a flag is about columns, or the format always has classes.
Status ApplyLabelHints(const DataFileOptions& options, const std::string& path, Json& document);

// Of a folder of images for a model that takes examples of this shape; an error where it takes
// none.
StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape);

// Writes the report of the guess, or the document in one line where there is none.
void TellHowRead(const DescribedFile& described, const std::string& path, std::ostream& err);

}  // namespace dl::cli
