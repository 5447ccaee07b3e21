#include "tests/integration/other_user.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace dl::test {

namespace fs = std::filesystem;

OtherUser::OtherUser() {
  const TempFolder unique;  // for a unique name
  folder_ = "/tmp/" + fs::path(unique.path()).filename().string() + "-somebody";
  fs::create_directory(folder_);
  // Copies the program, because the user may not be able to read the build folder.
  fs::copy_file(Binary("dl-submit"), folder_ + "/dl-submit");
  fs::permissions(folder_ + "/dl-submit", fs::perms(0755));
  EXPECT_EQ(chown(folder_.c_str(), kUser, kUser), 0);
}

OtherUser::~OtherUser() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> OtherUser::place() const {
  // Replaces the program name that follows by the user's copy.
  return {"setpriv",
          absl::StrCat("--reuid=", kUser),
          absl::StrCat("--regid=", kUser),
          "--clear-groups",
          "env",
          "HOME=" + folder_,
          "sh",
          "-c",
          "shift; exec " + folder_ + "/dl-submit \"$@\"",
          "sh"};
}

}  // namespace dl::test
