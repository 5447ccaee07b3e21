// A file of data on a command line, where a document that describes it is meant.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::cli {

// By its name: a table, IDX or CIFAR-10 file, or one of another program's.
bool IsDataFile(const std::string& path);

// The document that it stands for: of a table what it looks like. InvalidArgument for the others,
// with the document to write.
StatusOr<Json> DescribeDataFile(const std::string& path);

}  // namespace dl::cli
