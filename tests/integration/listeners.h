// Reads from the kernel which addresses of this machine are listened on.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::test {

// Returns the addresses, as the kernel writes them, at which a process listens on that port.
inline std::vector<std::string> ListeningOn(int port) {
  std::vector<std::string> addresses;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
      if (words.size() > 3 && words[3] == "0A" &&
          words[1].ends_with(
              ":" + absl::AsciiStrToUpper(absl::StrCat(absl::Hex(port, absl::kZeroPad4))))) {
        addresses.push_back(words[1].substr(0, words[1].find(':')));
      }
    }
  }
  return addresses;
}

inline std::string TheOne(const std::vector<std::string>& addresses) {
  return addresses.size() == 1 ? addresses.front() : absl::StrCat(addresses.size(), " listen");
}

}  // namespace dl::test
