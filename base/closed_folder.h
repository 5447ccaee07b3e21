// Folders of the program whose content only one user may access.
#pragma once

#include <string>

#include "base/status.h"

namespace dl {

// Creates the folder, which only its owner can access, and its parents, which have ordinary rights.
// If the folder exists, belongs to this user and is open to other users, this function closes it to
// them and logs this. If the rights cannot be changed, for example because the file system has
// none, it logs a warning and returns OK. It leaves a folder of another user unchanged. Returns
// errors of the file system.
Status CreateClosedFolder(const std::string& path);

}  // namespace dl
