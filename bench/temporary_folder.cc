#include "bench/temporary_folder.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace dl::bench {

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "paravane-bench-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror("making a folder for the benchmark");
    std::exit(74);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dl::bench
