#include "tests/support/fake_system.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace dl::test {

void FakeSystem::Write(const std::string& path, const std::string& content) const {
  const std::filesystem::path file = root() + path;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::ofstream(file) << content;
  DL_CHECK(std::filesystem::exists(file, error));
}

RealControlGroup::RealControlGroup(const std::string& controller) {
  const std::string v1 = absl::StrCat("/sys/fs/cgroup/", controller);
  std::error_code error;
  v1_ = std::filesystem::exists(v1 + "/cgroup.procs", error);
  if (!v1_) std::ofstream("/sys/fs/cgroup/cgroup.subtree_control") << "+" << controller;
  path_ = absl::StrCat(v1_ ? v1 : "/sys/fs/cgroup", "/paravane-test-", getpid(), "-", controller);
  if (mkdir(path_.c_str(), 0755) != 0) {
    refused_ = absl::StrCat("no control group can be made here: ", std::strerror(errno));
    path_.clear();
  } else if (!v1_ &&
             !std::filesystem::exists(absl::StrCat(path_, "/", controller, ".max"), error)) {
    refused_ = absl::StrCat("the controller ", controller, " is not available here");
  }
}

RealControlGroup::~RealControlGroup() {
  if (!path_.empty()) rmdir(path_.c_str());
}

void RealControlGroup::Set(const std::string& v1, const std::string& v2,
                           const std::string& value) const {
  std::ofstream(absl::StrCat(path_, "/", v1_ ? v1 : v2)) << value;
}

}  // namespace dl::test
