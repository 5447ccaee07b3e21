#include <array>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/export/tensors.h"

namespace dl::cli {
namespace {

constexpr uint64_t kMostBytes = 0xffffffff - (1 << 20);  // of an archive without zip64
constexpr uint32_t kDosDate = 0x0021;  // 1980-01-01: equal checkpoints give equal files
constexpr size_t kMostEntries = 65'000;

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// CRC-32 as zip has it: reflected polynomial 0xEDB88320 (ISO 3309).
uint32_t Crc32(std::string_view bytes) {
  static const std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table;
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      table[i] = c;
    }
    return table;
  }();
  uint32_t crc = 0xffffffff;
  for (char c : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ (crc >> 8);
  return crc ^ 0xffffffff;
}

std::string Npy(std::string_view descr, const std::vector<int64_t>& shape, std::string_view bytes) {
  std::string extents;
  for (int64_t extent : shape) absl::StrAppend(&extents, extent, ", ");
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  std::string header = absl::StrCat("{'descr': '", std::string(descr),
                                    "', 'fortran_order': False, 'shape': (", extents, "), }");
  constexpr size_t kPrefix = 10, kAlignment = 64;
  header.append((kAlignment - (kPrefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  Put(out, static_cast<uint16_t>(header.size()));
  out += header;
  out += bytes;
  return out;
}

class ZipWriter {
 public:
  void Add(const std::string& name, const std::string& content) {
    const uint32_t at = static_cast<uint32_t>(out_.size());
    std::string fields;            // the part that both headers share
    Put(fields, uint16_t{20});     // version needed
    Put(fields, uint16_t{0x800});  // names are UTF-8
    Put(fields, uint16_t{0});      // stored
    Put(fields, kDosDate << 16);   // time 0
    Put(fields, Crc32(content));
    Put(fields, static_cast<uint32_t>(content.size()));
    Put(fields, static_cast<uint32_t>(content.size()));
    Put(fields, static_cast<uint16_t>(name.size()));
    Put(fields, uint16_t{0});
    Put(out_, uint32_t{0x04034b50});
    out_ += fields + name + content;
    Put(directory_, uint32_t{0x02014b50});
    Put(directory_, uint16_t{20});
    directory_ += fields;
    Put(directory_, uint16_t{0});  // comment
    Put(directory_, uint16_t{0});  // disk
    Put(directory_, uint16_t{0});
    Put(directory_, uint32_t{0});
    Put(directory_, at);
    directory_ += name;
    ++entries_;
  }

  std::string Finish() && {
    const uint32_t at = static_cast<uint32_t>(out_.size());
    out_ += directory_;
    Put(out_, uint32_t{0x06054b50});
    Put(out_, uint16_t{0});
    Put(out_, uint16_t{0});
    Put(out_, entries_);
    Put(out_, entries_);
    Put(out_, static_cast<uint32_t>(directory_.size()));
    Put(out_, at);
    Put(out_, uint16_t{0});
    return std::move(out_);
  }

 private:
  std::string out_, directory_;
  uint16_t entries_ = 0;
};

}  // namespace

StatusOr<std::string> Npz(const TensorFile& file) {
  uint64_t bytes = 0;
  for (const NamedTensor& tensor : file.tensors) bytes += tensor.values.size_bytes() + 1024;
  if (bytes > kMostBytes || file.tensors.size() > kMostEntries) {
    return InvalidArgument({.message = absl::StrCat(file.tensors.size(), " tensors of ", bytes,
                                                    " bytes do not fit an npz archive of 4 GiB"),
                            .remedy = "Export with --format safetensors"});
  }
  ZipWriter zip;
  for (const NamedTensor& tensor : file.tensors) {
    zip.Add(tensor.name + ".npy",
            Npy("<f4", tensor.shape,
                {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes()}));
  }
  if (!file.metadata.empty()) {
    const std::string text = JsonText(file.metadata);
    zip.Add("__metadata__.npy", Npy(absl::StrCat("|S", text.size()), {}, text));
  }
  return std::move(zip).Finish();
}

}  // namespace dl::cli
