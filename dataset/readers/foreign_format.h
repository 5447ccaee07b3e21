// Recognizes files of unsupported formats by their first bytes. Errors then name the format and a
// way to convert the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

struct OtherFormat {
  std::string what;    // "a Parquet file"
  std::string remedy;  // a sentence that names the file
};

// Number of bytes that the functions below examine.
inline constexpr size_t kFormatBytes = 4096;

inline constexpr std::string_view kZipMagic = "PK\x03\x04";

// Recognizes archives, compressed files, and files of databases and programs. `begin` holds the
// first bytes of the file `path`, possibly decompressed.
std::optional<OtherFormat> RecognizeFormat(std::string_view begin, const std::string& path);

// Recognizes text in UTF-16 or UTF-32, by its byte order mark or its zeros.
std::optional<OtherFormat> RecognizeEncoding(std::string_view begin, const std::string& path);

// Recognizes images, JSON, HTML, XML and other documents, and everything that the functions above
// recognize.
std::optional<OtherFormat> RecognizeDocument(std::string_view begin, const std::string& path);

// Applies RecognizeDocument() to the first bytes of a file. Returns nullopt if the file cannot be
// read.
std::optional<OtherFormat> RecognizeFile(const std::string& path);

// Returns InvalidArgument that names the format: "the file is a Parquet file".
Status ForeignFileError(const OtherFormat& format, const std::string& path);

}  // namespace dl::dataset
