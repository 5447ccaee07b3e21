// Names that the code gives to users and peers, and what has to list them.
#pragma once

#include "tests/tidy/source_file.h"

namespace dl::tidy {

// Each method of the protocol, command and event stands in its table of the documents, and each
// method in the test that calls them all.
Violations CheckListings(const SourceTree& tree);

}  // namespace dl::tidy
