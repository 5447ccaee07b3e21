// The user of this process, and other users of this machine.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "security/role.h"

namespace dl::launch {

// Returns the home folders of this user: HOME, and the folder in the user database if that differs.
// A user's commands may run with either. Empty if there is none.
std::vector<std::string> HomeFolders();

// Returns the identity of this user: an admin named by the login name, or by the user id if the
// login name is no valid owner name. Used as the owner of a master's own token, and as the author
// of requests whose connection has no identity.
security::Identity OwnIdentity();

// Returns the user with this login name, else the number that `name` states. No user needs to have
// the number. Returns InvalidArgument if `name` is neither.
StatusOr<uid_t> UserNamed(const std::string& name);

}  // namespace dl::launch
