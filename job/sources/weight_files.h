// Weights of examples in files of their own.
#pragma once

#include "base/limits.h"
#include "job/sources/source_files.h"
#include "nn/conf/field.h"

namespace dl::job {

// Read by dataset/readers/weight_file.h.
inline constexpr nn::Field kWeightsField{
    .key = "weights",
    .what = "weights",
    .max = limits::kMaxPath,
    .meaning = "File or files with each example's weight in the loss (at least 0), one for each "
               "file of examples: `.npy` or, except for npy, a text. null = none"};

}  // namespace dl::job
