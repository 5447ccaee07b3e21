#include "nn/backend/onednn/onednn_caches.h"

#include <cpuid.h>

#include <algorithm>
#include <vector>

namespace dl::nn {
namespace {

constexpr OnednnCaches kGuessed{.l1d = 32 << 10, .l2 = 1 << 20, .l3 = 1 << 20};

uint32_t Bits(uint32_t value, int first, int last) {
  return (value >> first) & ((uint32_t{1} << (last - first + 1)) - 1);
}

struct Threads {
  uint32_t of_core = 0, of_socket = 0;  // 0 if unknown
};

// Reads leaf 11. A hypervisor may have zeroed it; a zero count means 1.
Threads ThreadsOf(const Cpuid& cpuid) {
  if (cpuid(0, 0)[0] < 0xB) return {};
  Threads threads;
  for (uint32_t i = 0; i < 2; ++i) {
    const auto leaf = cpuid(0xB, i);
    const uint32_t level = Bits(leaf[2], 8, 15);
    if (level == 1) threads.of_core = Bits(leaf[1], 0, 15);
    if (level == 2) threads.of_socket = Bits(leaf[1], 0, 15);
  }
  threads.of_core = std::max(1u, threads.of_core);
  threads.of_socket = std::max(threads.of_core, threads.of_socket);
  return threads;
}

}  // namespace

Cpuid ThisCpuid() {
  return [](uint32_t leaf, uint32_t subleaf) {
    std::array<uint32_t, 4> r{};
    __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]);
    return r;
  };
}

OnednnCaches CachesForOnednn(const Cpuid& cpuid) {
  constexpr uint32_t kIntel = 0x6c65746e;  // "ntel", the end of the vendor's name
  if (cpuid(0, 0)[2] != kIntel) return kGuessed;
  Threads threads = ThreadsOf(cpuid);
  std::vector<int64_t> sizes;  // of data caches, per core
  for (uint32_t i = 0; sizes.size() < 10; ++i) {
    const auto leaf = cpuid(4, i);
    const uint32_t type = Bits(leaf[0], 0, 4);
    if (type == 0) break;
    if (type != 1 && type != 3) continue;
    uint32_t sharing = Bits(leaf[0], 14, 25) + 1;
    if (threads.of_socket != 0) sharing = std::min(sharing, threads.of_socket);
    if (type == 1 && threads.of_core == 0) threads.of_core = sharing;
    const uint32_t bytes = (Bits(leaf[1], 22, 31) + 1) * (Bits(leaf[1], 12, 21) + 1) *
                           (Bits(leaf[1], 0, 11) + 1) * (leaf[2] + 1);
    sizes.push_back(bytes / std::max(sharing / std::max(threads.of_core, 1u), 1u));
  }
  if (sizes.empty()) return kGuessed;
  sizes.resize(3);
  return {.l1d = sizes[0], .l2 = sizes[1], .l3 = sizes[2]};
}

}  // namespace dl::nn
