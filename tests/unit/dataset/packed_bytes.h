// Bytes as files of data hold them: packed, and in the formats that are simple to write.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
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

// One frame with a checksum.
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

}  // namespace dl::test
