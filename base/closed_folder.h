// Folders that are the program's own, with content that is for one user alone.
#pragma once

#include <string>

#include "base/status.h"

namespace dl {

// The folder and those above it. It is open to its owner alone; one that is there already, is this
// user's and lets others in is closed to them, and the log says so. Where the file system has no
// rights to change, a warning does.
Status CreateClosedFolder(const std::string& path);

}  // namespace dl
