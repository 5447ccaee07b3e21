// An array in NumPy's format (NEP 1, "A simple file format for NumPy arrays"): magic, version 1, 2
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
  char kind = 'f';  // f, i, u or b (bool), as in descr
  int64_t item_bytes = 4;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<int64_t> shape;  // empty for a scalar

  bool operator==(const NpyHeader&) const = default;
};

// Parses the text of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, with
// exactly these three keys in any order. Returns InvalidArgument, without a place, for other syntax
// that Python accepts, and for types other than bool, integers of 1, 2, 4 or 8 bytes, float32 and
// float64.
StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);

// Reads the rows of an array, which are its entries along the first axis, in C order for any order
// of the file.
class NpyArray {
 public:
  // Reads the header and checks that the file can hold exactly what it declares
  // (SourceFile::CheckTotal). An array in Fortran order is copied to a temporary file in `folder`
  // (base/spill_file.h) if more than one of its dimensions exceeds 1. Returns DataLoss for a file
  // of another format, for a single number, and for an array without values. Returns the errors of
  // ParseNpyHeader and SourceFile, with the file, and errors of the temporary file.
  static StatusOr<NpyArray> Open(SourceFile file, const std::string& folder);

  const NpyHeader& header() const { return header_; }
  const SourceFile& file() const { return file_; }
  int64_t rows() const { return header_.shape[0]; }  // at least 1
  int64_t row_values() const { return row_values_; }
  // Returns the byte offset of value `index` in C order, for errors. Not valid for Fortran order.
  int64_t PlaceOf(int64_t index) const { return begin_ + index * header_.item_bytes; }

  // Reads the next rows, until `out` is full, in the byte order of the file. After the last row,
  // checks that the file ends. Returns the errors of SourceFile or of the temporary file. REQUIRES:
  // `out` holds whole rows, and not more than remain.
  Status Read(std::span<std::byte> out);

 private:
  explicit NpyArray(SourceFile file) : file_(std::move(file)) {}
  Status Spool(const std::string& folder);
  Status Gather(std::span<std::byte> out);

  SourceFile file_;
  NpyHeader header_;
  int64_t row_values_ = 1;
  int64_t begin_ = 0;                   // offset of the values in the file
  int64_t read_ = 0;                    // rows read so far
  std::unique_ptr<SpillFile> columns_;  // for Fortran order: the values in the order of the file
};

}  // namespace dl::dataset
