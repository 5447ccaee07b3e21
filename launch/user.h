// The user whose process this is.
#pragma once

#include <string>
#include <vector>

#include "security/role.h"

namespace dl::launch {

// Where this user is at home: HOME, and what the system knows, where that is another one; commands
// may be started with either. Empty when there is neither.
std::vector<std::string> HomeFolders();

// An admin by the login name, or by the number where that cannot be an owner's: whom a master of
// this user belongs to, and who asks where no connection says it.
security::Identity OwnIdentity();

}  // namespace dl::launch
