// Whether own kernels for AMX replace oneDNN's.
#pragma once

namespace dl::nn {

// Returns whether the process computes with AMX. Its own kernels for small convolutions in bf16
// then replace oneDNN's with any number of threads (nn/backend/own/own_small_convolution.h). Their
// bits differ from oneDNN's, but do not depend on the number of threads.
bool ComputesWithAmx();

// Returns whether the plan that is being compiled may use own kernels for AMX: the process computes
// with AMX, and the plan is compiled in a ComputeScope of one thread. This holds for kernels that
// give the bits of oneDNN's with one thread, so the choice is not part of the kernel contract. With
// more threads, oneDNN may divide the terms of a sum, and its kernels are used.
bool MayUseAmxKernels();

}  // namespace dl::nn
