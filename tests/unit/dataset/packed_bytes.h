// Writes bytes as data files hold them: compressed, and in formats that are simple to write.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dl::test {

inline std::string Gzip(const std::string& bytes) {
  std::string out(compressBound(bytes.size()) + 64, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  DL_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Returns one frame with a checksum.
inline std::string Zstd(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const size_t size = ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  DL_CHECK(!ZSTD_isError(size));
  out.resize(size);
  return out;
}

inline std::string Idx(char type, const std::vector<uint32_t>& shape, const std::string& values) {
  std::string out = {0, 0, type, static_cast<char>(shape.size())};
  for (const uint32_t extent : shape) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(extent >> shift));
  }
  return out + values;
}

inline std::string LittleEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> 8 * i));
  return out;
}

// Returns the bytes of the values in memory order, or with the bytes of each value reversed.
template <typename T>
std::string Raw(const std::vector<T>& values, bool big_endian = false) {
  std::string out;
  for (const T value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof(T));
    if (big_endian) std::reverse(one.begin(), one.end());
    out += one;
  }
  return out;
}

// Returns a .npy file of version `version`, with `header` and a line end as its header.
inline std::string NpyOf(std::string header, const std::string& values, int version = 1) {
  header += '\n';
  return "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0') +
         LittleEndian(header.size(), version == 1 ? 2 : 4) + header + values;
}
// Returns a .npy file as numpy.save writes it. `shape` is like "(3, 4)".
inline std::string Npy(const std::string& descr, const std::string& shape,
                       const std::string& values, const char* fortran_order = "False") {
  return NpyOf("{'descr': '" + descr + "', 'fortran_order': " + fortran_order +
                   ", 'shape': " + shape + ", }",
               values);
}

// Returns a zip archive of named entries (APPNOTE.TXT, PKWARE), stored or deflated.
inline std::string Zip(const std::vector<std::pair<std::string, std::string>>& entries,
                       bool deflated = false) {
  std::string out, directory;
  for (const auto& [name, bytes] : entries) {
    std::string packed = bytes;
    if (deflated) {
      packed = Gzip(bytes);
      packed = packed.substr(10, packed.size() - 18);  // without the header and trailer of gzip
    }
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    const std::string common = LittleEndian(20, 2) + LittleEndian(0, 2) +
                               LittleEndian(deflated ? 8 : 0, 2) + LittleEndian(0, 2) +
                               LittleEndian(0x21, 2) + LittleEndian(sum, 4) +
                               LittleEndian(packed.size(), 4) + LittleEndian(bytes.size(), 4) +
                               LittleEndian(name.size(), 2) + LittleEndian(0, 2);
    directory += "PK\x01\x02" + LittleEndian(20, 2) + common + LittleEndian(0, 2) +
                 LittleEndian(0, 2) + LittleEndian(0, 2) + LittleEndian(0, 4) +
                 LittleEndian(out.size(), 4) + name;
    out += "PK\x03\x04" + common + name + packed;
  }
  const size_t begin = out.size();
  return out + directory + "PK\x05\x06" + LittleEndian(0, 2) + LittleEndian(0, 2) +
         LittleEndian(entries.size(), 2) + LittleEndian(entries.size(), 2) +
         LittleEndian(directory.size(), 4) + LittleEndian(begin, 4) + LittleEndian(0, 2);
}

}  // namespace dl::test
