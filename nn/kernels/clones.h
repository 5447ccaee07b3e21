// One source, several instruction sets, the same bits: loops without reductions, compiled without
// contraction, give equal results at every vector width.
#pragma once

// The dynamic loader's resolvers run before a sanitizer's runtime is up: no clones there.
// DL_NO_ISA_CLONES: a test builds one of them for all (tests/golden).
#if defined(DL_NO_ISA_CLONES) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__GNUC__) || defined(__clang__)
#define DL_ISA_CLONES
#else
#define DL_ISA_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

#define DL_ALWAYS_INLINE inline __attribute__((always_inline))
