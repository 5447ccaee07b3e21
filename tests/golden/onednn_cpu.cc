#include "tests/golden/onednn_cpu.h"

#include <cpuid.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "nn/kernel_contract.h"

namespace dl::test {
namespace {

constexpr int kLevels = 10;

// Copy of xbyak::util::Cpu of oneDNN 2.6.
struct CpuRecord {
  uint64_t features;
  bool x2apic;
  uint32_t cores[2];  // threads per core, threads per socket
  uint32_t data_cache_size[kLevels];
  uint32_t cores_sharing[kLevels];
  uint32_t levels;
  int32_t model, family, stepping, ext_model, ext_family, display_family, display_model;
};

struct Region {
  uintptr_t begin = 0, end = 0;
};

// Returns the memory of the library's variables: its writable segments and the anonymous segments
// right after them.
std::vector<Region> VariablesOfOnednn() {
  std::vector<Region> regions;
  std::ifstream maps("/proc/self/maps");
  std::string line;
  bool ours = false;
  while (std::getline(maps, line)) {
    const std::vector<std::string> parts = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (parts.size() > 5) ours = parts[5].find("/libdnnl.so") != std::string::npos;
    if (!ours || !parts[1].starts_with("rw")) continue;
    const size_t dash = parts[0].find('-');
    regions.push_back({std::stoull(parts[0].substr(0, dash), nullptr, 16),
                       std::stoull(parts[0].substr(dash + 1), nullptr, 16)});
  }
  return regions;
}

bool IsThisCpu(const CpuRecord& record) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(1, &a, &b, &c, &d);
  const auto bits = [&](int shift, uint32_t mask) {
    return static_cast<int32_t>((a >> shift) & mask);
  };
  const int32_t family = bits(8, 15), ext_family = bits(20, 255);
  return record.model == bits(4, 15) && record.family == family && record.stepping == bits(0, 15) &&
         record.ext_model == bits(16, 15) && record.ext_family == ext_family &&
         record.display_family == (family == 15 ? family + ext_family : family) &&
         record.levels <= kLevels;
}

StatusOr<CpuRecord*> FindRecord() {
  // Choosing the instruction set makes oneDNN read the CPU's properties.
  DL_RETURN_IF_ERROR(nn::ProcessIsa().status());
  CpuRecord* found = nullptr;
  int count = 0;
  for (const Region& region : VariablesOfOnednn()) {
    for (uintptr_t at = region.begin; at + sizeof(CpuRecord) <= region.end; at += 8) {
      auto* record = reinterpret_cast<CpuRecord*>(at);  // NOLINT: that is the point
      if (!IsThisCpu(*record)) continue;
      found = record;
      ++count;
    }
  }
  if (count == 1) return found;
  return FailedPrecondition({.message = "oneDNN's record of the CPU was found " +
                                        std::to_string(count) + " times in its memory"});
}

constexpr uint64_t Bit(int n) { return uint64_t{1} << n; }
constexpr uint64_t kIntel = Bit(24), kAmd = Bit(25);

// Mask of the bits `first` to `last` of xbyak::util::Cpu::Type.
constexpr uint64_t Bits(int first, int last) { return (Bit(last + 1) - 1) & ~(Bit(first) - 1); }
constexpr uint64_t kBeyondAvx512 =
    Bit(11) | Bit(37) | Bits(43, 45) | Bits(50, 62);  // FP16, IFMA, VBMI to FMAPS, VBMI2 to VNNI
constexpr uint64_t kAvx512 = Bits(35, 36) | Bits(38, 42);

void Apply(const OnednnCpu& cpu, nn::Isa isa, CpuRecord& record) {
  if (cpu.caches) {
    const uint32_t sizes[] = {cpu.caches->l1d, cpu.caches->l2, cpu.caches->l3};
    record.levels = *cpu.caches == CacheSizes{} ? 0 : 3;
    for (int i = 0; i < 3; ++i) {
      record.data_cache_size[i] = sizes[i];
      record.cores_sharing[i] = 1;
    }
  }
  if (cpu.only_the_level) {
    record.features &= ~kBeyondAvx512;
    if (isa == nn::Isa::kAvx2) record.features &= ~kAvx512;
  }
  if (cpu.of_another_vendor) {
    const bool intel = (record.features & kIntel) != 0;
    record.features = (record.features & ~(kIntel | kAmd)) | (intel ? kAmd : kIntel);
  }
  if (cpu.cores > 0) {
    record.x2apic = true;
    record.cores[0] = 2;
    record.cores[1] = 2 * cpu.cores;
  }
}

}  // namespace

StatusOr<CacheSizes> OnednnCaches() {
  DL_ASSIGN_OR_RETURN(const CpuRecord* record, FindRecord());
  CacheSizes sizes;
  uint32_t* const fields[] = {&sizes.l1d, &sizes.l2, &sizes.l3};
  for (uint32_t i = 0; i < 3 && i < record->levels; ++i) {
    *fields[i] = record->data_cache_size[i] / std::max(1u, record->cores_sharing[i]);
  }
  return sizes;
}

Status SetOnednnCpu(const OnednnCpu& cpu) {
  DL_ASSIGN_OR_RETURN(CpuRecord * record, FindRecord());
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, nn::ProcessIsa());
  Apply(cpu, isa, *record);
  return absl::OkStatus();
}

}  // namespace dl::test
