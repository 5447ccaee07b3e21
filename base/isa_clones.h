// Compiles a function for several instruction sets with equal bits. Loops without reductions that
// are compiled without contraction give equal results at every vector width.
#pragma once

// With AddressSanitizer or ThreadSanitizer there are no clones, because the dynamic loader runs
// their resolvers before the sanitizer's runtime starts. DL_NO_ISA_CLONES: a test compiles a single
// version (tests/golden).
#if defined(DL_NO_ISA_CLONES) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__GNUC__) || defined(__clang__)
#define DL_ISA_CLONES
#else
#define DL_ISA_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

// For functions that clones call. If such a function is not inlined, it is compiled only for the
// default instruction set, also when a clone calls it.
#define DL_ALWAYS_INLINE inline __attribute__((always_inline))
