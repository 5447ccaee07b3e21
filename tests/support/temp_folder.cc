#include "tests/support/temp_folder.h"

#include <stdlib.h>

#include <cstdio>
#include <system_error>

#include "base/status.h"
#include "tests/support/folder_content.h"

namespace dl::test {

TempFolder::TempFolder() {
  const char* root = getenv("TMPDIR");
  std::string pattern =
      std::string(root != nullptr && *root != '\0' ? root : "/tmp") + "/paravane-XXXXXX";
  DL_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  if (getenv("DL_KEEP_TEMP") != nullptr) {
    std::fprintf(stderr, "kept %s\n", path_.c_str());
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::Write(const std::string& name, const std::string& content) const {
  const std::string file = *this / name;
  WriteContent(file, content);
  return file;
}

}  // namespace dl::test
