#include "base/philox.h"

#include "base/portable_math.h"

namespace dl {
namespace {

uint64_t Mix(uint64_t x) {  // SplitMix64's finalizer (Steele, Lea, Flood, 2014)
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

RandomStream::RandomStream(const StreamId& id) {
  uint64_t h = Mix(id.seed);
  h = Mix(h ^ static_cast<uint64_t>(id.purpose));
  h = Mix(h ^ id.a);
  h = Mix(h ^ id.b);
  h = Mix(h ^ id.c);
  key_ = {static_cast<uint32_t>(h), static_cast<uint32_t>(h >> 32)};
  base_ = Mix(h);
}

uint32_t RandomStream::At(uint64_t i) const {
  const uint64_t block = i / 4;
  return Philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                     static_cast<uint32_t>(base_), static_cast<uint32_t>(base_ >> 32)},
                    key_)[i % 4];
}

uint32_t RandomStream::NextU32() {
  const uint64_t block = position_ / 4;
  if (block != block_index_) {
    block_ = Philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                         static_cast<uint32_t>(base_), static_cast<uint32_t>(base_ >> 32)},
                        key_);
    block_index_ = block;
  }
  return block_[position_++ % 4];
}

uint64_t RandomStream::NextU64() {
  const uint64_t low = NextU32();
  return low | uint64_t{NextU32()} << 32;
}

uint64_t RandomStream::Bounded(uint64_t bound) {
  unsigned __int128 product = static_cast<unsigned __int128>(NextU64()) * bound;
  if (static_cast<uint64_t>(product) < bound) {
    const uint64_t threshold = -bound % bound;
    while (static_cast<uint64_t>(product) < threshold) {
      product = static_cast<unsigned __int128>(NextU64()) * bound;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

double RandomStream::NextDouble() { return static_cast<double>(NextU64() >> 11) * 0x1.0p-53; }

double RandomStream::NextNormal() {
  if (has_spare_) {
    has_spare_ = 0;
    return spare_normal_;
  }
  const double u = 1.0 - NextDouble();  // (0, 1]: the logarithm is finite
  const double v = NextDouble();
  const double radius = portable::Sqrt(-2.0 * portable::Log(u));
  spare_normal_ = radius * portable::SinTurns(v);
  has_spare_ = 1;
  return radius * portable::CosTurns(v);
}

}  // namespace dl
