#include "launch/import/safetensors_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/nearest_file.h"
#include "base/system_error.h"

namespace dl::launch {
namespace {

constexpr std::string_view kWriteAgain =
    "Write it again, for example with safetensors.torch.save_file; a file of torch.save is no "
    "safetensors";
constexpr size_t kMaxDimensions = 16;
constexpr int64_t kValuesAtOnce = 1 << 16;

Status BadFile(const std::string& path, const std::string& message) {
  return InvalidArgument({.message = message, .where = path, .remedy = std::string(kWriteAgain)});
}

// Returns the number of bytes of a value; 0 for a type that is not supported.
int64_t WidthOfType(std::string_view dtype) {
  if (dtype == "F64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "F16" || dtype == "BF16" ? 2 : 0;
}

// Converts IEEE 754 binary16 to float32.
float FromHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

template <typename Raw>
Raw At(std::span<const std::byte> bytes, size_t i) {
  Raw raw;
  std::memcpy(&raw, bytes.data() + i * sizeof(Raw), sizeof(Raw));
  return raw;
}

float ValueOf(std::string_view dtype, std::span<const std::byte> bytes, size_t i) {
  if (dtype == "F64") return static_cast<float>(At<double>(bytes, i));
  if (dtype == "F32") return At<float>(bytes, i);
  if (dtype == "F16") return FromHalf(At<uint16_t>(bytes, i));
  return std::bit_cast<float>(static_cast<uint32_t>(At<uint16_t>(bytes, i)) << 16);
}

StatusOr<FileTensor> TensorOf(const Json& entry, const std::string& name, int64_t data_bytes) {
  JsonObjectReader reader(entry, name);
  FileTensor tensor;
  std::vector<int64_t> offsets;
  for (const char* key : {"dtype", "shape", "data_offsets"}) reader.Require(key);
  reader.String("dtype", tensor.dtype);
  reader.IntList("shape", tensor.shape, {0, limits::kMaxBufferFloats});
  reader.IntList("data_offsets", offsets, {0, INT64_MAX});
  DL_RETURN_IF_ERROR(reader.Finish());
  const auto bad = [&](const std::string& message) {
    return InvalidArgument({.message = absl::StrCat("its tensor ", name, " ", message)});
  };
  if (tensor.shape.size() > kMaxDimensions) return bad("has too many dimensions");
  tensor.elements = 1;
  for (const int64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(tensor.elements, extent, &tensor.elements) ||
        tensor.elements > limits::kMaxBufferFloats)
      return bad("is too large");
  }
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes)
    return bad(
        absl::StrCat("lies outside of the file, which has ", data_bytes, " bytes of values"));
  tensor.begin = offsets[0];
  tensor.bytes = offsets[1] - offsets[0];
  const int64_t width = WidthOfType(tensor.dtype);
  if (width != 0 && tensor.bytes != tensor.elements * width) {
    return bad(absl::StrCat("has ", tensor.elements, " values of type ", tensor.dtype, " in ",
                            tensor.bytes, " bytes"));
  }
  return tensor;
}

// Returns InvalidArgument unless the tensors lie one after another in the values of the file, and
// nothing follows the last one.
Status CheckTensorsFillFile(const std::map<std::string, FileTensor>& tensors, int64_t data_bytes) {
  using Named = std::pair<const std::string, FileTensor>;
  std::vector<const Named*> in_file;
  for (const Named& named : tensors) in_file.push_back(&named);
  std::ranges::sort(in_file, {}, [](const Named* named) {
    return std::pair(named->second.begin, named->second.bytes);
  });
  int64_t end = 0;
  std::string before = "the header";
  for (const Named* named : in_file) {
    const auto& [name, tensor] = *named;
    if (tensor.begin != end) {
      return InvalidArgument(
          {.message = tensor.begin > end
                          ? absl::StrCat("has ", tensor.begin - end, " bytes between ", before,
                                         " and its tensor ", name)
                          : absl::StrCat("its tensors ", before, " and ", name, " overlap")});
    }
    end = tensor.begin + tensor.bytes;
    before = name;
  }
  if (end == data_bytes) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("has ", data_bytes - end, " bytes after ", before)});
}

// Returns InvalidArgument, which does not name a file, if the header is not valid, or if the
// tensors overlap or do not fill `data_bytes` bytes.
StatusOr<SafetensorsHeader> ParseHeader(std::string_view text, int64_t data_bytes) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, "header"));
  if (!json.is_object()) return InvalidArgument({.message = "its header is not a JSON object"});
  SafetensorsHeader header;
  for (const auto& [name, entry] : json.items()) {
    if (name != "__metadata__") {
      DL_ASSIGN_OR_RETURN(header.tensors[name], TensorOf(entry, name, data_bytes));
    } else if (entry.is_object()) {
      const auto format = entry.find("format");
      header.is_of_pytorch = format != entry.end() && *format == "pt";
      header.is_export = entry.contains("state_sha256");
    }
  }
  DL_RETURN_IF_ERROR(CheckTensorsFillFile(header.tensors, data_bytes));
  return header;
}

}  // namespace

StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  SafetensorsFile opened;
  opened.path_ = path;
  // O_NONBLOCK opens a pipe without waiting for its writer. Pipes are refused below.
  opened.file_ = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened.file_.valid() && errno == ENOENT) {
    return NotFound(
        {.message = absl::StrCat("there is no weights file", SuggestFile(path)), .where = path});
  }
  if (!opened.file_.valid()) return SystemError(errno, "open", path);
  struct stat file = {};
  if (fstat(opened.file_.get(), &file) != 0) return SystemError(errno, "look at", path);
  if (!S_ISREG(file.st_mode)) return BadFile(path, "is no file of tensors");
  uint64_t header_bytes = 0;
  constexpr auto kLength = static_cast<int64_t>(sizeof(header_bytes));
  if (file.st_size < kLength) return BadFile(path, "is too short to be a file of tensors");
  DL_RETURN_IF_ERROR(opened.ReadBytes(0, std::as_writable_bytes(std::span(&header_bytes, 1))));
  if (header_bytes > static_cast<uint64_t>(limits::kMaxJsonBytes) ||
      static_cast<int64_t>(header_bytes) > file.st_size - kLength) {
    return BadFile(path, "does not begin as a file of tensors, with the length of its header");
  }
  std::string header(header_bytes, '\0');
  DL_RETURN_IF_ERROR(
      opened.ReadBytes(kLength, std::as_writable_bytes(std::span(header.data(), header.size()))));
  opened.data_begin_ = kLength + static_cast<int64_t>(header_bytes);
  auto parsed = ParseHeader(header, file.st_size - opened.data_begin_);
  if (!parsed.ok()) return BadFile(path, std::string(parsed.status().message()));
  opened.header_ = *std::move(parsed);
  return opened;
}

Status SafetensorsFile::ReadBytes(int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t done = pread(file_.get(), out.data(), out.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError(errno, "read", path_);
    if (done == 0) return BadFile(path_, "became shorter while it was read");
    offset += done;
    out = out.subspan(static_cast<size_t>(done));
  }
  return absl::OkStatus();
}

Status SafetensorsFile::Read(const std::string& name, int64_t first, std::span<float> out) const {
  const FileTensor& tensor = header_.tensors.at(name);
  const int64_t width = WidthOfType(tensor.dtype);
  if (width == 0) {
    return InvalidArgument({.message = absl::StrCat("the tensor ", name, " is of type ",
                                                    absl::CHexEscape(tensor.dtype.substr(0, 20))),
                            .where = path_,
                            .remedy = "Write it as F32, F16, BF16 or F64"});
  }
  std::vector<std::byte> bytes;
  for (size_t done = 0; done < out.size();) {
    const auto values = std::min<int64_t>(kValuesAtOnce, static_cast<int64_t>(out.size() - done));
    bytes.resize(static_cast<size_t>(values * width));
    DL_RETURN_IF_ERROR(ReadBytes(
        data_begin_ + tensor.begin + (first + static_cast<int64_t>(done)) * width, bytes));
    for (size_t i = 0; i < static_cast<size_t>(values); ++i) {
      out[done + i] = ValueOf(tensor.dtype, bytes, i);
      if (std::isfinite(out[done + i])) continue;
      return InvalidArgument(
          {.message = absl::StrCat("value ", first + static_cast<int64_t>(done + i),
                                   " of the tensor ", name, " is not finite"),
           .where = path_,
           .remedy = "Use weights of a training that did not diverge"});
    }
    done += static_cast<size_t>(values);
  }
  return absl::OkStatus();
}

}  // namespace dl::launch
