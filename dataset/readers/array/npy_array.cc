#include "dataset/readers/array/npy_array.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMaxHeaderBytes = 64 << 10;  // numpy.save writes 118 bytes for supported arrays

constexpr SpillFile::Purpose kColumnSpill = {
    .what = "an array in Fortran order",
    .remedy =
        "Free space there, set TMPDIR to a folder on a larger disk, or save the array in C "
        "order, for example with numpy.ascontiguousarray"};

// Reads magic, version and the text of the header.
StatusOr<std::string> ReadHeaderText(SourceFile& file) {
  std::array<std::byte, 8> begin;
  DL_RETURN_IF_ERROR(file.Read(begin));
  if (std::memcmp(begin.data(), kNpyMagic.data(), kNpyMagic.size()) != 0)
    return file.Damaged(0, "is not a .npy file: its first bytes are wrong");
  const auto major = static_cast<int>(begin[6]), minor = static_cast<int>(begin[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return file.Damaged(
        6, absl::StrCat("is of version ", major, ".", minor, " of its format, 1.0 to 3.0 are read"),
        "Save the array again with another version of NumPy");
  }
  std::array<std::byte, 4> length = {};
  DL_RETURN_IF_ERROR(file.Read(std::span(length).first(major == 1 ? 2 : 4)));
  int64_t bytes = 0;
  for (size_t i = 4; i-- > 0;) bytes = bytes << 8 | static_cast<int64_t>(length[i]);
  if (bytes > kMaxHeaderBytes) {
    return file.Damaged(
        8, absl::StrCat("declares a header of ", bytes, " bytes, the limit is ", kMaxHeaderBytes));
  }
  std::string text(static_cast<size_t>(bytes), '\0');
  DL_RETURN_IF_ERROR(file.Read(std::as_writable_bytes(std::span(text))));
  return text;
}

// Returns the number of values. Returns an error if the size exceeds the limit of a source.
StatusOr<int64_t> ValuesOf(const NpyHeader& header, const SourceFile& file) {
  int64_t values = 1;
  for (size_t i = 0; i < header.shape.size(); ++i) {
    const int64_t extent = header.shape[i];
    if (extent == 0) {
      return file.Damaged(0, absl::StrCat("its dimension ", i, " is 0: it is empty"),
                          "Save an array with examples");
    }
    if (values > limits::kMaxImportBytes / header.item_bytes / extent) {
      return file.Damaged(
          0, absl::StrCat("the header declares ", absl::StrJoin(header.shape, " x "),
                          " values, more than the limit of ", limits::kMaxImportBytes, " bytes"));
    }
    values *= extent;
  }
  return values;
}

}  // namespace

StatusOr<NpyArray> NpyArray::Open(SourceFile source, const std::string& folder) {
  NpyArray array(std::move(source));
  SourceFile& file = array.file_;
  DL_ASSIGN_OR_RETURN(const std::string text, ReadHeaderText(file));
  auto header = ParseNpyHeader(text);
  if (!header.ok()) return AboutFile(header.status(), file.path(), "");
  array.header_ = *std::move(header);
  if (array.header_.shape.empty()) {
    return file.Damaged(0, "holds one number and no dimension",
                        "Save an array with an entry for each example");
  }
  DL_ASSIGN_OR_RETURN(const int64_t values, ValuesOf(array.header_, file));
  array.row_values_ = values / array.rows();
  array.begin_ = file.position();
  DL_RETURN_IF_ERROR(file.CheckTotal(array.begin_ + values * array.header_.item_bytes));
  const auto longer = [](int64_t extent) { return extent > 1; };
  if (array.header_.fortran_order && std::ranges::count_if(array.header_.shape, longer) > 1)
    DL_RETURN_IF_ERROR(array.Spool(folder));
  return array;
}

Status NpyArray::Spool(const std::string& folder) {
  DL_ASSIGN_OR_RETURN(columns_, SpillFile::Create(folder, kColumnSpill));
  std::vector<std::byte> buffer(1 << 20);
  for (int64_t left = rows() * row_values_ * header_.item_bytes; left > 0;) {
    const auto step = std::span(buffer).first(std::min(static_cast<size_t>(left), buffer.size()));
    DL_RETURN_IF_ERROR(file_.Read(step));
    DL_RETURN_IF_ERROR(columns_->Append(step));
    left -= static_cast<int64_t>(step.size());
  }
  return file_.ExpectEnd();
}

Status NpyArray::Read(std::span<std::byte> out) {
  const auto count = static_cast<int64_t>(out.size()) / (row_values_ * header_.item_bytes);
  DL_CHECK(read_ + count <= rows());
  if (columns_ != nullptr) {
    DL_RETURN_IF_ERROR(Gather(out));
    read_ += count;
    return absl::OkStatus();
  }
  DL_RETURN_IF_ERROR(file_.Read(out));
  read_ += count;
  return read_ == rows() ? file_.ExpectEnd() : absl::OkStatus();
}

// Reads rows of an array in Fortran order. The first index changes fastest in the file, so each
// value of a row is in another column of the file.
Status NpyArray::Gather(std::span<std::byte> out) {
  const int64_t item = header_.item_bytes;
  const int64_t count = static_cast<int64_t>(out.size()) / (row_values_ * item);
  std::vector<std::byte> column(static_cast<size_t>(count * item));
  const size_t axes = header_.shape.size();
  std::vector<int64_t> index(axes, 0);  // index of the column; element 0 is unused
  for (int64_t k = 0; k < row_values_; ++k) {
    DL_RETURN_IF_ERROR(columns_->ReadAt((k * rows() + read_) * item, column));
    int64_t place = 0;  // position in a row of C order
    for (size_t axis = 1; axis < axes; ++axis) place = place * header_.shape[axis] + index[axis];
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(out.data() + (i * row_values_ + place) * item, column.data() + i * item,
                  static_cast<size_t>(item));
    }
    for (size_t axis = 1; axis < axes && ++index[axis] == header_.shape[axis]; ++axis)
      index[axis] = 0;
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
