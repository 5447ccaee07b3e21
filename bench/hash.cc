// Measures how long it takes to compute the names of a state's parts (base/part_name.h): on all
// cores, and the same hashes by one thread, alternating.
//
// bench hash [--mib N] [--repeats N]: prints one JSON line with the medians and their ratio.
#include <algorithm>
#include <iostream>
#include <vector>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/part_name.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"

namespace dl::bench {
namespace hash_bench {
namespace {

Status Run(int64_t mib, int64_t repeats) {
  const int64_t size = (mib << 20) / static_cast<int64_t>(sizeof(float));
  std::vector<float> values(size);
  for (int64_t i = 0; i < size; ++i) values[i] = static_cast<float>(i);
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {size});
  const auto by_one_thread = [&] {
    for (std::span<const std::byte> rest = std::as_bytes(std::span(values)); !rest.empty();) {
      const size_t piece = std::min<size_t>(kPieceBytes, rest.size());
      Sha256 hash;
      hash.Update(rest.first(piece));
      (void)hash.Finish();
      rest = rest.subspan(piece);
    }
  };
  std::vector<double> serial, parallel;
  for (int64_t i = 0; i < repeats; ++i) {
    serial.push_back(SecondsOf(by_one_thread));
    parallel.push_back(SecondsOf([&] { (void)PartSha256(table, values); }));
  }
  std::cout << Json{{"bench", "hash"},
                    {"mib", mib},
                    {"repeats", repeats},
                    {"serial_s", Median(serial)},
                    {"parallel_s", Median(parallel)},
                    {"ratio", Median(parallel) / Median(serial)}}
                   .dump()
            << std::endl;
  return absl::OkStatus();
}

}  // namespace
}  // namespace hash_bench

int RunHash(int argc, char** argv) {
  using namespace hash_bench;
  int64_t mib = 248, repeats = 9;
  cli::Flags flags("bench hash", "Names of a state's parts, on all cores and by one thread");
  flags.Integer("--mib", "N", mib, "Size of the part, in MiB", 1, 16384);
  flags.Integer("--repeats", "N", repeats, "Of each", 1, 1000);
  return RunProgram(argc, argv, flags, [&] { return Run(mib, repeats); });
}

}  // namespace dl::bench
