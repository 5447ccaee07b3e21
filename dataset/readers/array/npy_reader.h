// Reads NumPy arrays, each stored in a file of its own.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/npy.h"

namespace dl::dataset {

// Shapes, types and labels are described in dataset/readers/array/npy_examples.h. Reads format
// versions 1 to 3, both byte orders, C and Fortran order. Returns the errors of SourcePaths and
// PathsBeside, and the errors of SourceFile, NpyArray and NpyExamples, which name file and byte.
StatusOr<ExampleTable> ReadNpy(const job::NpySource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
