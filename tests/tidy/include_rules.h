// Who may use whom: the table of edges of docs/architecture.md, and one third party per folder.
#pragma once

#include "tests/tidy/source_file.h"

namespace dl::tidy {

// Includes of our own headers against the table of edges.
Violations CheckEdges(const SourceFile& file);
// Includes between the rooms of a folder: a room uses those before it (docs/architecture.md).
Violations CheckRooms(const SourceFile& file);
// Rooms of which the tree has no file: who renames one brings its row along.
Violations CheckRoomsAreThere(const SourceTree& tree);
// The same as CheckEdges for the DEPS of a CMakeLists.txt.
Violations CheckLinkedTargets(const SourceFile& file);
// Third-party headers outside their folder, and headers that no table knows.
Violations CheckThirdParties(const SourceFile& file);

}  // namespace dl::tidy
