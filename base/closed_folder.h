// Folders of the program whose content only one user may access.
#pragma once

#include <string>

#include "base/status.h"

namespace dl {

// Creates the folder, which only its owner can access, and its parents, which have ordinary rights.
// If the folder exists, belongs to this user and can be accessed by others, it is closed to them,
// and this is logged. If the rights cannot be changed, for example because the file system has
// none, a warning is logged and OK is returned. A folder of another user is left unchanged. Returns
// errors of the file system.
Status CreateClosedFolder(const std::string& path);

}  // namespace dl
