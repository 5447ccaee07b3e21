// Divides the loops of a layer or an updater among the threads of the job, which ComputeScope
// (nn/backend/compute_scope.h) sets. The threads are those of oneDNN's kernels.
//
// A loop calls `body(begin, end)` for parts that together are [0, count), each index in one part.
// The parts run at the same time, in any order. The results of a loop must not depend on the parts,
// so that they have the same bits with any number of threads: a part writes only what belongs to
// its indices, and adds nothing up over them. A sum over rows is divided by columns instead.
//
// The whole range is one part, on the calling thread, in three cases: outside of a ComputeScope or
// with one thread; in the body of another loop; or if the loop is too short to wake other threads.
// `body` must not throw, must not call oneDNN and should not allocate. A loop allocates nothing.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// Loops over fewer floats are not divided, because other threads would begin too late to help. A
// ComputeScope sets a larger number if the threads sleep between loops.
inline constexpr int64_t kLeastParallelFloats = 16384;

struct Loop {
  int64_t count = 0;
  int64_t grain = 1;   // parts begin at multiples of this number
  int64_t floats = 1;  // floats that the body reads or writes for each index, about
};

// Sets the number of threads for the loops of the calling thread, and restores the earlier values
// on destruction, by the same thread. Loops over fewer than `least_floats` floats are not divided.
// REQUIRES: threads >= 1.
class LoopThreads {
 public:
  explicit LoopThreads(int threads, int64_t least_floats = kLeastParallelFloats);
  ~LoopThreads();
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;

 private:
  int threads_before_;
  int64_t least_floats_before_;
};

// Returns whether several threads compute the loop.
bool IsDivided(const Loop& loop);

// Part number `part` of `parts`: the indices that one thread computes. Empty if there are more
// parts than multiples of the grain.
IndexRange PartOf(const Loop& loop, int64_t part, int64_t parts);

// Runs the parts of a loop on all threads, each with the floating-point mode kMxcsr. `call` gets
// `body` and the bounds of a part. Use ParallelFor.
void RunParts(const Loop& loop, void (*call)(const void*, int64_t, int64_t), const void* body);

template <typename Body>
void ParallelFor(const Loop& loop, const Body& body) {
  if (loop.count <= 0) return;
  if (!IsDivided(loop)) {
    body(int64_t{0}, loop.count);
    return;
  }
  const auto call = [](const void* of, int64_t begin, int64_t end) {
    (*static_cast<const Body*>(of))(begin, end);
  };
  RunParts(loop, call, &body);
}

// A loop over the values of an array. Parts begin at multiples of 1,024.
template <typename Body>
void ForElements(int64_t n, const Body& body) {
  ParallelFor({.count = n, .grain = 1024}, body);
}

// A loop over rows, images or other pieces of `floats` values each, which parts do not divide.
template <typename Body>
void ForRows(int64_t rows, int64_t floats, const Body& body) {
  ParallelFor({.count = rows, .floats = floats}, body);
}

// A loop over the columns of a matrix with `rows` rows, for sums over the rows. Parts begin at
// multiples of a cache line.
template <typename Body>
void ForColumns(int64_t columns, int64_t rows, const Body& body) {
  ParallelFor({.count = columns, .grain = 16, .floats = rows}, body);
}

// Copies an array.
void CopyFloats(const float* from, int64_t n, float* to);

}  // namespace dl::nn
