// The user whose process this is, and others of this machine.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "security/role.h"

namespace dl::launch {

// Where this user is at home: HOME, and what the system knows, where that is another one; commands
// may be started with either. Empty when there is neither.
std::vector<std::string> HomeFolders();

// An admin by the login name, or by the number where that cannot be an owner's: whom a master of
// this user belongs to, and who asks where no connection says it.
security::Identity OwnIdentity();

// The user of that login name, or of that number. InvalidArgument where there is none.
StatusOr<uid_t> UserNamed(const std::string& name);

}  // namespace dl::launch
