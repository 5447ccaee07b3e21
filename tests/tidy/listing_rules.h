// Checks that the names which users and peers see are listed wherever they have to be.
#pragma once

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Each method of the protocol, command and event must be in its table of the documents. Each method
// must also be in the test that calls all methods.
Violations CheckListings(const SourceTree& tree);

}  // namespace dl::tidy
