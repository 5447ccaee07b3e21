#include "security/role.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::security {
namespace {

struct RoleAndName {
  Role role;
  std::string_view name;
};
constexpr RoleAndName kRoles[] = {{Role::kRead, "read"},
                                  {Role::kSubmit, "submit"},
                                  {Role::kExecute, "execute"},
                                  {Role::kAdmin, "admin"}};

}  // namespace

std::string_view RoleName(Role role) {
  for (const RoleAndName& known : kRoles) {
    if (known.role == role) return known.name;
  }
  return "";
}

StatusOr<Role> ParseRole(std::string_view name) {
  for (const RoleAndName& known : kRoles) {
    if (known.name == name) return known.role;
  }
  return InvalidArgument(
      {.message = absl::StrCat("\"", absl::CHexEscape(std::string(name.substr(0, 40))),
                               "\" is not a role"),
       .remedy = "Use read, submit, execute or admin"});
}

bool IsOwnerName(std::string_view name) {
  if (name.empty() || static_cast<int64_t>(name.size()) > limits::kMaxOwnerName ||
      !absl::ascii_isalnum(name.front()))
    return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-' || c == '@';
  });
}

}  // namespace dl::security
