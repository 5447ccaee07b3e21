#include "nn/backend/onednn/onednn_caches.h"

#include <map>

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

using Leaf = std::array<uint32_t, 4>;

// A CPU with these CPUID leaves; all others are zeros.
class Cpu {
 public:
  Cpu(uint32_t leaves, uint32_t vendor) { Set(0, 0, {leaves, 0, vendor, 0}); }
  Cpu& Set(uint32_t leaf, uint32_t subleaf, const Leaf& values) {
    leaves_[{leaf, subleaf}] = values;
    return *this;
  }
  // Type 1 is data, 2 instructions, 3 both; 64-byte lines, 8 ways.
  Cpu& Cache(uint32_t index, uint32_t type, uint32_t bytes, uint32_t threads) {
    return Set(4, index, {type | (threads - 1) << 14, 7u << 22 | 63, bytes / 512 - 1, 0});
  }
  Cpu& Threads(uint32_t of_core, uint32_t of_socket) {
    return Set(0xB, 0, {0, of_core, 1 << 8, 0}).Set(0xB, 1, {0, of_socket, 2 << 8, 0});
  }
  OnednnCaches Caches() const {
    return CachesForOnednn([this](uint32_t leaf, uint32_t subleaf) {
      const auto found = leaves_.find({leaf, subleaf});
      return found == leaves_.end() ? Leaf{} : found->second;
    });
  }

 private:
  std::map<std::pair<uint32_t, uint32_t>, Leaf> leaves_;
};

constexpr uint32_t kIntel = 0x6c65746e, kAmd = 0x444d4163;
constexpr OnednnCaches kGuessed{.l1d = 32768, .l2 = 1048576, .l3 = 1048576};

Cpu IceLake(uint32_t vendor) {
  Cpu cpu(0x1b, vendor);
  return cpu.Cache(0, 1, 48 << 10, 2)
      .Cache(1, 2, 32 << 10, 2)
      .Cache(2, 3, 1280 << 10, 2)
      .Cache(3, 3, 24 << 20, 64)
      .Threads(2, 32);
}

TEST(OnednnCaches, IntelSizesComeFromCpuid) {
  EXPECT_EQ(IceLake(kIntel).Caches(),
            (OnednnCaches{.l1d = 48 << 10, .l2 = 1280 << 10, .l3 = (24 << 20) / 16}));
}

TEST(OnednnCaches, OtherCpusHaveAssumedSizes) {
  EXPECT_EQ(IceLake(kAmd).Caches(), kGuessed);
  EXPECT_EQ(Cpu(0x1b, kIntel).Caches(), kGuessed) << "no cache has a leaf";
}

TEST(OnednnCaches, WithoutATopologyThreadsAreThoseOfTheFirstCache) {
  Cpu old(7, kIntel);
  old.Cache(0, 1, 32 << 10, 2).Cache(1, 3, 256 << 10, 2).Cache(2, 3, 8 << 20, 16);
  EXPECT_EQ(old.Caches(), (OnednnCaches{.l1d = 32 << 10, .l2 = 256 << 10, .l3 = 1 << 20}));
  Cpu zeroed(0xd, kIntel);  // by a hypervisor: one thread
  zeroed.Cache(0, 1, 32 << 10, 1).Cache(1, 3, 4 << 20, 1).Cache(2, 3, 16 << 20, 4);
  EXPECT_EQ(zeroed.Caches(), (OnednnCaches{.l1d = 32 << 10, .l2 = 4 << 20, .l3 = 16 << 20}));
}

TEST(OnednnCaches, MissingThirdCacheIsZero) {
  Cpu cpu(0x1b, kIntel);
  cpu.Cache(0, 1, 32 << 10, 1).Cache(1, 3, 1 << 20, 1).Threads(1, 4);
  EXPECT_EQ(cpu.Caches(), (OnednnCaches{.l1d = 32 << 10, .l2 = 1 << 20, .l3 = 0}));
}

}  // namespace
}  // namespace dl::nn
