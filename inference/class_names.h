// Names of the classes of an output, as predictions and evaluations show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/schema.h"

namespace dl::inference {

// Returns the names of the classes of the label with this index (Schema::ClassNamesAt); an empty
// list if the classes have no names. A class that is a byte of a text is named by its character if
// it is printable, for example "a" or "space", else by its number, "0x0a".
std::vector<std::string> ClassNamesAt(const dataset::Schema& schema, int64_t label);

// Returns the name of a class, or its number as text if it has no name.
std::string ClassNameOf(const std::vector<std::string>& names, int64_t number);

}  // namespace dl::inference
