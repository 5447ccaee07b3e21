// Who may use whom: the table of edges of docs/architecture.md, and one third party per folder.
#pragma once

#include "tests/tidy/source_file.h"

namespace dl::tidy {

// Includes of our own headers against the table of edges.
Violations CheckEdges(const SourceFile& file);
// Includes within the master's core: a room may use those before it (docs/architecture.md).
Violations CheckRooms(const SourceFile& file);
// The same as CheckEdges for the DEPS of a CMakeLists.txt.
Violations CheckLinkedTargets(const SourceFile& file);
// Third-party headers outside their folder, and headers that no table knows.
Violations CheckThirdParties(const SourceFile& file);

}  // namespace dl::tidy
