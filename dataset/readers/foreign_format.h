// Recognizes files of formats that are not read, by their first bytes. Errors then name the format
// and a way to convert the file.
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

// How many bytes the functions below look at.
inline constexpr size_t kFormatBytes = 4096;

inline constexpr std::string_view kZipMagic = "PK\x03\x04";

// Archives, compressed files, and files of databases and programs. `begin` is what the file
// `path` begins with, perhaps after it was unpacked.
std::optional<OtherFormat> RecognizeFormat(std::string_view begin, const std::string& path);

// Text that is not UTF-8 but UTF-16 or UTF-32, by its byte-order mark or by its zeros.
std::optional<OtherFormat> RecognizeEncoding(std::string_view begin, const std::string& path);

// Images, JSON, HTML, XML and other documents; also all that the functions above recognize.
std::optional<OtherFormat> RecognizeDocument(std::string_view begin, const std::string& path);

// RecognizeDocument() of the first bytes of a file. Returns nothing if the file cannot be read.
std::optional<OtherFormat> RecognizeFile(const std::string& path);

// InvalidArgument that names the format: "the file is a Parquet file".
Status ForeignFileError(const OtherFormat& format, const std::string& path);

}  // namespace dl::dataset
