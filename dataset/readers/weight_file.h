// Reads weights of examples from a file of their own, for formats that have no place for weights.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// Appends the weights of the `examples` examples of a source's file to the table. The file is an
// array of NumPy if its name ends in ".npy", also before ".gz" or ".zst". Else it is a text with a
// number in each line; empty lines are skipped. Both may be compressed. Returns an error with its
// place if a weight is not a finite number of at least 0, or if there are more or fewer weights
// than examples: InvalidArgument for a text, DataLoss for an array. Other errors are those of
// SourceFile, TextLines and NpyArray.
Status AppendWeights(const std::string& path, int64_t examples, ExampleTable& table);

// Must be called after the last file. Returns an error about the file `path` if all weights are 0.
Status FinishWeights(const std::string& path, const ExampleTable& table);

}  // namespace dl::dataset
