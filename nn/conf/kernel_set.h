// The kernels that compute a job.
#pragma once

#include <cstdint>
#include <string_view>

#include "nn/conf/words.h"

namespace dl::nn {

// kNative: the fastest kernels of the machine. The bits of a result depend on the instruction set,
// on oneDNN and on the number of threads (nn/conf/contract_id.h).
// kPortable: own kernels with a fixed order of operations. The bits of a result depend neither on
// the instruction set nor on the number of threads, so that executors on CPUs of different kinds
// compute one job. In float32 only.
enum class KernelSet : uint8_t { kNative, kPortable };

// For builders: .Kernels(nn::Portable()).
constexpr KernelSet Native() { return KernelSet::kNative; }
constexpr KernelSet Portable() { return KernelSet::kPortable; }

template <>
struct WordsOf<KernelSet> {
  static constexpr std::string_view kWords[] = {"native", "portable"};
};

}  // namespace dl::nn
