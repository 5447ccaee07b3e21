// One array of NumPy's format (NEP 1, "A simple file format for NumPy arrays"): magic, version 1, 2
// or 3, a header that is a Python literal, values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/spill_file.h"
#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  char kind = 'f';  // f, i, u, b (bool): as in descr
  int64_t item_bytes = 4;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<int64_t> shape;  // empty: a scalar

  bool operator==(const NpyHeader&) const = default;
};

// Of the header's text alone: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, these
// three keys in any order and nothing else. Strict: what Python would also take is an error here,
// and so are types that are no numbers of at most 8 bytes. The errors' place is for the caller.
StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);

// The rows of an array, its entries along the first axis, in C order whatever the file's is.
class NpyArray {
 public:
  // Reads the header, and checks that the file holds exactly what it declares. An array in Fortran
  // order goes through a temporary file in `folder` (base/spill_file.h) as a whole.
  static StatusOr<NpyArray> Open(SourceFile file, const std::string& folder);

  const NpyHeader& header() const { return header_; }
  const SourceFile& file() const { return file_; }
  int64_t rows() const { return header_.shape[0]; }  // at least 1
  int64_t row_values() const { return row_values_; }
  // Of the value `index`, in C order: for errors. Of a Fortran order that is not its place.
  int64_t PlaceOf(int64_t index) const { return begin_ + index * header_.item_bytes; }

  // The next rows, as many as fill `out`, as the file has their bytes. REQUIRES: whole rows, and
  // not more than are left. Behind the last one the file's end has been checked.
  Status Read(std::span<std::byte> out);

 private:
  explicit NpyArray(SourceFile file) : file_(std::move(file)) {}
  Status Spool(const std::string& folder);
  Status Gather(std::span<std::byte> out);

  SourceFile file_;
  NpyHeader header_;
  int64_t row_values_ = 1;
  int64_t begin_ = 0;                   // of the values, in the file
  int64_t read_ = 0;                    // rows
  std::unique_ptr<SpillFile> columns_;  // of Fortran order: the values as the file has them
};

}  // namespace dl::dataset
