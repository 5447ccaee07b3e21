// Reads NumPy arrays in archives, as numpy.savez and numpy.savez_compressed write them: zip
// archives with an entry NAME.npy for each array.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/npz.h"

namespace dl::dataset {

// Reads the arrays of each archive as dataset/readers/array/npy_examples.h describes. Returns the
// errors of SourcePaths, SourceFile, NpyArray and NpyExamples, which name file, entry and byte. The
// error about a missing array lists the existing ones.
StatusOr<ExampleTable> ReadNpz(const job::NpzSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
