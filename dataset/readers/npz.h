// NumPy's arrays in archives, as numpy.savez and numpy.savez_compressed write them: zip, an entry
// NAME.npy for each array.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/npz.h"

namespace dl::dataset {

// The two arrays of each archive, as readers/npy_examples.h says. Errors name file, entry and byte;
// for an array that is not there they list those that are.
StatusOr<ExampleTable> ReadNpz(const job::NpzSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
