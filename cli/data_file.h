// A file of data on a command line, where a document that describes it is meant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::cli {

bool IsFolder(const std::string& path);

// A folder, or by its name, whether or not it is packed: a file of a format that is read, or of
// another program's. A pattern goes by its end.
bool IsDataFile(const std::string& path);

// The document that it stands for: of a table what it looks like, of sparse rows and of an archive
// of arrays what their format says where nothing else is said, of IDX images those and the labels
// that lie beside them, by their name. InvalidArgument for the others, with the document to write.
// `columns`: names of a table's features where a model knows them, as GuessCsv takes them.
StatusOr<Json> DescribeDataFile(const std::string& path,
                                const std::vector<std::string>& columns = {});
// Of a folder of images for a model that takes examples of this shape; an error where it takes
// none.
StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape);

}  // namespace dl::cli
