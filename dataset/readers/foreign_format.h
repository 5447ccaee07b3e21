// Recognizes files of another format than a reader expects, by their first bytes. Errors then name
// the format and a way to convert the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

struct OtherFormat {
  std::string what;    // completes "the file is": "a Parquet file", "compressed with xz"
  std::string remedy;  // how to convert the file, as ErrorText::remedy; may name the file
};

// Number of bytes at the beginning of a file that suffice for the functions below.
inline constexpr size_t kFormatBytes = 4096;

// First bytes of a zip archive. An .npz file of NumPy is one, too.
inline constexpr std::string_view kZipMagic = "PK\x03\x04";

// Recognizes formats that are not text: archives, compressed files, arrays, databases, executables,
// and documents such as PDF, Office and DICOM. `begin` holds the first bytes of the file `path`,
// possibly decompressed. Returns nullopt for anything else. It must not name files of the formats
// that are read without a signature of their own, such as CIFAR.
std::optional<OtherFormat> RecognizeFormat(std::string_view begin, const std::string& path);

// Recognizes text in UTF-16 or UTF-32, by its byte order mark or its bytes 0. `begin` as above.
std::optional<OtherFormat> RecognizeEncoding(std::string_view begin, const std::string& path);

// Recognizes text that is written for programs: JSON, HTML, XML, RTF, SYLK, dumps of SQL, pointers
// of Git LFS, scripts. Returns its name, "an RTF document", or "". `begin` as above.
std::string_view RecognizeMarkup(std::string_view begin);

// Recognizes images, sounds and videos. `begin` as above.
std::optional<OtherFormat> RecognizeMedia(std::string_view begin, const std::string& path);

// Recognizes text that is no table: what RecognizeMarkup() recognizes, and FASTA, FASTQ, VCF, YAML,
// settings, and the formats of Vowpal Wabbit, libffm and fastText. `begin` as above.
std::optional<OtherFormat> RecognizeText(std::string_view begin, const std::string& path);

// Recognizes everything that the functions above recognize. `begin` as above.
std::optional<OtherFormat> RecognizeDocument(std::string_view begin, const std::string& path);

// Returns the format whose usual ending the name has, for example ".sas7bdat". The content is not
// read. Formats that are read have no entry.
std::optional<OtherFormat> FormatOfEnding(const std::string& path);

// Applies RecognizeDocument() to the first bytes of a file. Returns nullopt if the file cannot be
// read.
std::optional<OtherFormat> RecognizeFile(const std::string& path);

// Returns InvalidArgument that names the format: "the file is a Parquet file".
Status ForeignFileError(const OtherFormat& format, const std::string& path);

}  // namespace dl::dataset
