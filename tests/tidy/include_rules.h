// Checks which folder may use which: the table of edges in docs/architecture.md, and one folder per
// third-party library.
#pragma once

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Checks includes of the product's own headers against the table of edges.
Violations CheckEdges(const SourceFile& file);
// Checks includes between the components of a folder. A component may use only the components
// before it (docs/architecture.md).
Violations CheckComponentOrder(const SourceFile& file);
// Reports components that have no file in the tree. A change that renames a component must also
// change its row.
Violations CheckComponentsExist(const SourceTree& tree);
// Checks the DEPS of a CMakeLists.txt against the table of edges.
Violations CheckLinkedTargets(const SourceFile& file);
// Reports third-party headers that are included outside their folder, and headers that no table
// lists.
Violations CheckThirdParties(const SourceFile& file);

}  // namespace dl::tidy
