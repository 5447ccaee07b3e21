// Reads the description of the CPU that the operating system has.
#pragma once

#include <cstdint>
#include <string>

namespace dl::speed {

// Returns the text of /proc/cpuinfo, or "" if it cannot be read.
std::string ReadCpuInfo();

// In both functions, `cpuinfo` is the text of /proc/cpuinfo. Returns the name of the CPU with its
// family and model, because virtual machines hide the name.
std::string CpuName(const std::string& cpuinfo);
// Returns the number of the first processor's line `key`, 0 if it has none.
int64_t NumberIn(const std::string& cpuinfo, const std::string& key);

}  // namespace dl::speed
