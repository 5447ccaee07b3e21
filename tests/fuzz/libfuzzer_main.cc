// The libFuzzer program for all targets. --target=NAME selects the target (./dev fuzz).
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/fuzz/fuzz_target.h"

namespace {

const dl::fuzz::Target* chosen = nullptr;

}  // namespace

// libFuzzer ignores arguments that begin with "--".
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kFlag = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view attestations = (*argv)[i];
    if (attestations.starts_with(kFlag))
      chosen = dl::fuzz::FindTarget(attestations.substr(kFlag.size()));
  }
  if (chosen != nullptr) return 0;
  std::cerr << "--target is none of:";
  for (const dl::fuzz::Target& known : dl::fuzz::Targets()) std::cerr << " " << known.name;
  std::cerr << std::endl;
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
