// Annotations that help the compiler to vectorize kernels.
#pragma once

#include "base/isa_clones.h"

// Stands before a loop. Tells the compiler that no iteration reads what another one writes, which
// it cannot see if a loop uses many arrays. vector_code_test finds functions without vectors.
#ifdef __clang__
#define DL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DL_INDEPENDENT _Pragma("GCC ivdep")
#endif
