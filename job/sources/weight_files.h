// The key `weights`, which names files with the weights of a source's examples (docs/formats.md,
// "Files of weights").
#pragma once

#include "base/limits.h"
#include "job/sources/source_files.h"
#include "nn/conf/field.h"

namespace dl::job {

// For npy, idx, cifar10, cifar100 and libsvm. npy accepts only NumPy arrays and reads them with
// dataset/readers/array/npy_reader.h. The other formats also accept texts, and use
// dataset/readers/weight_file.h. `max` is the largest length of one path.
inline constexpr nn::Field kWeightsField{
    .key = "weights",
    .what = "weights",
    .max = limits::kMaxPath,
    .meaning =
        "File or files with each example's weight in the loss (at least 0), one for each "
        "file of examples: `.npy`, or a text for formats other than npy. null = none"};

}  // namespace dl::job
