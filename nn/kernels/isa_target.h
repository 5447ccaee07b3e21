// Compiles the functions between DL_TARGET_… and DL_TARGET_END for an instruction set that the CPU
// may lack. Include other headers before, because their inline functions would be compiled for it.
#pragma once

#ifdef __clang__
#define DL_TARGET_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)")
#define DL_TARGET_AVX512 \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f\"))), apply_to = function)")
// clang-format off
#define DL_TARGET_AMX \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512vl,amx-tile,amx-bf16\"))), apply_to = function)")
// clang-format on
#define DL_TARGET_END _Pragma("clang attribute pop")
#else
#define DL_TARGET_AVX2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma\")")
#define DL_TARGET_AVX512 _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f\")")
// clang-format off
#define DL_TARGET_AMX \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512bw,avx512vl,amx-tile,amx-bf16\")")
// clang-format on
#define DL_TARGET_END _Pragma("GCC pop_options")
#endif
