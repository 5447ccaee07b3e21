// Whether own kernels for AMX replace oneDNN's.
#pragma once

namespace dl::nn {

// Returns whether the process computes with AMX. It then always uses the own kernels that have no
// counterpart in oneDNN, because their bits do not depend on the number of threads.
bool ComputesWithAmx();

// Returns whether the plan that is being compiled may use own kernels for AMX: the process computes
// with AMX, and the plan is compiled in a ComputeScope of one thread. With one thread they give the
// bits of oneDNN's kernels, so the choice is not part of the kernel contract. With more threads,
// oneDNN may divide the terms of a sum, which changes bits.
bool MayUseAmxKernels();

}  // namespace dl::nn
