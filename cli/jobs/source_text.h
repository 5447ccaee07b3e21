// Describes a source in the output of `run`, `import` and `predict`.
#pragma once

#include <string>

#include "base/json.h"

namespace dl::cli {

// Returns the format and the keys of a source's document: "image_folder with height 32, width 32".
// Leaves out keys that name files (path, paths, folder, features, labels, lengths, weights,
// weight_table). Also leaves out keys whose value is null, false, 0, "" or empty, except
// index_base. REQUIRES: the document was written by job::ToJson.
std::string SourceText(const Json& document);

}  // namespace dl::cli
