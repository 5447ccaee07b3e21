// Checks that time, randomness, locks, sockets, sleeps and processes are used through the product's
// own interfaces. A table lists which functions may be called directly, and where.
#pragma once

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

Violations CheckSeams(const SourceFile& file);

}  // namespace dl::tidy
