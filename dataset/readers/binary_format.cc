// Recognizes formats that are not text: RecognizeFormat() and RecognizeMedia() of foreign_format.h.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/format_remedies.h"

namespace dl::dataset {
namespace {

// Bytes that a format has at a fixed place.
struct Signature {
  std::string_view bytes, what, remedy;
  size_t at = 0;
};
constexpr Signature kSignatures[] = {
    // Compressed files and archives.
    {"BZh91AY&SY", "compressed with bzip2", kUnpack},
    {{"\xfd\x37zXZ\0", 6}, "compressed with xz", kUnpack},
    {{"]\0\0", 3}, "compressed with lzma", kUnpack},
    {"\x04\x22\x4d\x18", "compressed with lz4", kUnpack},
    {"\x89LZO", "compressed with lzop", kUnpack},
    {{"\xff\x06\0\0sNaPpY", 10}, "compressed with snappy", kUnpack},
    {"\x1f\x9d", "compressed with compress", kUnpack},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive", kUnpack},
    {"Rar!\x1a", "a RAR archive", kUnpack},
    {"MSCF", "a cabinet archive", kUnpack},
    {"!<arch>\n", "an ar archive or a Debian package", kUnpack},
    {"Salted__", "encrypted with OpenSSL", kNotData},
    {"-----BEGIN PGP", "a message or key of PGP", kNotData},
    {"-----BEGIN CERT", "a certificate", kNotData},
    {"age-encryption.org/", "encrypted with age", kNotData},
    // Tables and arrays.
    {"PAR1", "a Parquet file", kReadParquet},
    {{"ARROW1\0\0", 8}, "an Arrow or Feather file", kReadFeather},
    {"FEA1", "a Feather file", kReadFeather},
    {"Obj\x01", "an Avro file", kExport},
    {"SEQ\x06", "a sequence file of Hadoop", kExport},
    {"RCF\x01", "an RCFile of Hive", kExport},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", kSaveArrays},
    {"\x0e\x03\x13\x01", "an HDF4 file", kSaveArrays},
    {"\x93NUMPY", "a NumPy file", "Say that its format is npy"},
    {{"SQLite format 3\0", 16}, "an SQLite database", kExportSqlite},
    {"DUCK", "a DuckDB database", kExportDuckdb, 8},
    {"Standard Jet DB", "an Access database", kExport, 4},
    {"Standard ACE DB", "an Access database", kExport, 4},
    {{"\xde\xc0\xef\xbe", 4}, "an LMDB database", kSaveArrays, 16},
    {"\x80\x02", "a Python pickle", kSaveObject},
    {"\x80\x03", "a Python pickle", kSaveObject},
    {"\x80\x04", "a Python pickle", kSaveObject},
    {"\x80\x05", "a Python pickle", kSaveObject},
    {"(dp0\n", "a Python pickle", kSaveObject},
    {"(lp0\n", "a Python pickle", kSaveObject},
    {"ccopy_reg\n", "a Python pickle", kSaveObject},
    {"cnumpy.", "a Python pickle", kSaveObject},
    {"cpandas.", "a Python pickle", kSaveObject},
    {{"}q\0", 3}, "a Python pickle", kSaveObject},
    {{"]q\0", 3}, "a Python pickle", kSaveObject},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, as Excel's .xls", kExportSheet},
    {"\x09\x08", "an old sheet of Excel", kExportSheet},
    {{"\x09\0\x04\0", 4}, "an old sheet of Excel", kExportSheet},
    {"MATLAB 5.0 MAT-file", "a MATLAB file", kReadMatlab},
    {"MATLAB 7.3 MAT-file", "a MATLAB file",
     "Save its arrays as CSV, or read them with h5py and save them with numpy.savez"},
    {"RDX2\n", "an R data file", kWriteCsv},
    {"RDX3\n", "an R data file", kWriteCsv},
    {"RDA2\n", "an R data file", kWriteCsv},
    {"RDA3\n", "an R data file", kWriteCsv},
    {{"X\n\0\0\0", 5}, "an R data file", kWriteCsv},
    {"HEADER RECORD*******LIB", "a SAS transport file", kReadSas},
    {"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08", "a SAS data file", kReadSas, 12},
    {"$FL2@(#)", "an SPSS file", kReadSpss},
    {"$FL3@(#)", "an SPSS file", kReadSpss},
    {"ASCII SPSS PORT FILE", "an SPSS file", kReadSpss},
    {"<stata_dta>", "a Stata file", kReadStata},
    {"SIMPLE  =", "a FITS file", kExport},
    {"CDF\x01", "a NetCDF file", kExport},
    {"CDF\x02", "a NetCDF file", kExport},
    {"CDF\x05", "a NetCDF file", kExport},
    {"GRIB", "a GRIB file", kExport},
    {"LASF", "a LAS file of points", kExport},
    {{"\0\0\x27\x0a", 4}, "a shapefile", kExport},
    {{"n+1\0", 4}, "a NIfTI image", kSaveArrays, 344},
    {{"ni1\0", 4}, "a NIfTI image", kSaveArrays, 344},
    {"DICM", "a DICOM file", kExport, 128},
    {"\x0a\x23\xd7\xce", "a RecordIO file", kSaveArrays},
    {"GGUF", "a GGUF file", kHasWeights},
    // Documents and programs.
    {"%PDF-", "a PDF document",
     "Copy its text or table into a file of its own, in UTF-8; a table as CSV"},
    {"%!PS", "a PostScript document",
     "Copy its text or table into a file of its own, in UTF-8; a table as CSV"},
    {"\x7f"
     "ELF",
     "a program", "Check which file it is; a job program must be executable: chmod +x FILE"},
    {{"MZ\x90\0", 4}, "a program of Windows", kNotData},
    {"\xca\xfe\xba\xbe", "a class of Java, or a program of macOS", kNotData},
    {{"\0asm", 4}, "a program in WebAssembly", kNotData},
    {"ustar", "a tar archive", "Unpack it: tar -xf FILE", 257},
};

constexpr std::string_view kFolderOfImages =
    "Put images into a folder for each class, and name their folder; predict --no-labels takes a "
    "folder of images without classes";
constexpr Signature kMedia[] = {
    {"\x89PNG", "a PNG image", kFolderOfImages},
    {"\xff\xd8\xff", "a JPEG image", kFolderOfImages},
    {"GIF8", "a GIF image", kConvertImage},
    {{"II*\0", 4}, "a TIFF image", kConvertImage},
    {{"MM\0*", 4}, "a TIFF image", kConvertImage},
    {{"\0\0\0\x0cjP  ", 8}, "a JPEG 2000 image", kConvertImage},
    {{"\0\0\1\0", 4}, "an icon", kConvertImage},
    {"8BPS", "an image of Photoshop", kConvertImage},
    {"v/1\x01", "an OpenEXR image", kConvertImage},
    {"P5", "a PGM image", kConvertImage},
    {"P6", "a PPM image", kConvertImage},
    {"ID3", "a sound", kConvertSound},
    {"\xff\xfb", "a sound", kConvertSound},
    {"fLaC", "a sound", kConvertSound},
    {"OggS", "a sound", kConvertSound},
    {"\x1a\x45\xdf\xa3", "a video", kConvertVideo},
};

// Formats that are named after the size of a part: RIFF, and the boxes of ISO 14496-12.
struct SizedFormat {
  std::string_view begin;
  size_t at;
  std::string_view word, what, remedy;
};
constexpr std::string_view kZero{"\0", 1};
constexpr SizedFormat kSizedFormats[] = {
    {"RIFF", 8, "WEBP", "a WebP image", kConvertImage},
    {"RIFF", 8, "WAVE", "a sound", kConvertSound},
    {"RIFF", 8, "AVI ", "a video", kConvertVideo},
    {"BM", 6, {"\0\0\0\0", 4}, "a BMP image", kConvertImage},
    {kZero, 4, "ftyphei", "a HEIC image", kConvertImage},
    {kZero, 4, "ftypmif1", "a HEIC image", kConvertImage},
    {kZero, 4, "ftypavif", "an AVIF image", kConvertImage},
    {kZero, 4, "ftyp", "a video or sound", kConvertVideo},
};

bool HasAt(std::string_view begin, size_t at, std::string_view bytes) {
  return begin.substr(std::min(at, begin.size())).starts_with(bytes);
}

// Returns the little-endian number of `bytes` bytes at a place; 0 if the file ends before it.
uint64_t NumberAt(std::string_view begin, size_t at, size_t bytes) {
  uint64_t number = 0;
  if (at + bytes <= begin.size()) std::memcpy(&number, begin.data() + at, bytes);
  return number;
}

// Returns whether the file has control characters that no table has.
bool IsBinary(std::string_view begin) {
  constexpr std::string_view kAllowed = "\t\n\v\f\r\x1a\x1b";
  return std::ranges::any_of(begin, [&](char c) {
    return static_cast<unsigned char>(c) < ' ' && kAllowed.find(c) == std::string_view::npos;
  });
}

// Returns whether the file has the bytes of the signature. Letters and digits alone may also be the
// begin of a header, such as "FEA1,FEA2".
bool HasSignature(std::string_view begin, const Signature& signature) {
  if (!HasAt(begin, signature.at, signature.bytes)) return false;
  const bool is_word = std::ranges::all_of(signature.bytes, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
  return !is_word || IsBinary(begin);
}

// A version of Stata before 117, the order of bytes, then 1 and 0.
bool IsOldStata(std::string_view begin) {
  return begin.size() > 4 && begin[0] >= 105 && begin[0] <= 115 &&
         (begin[1] == 1 || begin[1] == 2) && begin[2] == 1 && begin[3] == 0;
}

// A header of five numbers of 4 bytes (type, rows, columns, complex, length of the name), then the
// name of the first matrix with a byte 0.
bool IsOldMatlab(std::string_view begin) {
  constexpr size_t kHeader = 20;
  constexpr uint64_t kLargestType = 52, kLongestName = 64;
  const uint64_t length = NumberAt(begin, 16, 4);
  if (begin.size() <= kHeader + length || length < 2 || length > kLongestName) return false;
  const std::string_view name = begin.substr(kHeader, length - 1);
  return NumberAt(begin, 0, 4) <= kLargestType && NumberAt(begin, 4, 4) > 0 &&
         NumberAt(begin, 8, 4) > 0 && NumberAt(begin, 12, 4) <= 1 &&
         begin[kHeader + length - 1] == '\0' && std::ranges::all_of(name, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

// A kind of table, the date of the last change, reserved zeros, and a header of 32 bytes for each
// column. The header ends with a CR, which 263 bytes may follow in Visual FoxPro.
bool IsDbase(std::string_view begin) {
  constexpr std::string_view kKinds{"\x02\x03\x30\x31\x43\x63\x83\x8b\xcb\xf5", 10};
  constexpr size_t kColumn = 32, kMostMonths = 12, kMostDays = 31, kFoxPro = 263;
  if (begin.size() < kColumn || kKinds.find(begin[0]) == std::string_view::npos) return false;
  const uint64_t month = NumberAt(begin, 2, 1), day = NumberAt(begin, 3, 1);
  const uint64_t header = NumberAt(begin, 8, 2);
  if (month < 1 || month > kMostMonths || day < 1 || day > kMostDays || header <= kColumn ||
      header > begin.size() || NumberAt(begin, 12, 8) != 0 || NumberAt(begin, 20, 8) != 0)
    return false;
  const auto ends_at = [&](uint64_t length) {
    return length > kColumn && length <= header && begin[length - 1] == '\r';
  };
  return ends_at(header) || ends_at(header - 1) || (header > kFoxPro && ends_at(header - kFoxPro));
}

// The length of a record in 8 bytes, its checksum in 4, and a tf.train.Example, which is one field
// with its length.
bool IsTfRecord(std::string_view begin) {
  constexpr size_t kRecordAt = 12;
  const uint64_t length = NumberAt(begin, 0, 8);
  if (begin.size() <= kRecordAt || begin[kRecordAt] != '\x0a') return false;
  uint64_t field = 0;
  size_t digits = 0;  // of 7 bits
  for (size_t at = kRecordAt + 1; at < begin.size() && digits < 5; ++at) {
    const uint64_t byte = NumberAt(begin, at, 1);
    field |= (byte & 0x7f) << (7 * digits++);
    if (byte < 0x80) return length == 1 + digits + field;
  }
  return false;
}

// The length of a header in 8 bytes, and the header in JSON.
bool IsSafetensors(std::string_view begin) {
  return HasAt(begin, 8, "{\"") && NumberAt(begin, 4, 4) == 0;
}

bool IsOrc(std::string_view begin) { return begin.starts_with("ORC") && IsBinary(begin); }

bool IsArrowStream(std::string_view begin) {
  return begin.starts_with("\xff\xff\xff\xff") && NumberAt(begin, 8, 4) == 0x10;
}

// The two bytes of the header are a multiple of 31 (RFC 1950).
bool IsZlib(std::string_view begin) {
  constexpr uint64_t kCheck = 31;
  return begin.size() > 2 && begin[0] == 'x' &&
         (256 * NumberAt(begin, 0, 1) + NumberAt(begin, 1, 1)) % kCheck == 0 && IsBinary(begin) &&
         !IsUtf8(begin);
}

struct Structure {
  bool (*is)(std::string_view begin);
  std::string_view what, remedy;
};
constexpr Structure kStructures[] = {
    {IsDbase, "a DBF table (dBase)", kExport},
    {IsOldStata, "a Stata file", kReadStata},
    {IsOldMatlab, "a MATLAB file", kReadMatlab},
    {IsTfRecord, "a TFRecord file", kReadRecords},
    {IsSafetensors, "a safetensors file", kHasWeights},
    {IsOrc, "an ORC file", kReadOrc},
    {IsArrowStream, "a stream of Arrow", kReadFeather},
    {IsZlib, "compressed with zlib, as joblib does", kSaveObject},
};

// Returns the name of the first entry of a zip archive; empty if it is incomplete.
std::string_view FirstEntry(std::string_view begin) {
  constexpr size_t kLengthAt = 26, kNameAt = 30;
  if (begin.size() < kNameAt) return "";
  const size_t length = NumberAt(begin, kLengthAt, 2);
  return begin.size() < kNameAt + length ? "" : begin.substr(kNameAt, length);
}

OtherFormat RecognizeZip(std::string_view begin, const std::string& path) {
  const std::string_view name = FirstEntry(begin);
  const auto has = [&](std::string_view text) {
    return begin.find(text) != std::string_view::npos;
  };
  if (has("word/document.xml")) {
    return FormatOf("a Word document", "Save its text as plain text in UTF-8, or its table as CSV",
                    path);
  }
  if (name == "[Content_Types].xml" || name.starts_with("_rels/") || name.starts_with("xl/") ||
      name.starts_with("docProps/"))
    return FormatOf("an Office file, as Excel's .xlsx", kExportSheet, path);
  if (name == "mimetype" && has("opendocument"))
    return FormatOf("an OpenDocument file, as .ods", kExportSheet, path);
  if (name.starts_with("Index/") && name.ends_with(".iwa"))
    return FormatOf("a document of Apple's Numbers or Pages", kExportSheet, path);
  if (name.ends_with("data.pkl"))
    return FormatOf("a PyTorch file", "Save its arrays with numpy.savez", path);
  if (name == "metadata.json" && has("config.json"))
    return FormatOf("a Keras model", kHasWeights, path);
  if (name.ends_with(".npy")) {
    return FormatOf("a zip archive of NumPy arrays",
                    "Give it a name that ends in .npz, or say that its format is npz", path);
  }
  OtherFormat zip = FormatOf("a zip archive", "Unpack it: unzip FILE", path);
  if (!name.empty()) absl::StrAppend(&zip.what, " with ", Excerpt(name));
  absl::StrAppend(&zip.remedy,
                  "; files are read plain or with gzip or zstd, and NumPy's archives as npz");
  return zip;
}

}  // namespace

std::optional<OtherFormat> RecognizeFormat(std::string_view begin, const std::string& path) {
  if (begin.starts_with(kZipMagic)) return RecognizeZip(begin, path);
  for (const Signature& signature : kSignatures) {
    if (HasSignature(begin, signature)) return FormatOf(signature.what, signature.remedy, path);
  }
  for (const Structure& structure : kStructures) {
    if (structure.is(begin)) return FormatOf(structure.what, structure.remedy, path);
  }
  return std::nullopt;
}

std::optional<OtherFormat> RecognizeMedia(std::string_view begin, const std::string& path) {
  for (const Signature& signature : kMedia) {
    if (HasSignature(begin, signature)) return FormatOf(signature.what, signature.remedy, path);
  }
  for (const SizedFormat& format : kSizedFormats) {
    if (begin.starts_with(format.begin) && HasAt(begin, format.at, format.word))
      return FormatOf(format.what, format.remedy, path);
  }
  return std::nullopt;
}

}  // namespace dl::dataset
