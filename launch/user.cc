#include "launch/user.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl::launch {
namespace {

struct Known {
  std::string name, home;
};

Known CurrentUser() {
  std::array<char, 4096> text;
  passwd entry = {};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return {};
  return {.name = entry.pw_name, .home = entry.pw_dir};
}

}  // namespace

std::vector<std::string> HomeFolders() {
  std::vector<std::string> homes;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0)
    homes.emplace_back(home);
  const Known me = CurrentUser();
  if (!me.home.empty() && (homes.empty() || homes.front() != me.home)) homes.push_back(me.home);
  return homes;
}

security::Identity OwnIdentity() {
  const Known me = CurrentUser();
  return {.owner = security::IsOwnerName(me.name) ? me.name : absl::StrCat("uid-", geteuid()),
          .role = security::Role::kAdmin};
}

StatusOr<uid_t> UserNamed(const std::string& name) {
  std::array<char, 4096> text;
  passwd entry = {};
  passwd* found = nullptr;
  if (getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr)
    return entry.pw_uid;
  uid_t number = 0;
  if (absl::SimpleAtoi(name, &number)) return number;
  return InvalidArgument({.message = absl::StrCat("there is no user ", name, " on this machine"),
                          .where = "--master-user",
                          .remedy = "Give a login name (getent passwd), or a number"});
}

}  // namespace dl::launch
