#include "speed/cpu_info.h"

#include <regex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files.h"

namespace dl::speed {

std::string ReadCpuInfo() {
  constexpr int64_t kMaxBytes = 64 << 20;
  const auto text = ReadFile("/proc/cpuinfo", kMaxBytes);
  return text.ok() ? *text : "";
}

std::string CpuName(const std::string& cpuinfo) {
  std::smatch found;
  std::string name = "unknown CPU";
  if (std::regex_search(cpuinfo, found, std::regex("\nmodel name\\s*: ([^\n]*)")))
    name = found[1].str();
  return absl::StrCat(name, " (family ", NumberIn(cpuinfo, "cpu family"), ", model ",
                      NumberIn(cpuinfo, "model"), ")");
}

int64_t NumberIn(const std::string& cpuinfo, const std::string& key) {
  std::smatch found;
  int64_t number = 0;
  if (std::regex_search(cpuinfo, found, std::regex("\n" + key + "\\s*: ([0-9]+)")))
    (void)absl::SimpleAtoi(found[1].str(), &number);
  return number;
}

}  // namespace dl::speed
