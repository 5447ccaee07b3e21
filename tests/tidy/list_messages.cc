// Writes the list of all error messages (./dev messages):
//   list_messages ROOT
#include <filesystem>
#include <iostream>

#include "base/files.h"
#include "tests/tidy/message_list.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: list_messages ROOT\n";
    return 2;
  }
  const std::string root = argv[1];
  std::filesystem::create_directories(root + "/" + dl::tidy::kMessageFolder);
  for (const auto& [path, text] : dl::tidy::ListMessages(dl::tidy::ReadTree(root))) {
    const dl::Status status = dl::AtomicWriteFile(root + "/" + path, text);
    if (!status.ok()) {
      std::cerr << dl::DescribeError(status) << "\n";
      return 1;
    }
  }
  return 0;
}
