#include "dataset/readers/foreign_format.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/shell_word.h"

namespace dl::dataset {
namespace {

// Remedies. FILE stands for the path.
constexpr std::string_view kUnpack =
    "Unpack or convert it: files are read plain, or compressed with gzip or zstd";
constexpr std::string_view kExport =
    "Open it in the program that made it, and export the data as CSV in UTF-8";
constexpr std::string_view kExportSheet =
    "Open it in the program that made it, and save the sheet as CSV in UTF-8";
constexpr std::string_view kCopy =
    "Copy its text or table into a file of its own, in UTF-8; a table as CSV";
constexpr std::string_view kSaveObject = "Save the data as CSV, or as arrays with numpy.savez";
constexpr std::string_view kWriteCsv = "Write the table with write.csv(..., row.names = FALSE)";
constexpr std::string_view kConvertImage = "Convert images to PNG, into a folder for each class";
constexpr std::string_view kFolderOfImages =
    "Put images into a folder for each class, and name their folder; predict --no-labels takes a "
    "folder of images without classes";
constexpr std::string_view kUnpackZip = "Unpack it: unzip FILE";

struct Signature {
  std::string_view begin, what, remedy;
};
constexpr Signature kSignatures[] = {
    {"BZh91AY&SY", "compressed with bzip2", kUnpack},
    {{"\xfd\x37zXZ\0", 6}, "compressed with xz", kUnpack},
    {"\x04\x22\x4d\x18", "compressed with lz4", kUnpack},
    {"\x1f\x9d", "compressed with compress", kUnpack},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive", kUnpack},
    {"Rar!\x1a", "a RAR archive", kUnpack},
    {"PAR1", "a Parquet file",
     "Convert it, for example with pandas.read_parquet(...).to_csv(..., index=False); files are "
     "read "
     "plain, or compressed with gzip or zstd"},
    {{"ARROW1\0\0", 8},
     "an Arrow or Feather file",
     "Convert it, for example with pandas.read_feather(...).to_csv(..., index=False)"},
    {"Obj\x01", "an Avro file", kExport},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file",
     "Save its arrays with numpy.savez, or its table as CSV; files are read plain, or compressed "
     "with gzip or zstd"},
    {"\x93NUMPY", "a NumPy file", "Say that its format is npy"},
    {{"SQLite format 3\0", 16},
     "an SQLite database",
     "Export the table: sqlite3 -header -csv FILE 'SELECT * FROM table'"},
    {"\x80\x02", "a Python pickle", kSaveObject},
    {"\x80\x03", "a Python pickle", kSaveObject},
    {"\x80\x04", "a Python pickle", kSaveObject},
    {"\x80\x05", "a Python pickle", kSaveObject},
    {"x\x9c", "compressed with zlib, as joblib does", kSaveObject},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, as Excel's .xls", kExportSheet},
    {"MATLAB 5.0 MAT-file", "a MATLAB file",
     "Save its arrays as CSV, or with scipy.io.loadmat and numpy.savez"},
    {"MATLAB 7.3 MAT-file", "a MATLAB file",
     "Save its arrays as CSV, or read them with h5py and save them with numpy.savez"},
    {"RDX2\n", "an R data file", kWriteCsv},
    {"RDX3\n", "an R data file", kWriteCsv},
    {{"X\n\0\0\0", 5}, "an R data file", kWriteCsv},
    {"HEADER RECORD*******LIB", "a SAS transport file", kExport},
    {"$FL2@(#)", "an SPSS file", kExport},
    {"<stata_dta>", "a Stata file", kExport},
    {"SIMPLE  =", "a FITS file", kExport},
    {"CDF\x01", "a NetCDF file", kExport},
    {"CDF\x02", "a NetCDF file", kExport},
    {"%PDF-", "a PDF document", kCopy},
    {"%!PS", "a PostScript document", kCopy},
    {"\x7f"
     "ELF",
     "a program", "Check which file it is; a job program must be executable: chmod +x FILE"},
};

constexpr Signature kImages[] = {
    {"\x89PNG", "a PNG image", kFolderOfImages},
    {"\xff\xd8\xff", "a JPEG image", kFolderOfImages},
    {"GIF8", "a GIF image", kConvertImage},
    {{"II*\0", 4}, "a TIFF image", kConvertImage},
    {{"MM\0*", 4}, "a TIFF image", kConvertImage},
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
    {"RIFF", 8, "WAVE", "a sound",
     "Compute features of the sounds, and save them with numpy.savez"},
    {kZero, 4, "ftyphei", "a HEIC image", kConvertImage},
    {kZero, 4, "ftypmif1", "a HEIC image", kConvertImage},
    {kZero, 4, "ftypavif", "an AVIF image", kConvertImage},
    {kZero, 4, "ftyp", "a video or sound", "Save its frames or its features as images or arrays"},
};

OtherFormat Recognized(const Signature& signature, const std::string& path) {
  return {
      .what = std::string(signature.what),
      .remedy = absl::StrReplaceAll(std::string(signature.remedy), {{"FILE", ShellWord(path)}})};
}

// Returns the name of the first entry of a zip archive; empty if it is incomplete.
std::string_view FirstEntry(std::string_view begin) {
  constexpr size_t kLengthAt = 26, kNameAt = 30;
  if (begin.size() < kNameAt) return "";
  const size_t length = static_cast<unsigned char>(begin[kLengthAt]) +
                        256 * static_cast<unsigned char>(begin[kLengthAt + 1]);
  return begin.size() < kNameAt + length ? "" : begin.substr(kNameAt, length);
}

OtherFormat RecognizeZip(std::string_view begin, const std::string& path) {
  const std::string_view name = FirstEntry(begin);
  const auto has = [&](std::string_view text) {
    return begin.find(text) != std::string_view::npos;
  };
  if (has("word/document.xml")) {
    return Recognized(
        {"", "a Word document", "Save its text as plain text in UTF-8, or its table as CSV"}, path);
  }
  if (name == "[Content_Types].xml" || name.starts_with("_rels/") || name.starts_with("xl/") ||
      name.starts_with("docProps/"))
    return Recognized({"", "an Office file, as Excel's .xlsx", kExportSheet}, path);
  if (name == "mimetype" && has("opendocument"))
    return Recognized({"", "an OpenDocument file, as .ods", kExportSheet}, path);
  if (name.ends_with("data.pkl"))
    return Recognized({"", "a PyTorch file", "Save its arrays with numpy.savez"}, path);
  if (name.ends_with(".npy")) {
    return Recognized({"", "a zip archive of NumPy arrays",
                       "Give it a name that ends in .npz, or say that its format is npz"},
                      path);
  }
  OtherFormat zip = Recognized({"", "a zip archive", kUnpackZip}, path);
  if (!name.empty()) absl::StrAppend(&zip.what, " with ", Excerpt(name));
  absl::StrAppend(&zip.remedy,
                  "; files are read plain or with gzip or zstd, and NumPy's archives as npz");
  return zip;
}

bool IsDicom(std::string_view begin) {
  constexpr size_t kMagicAt = 128;
  return begin.size() > kMagicAt + 4 && begin.substr(kMagicAt, 4) == "DICM";
}

// Returns whether the text is a sheet in SYLK: records of fields, each with a letter.
bool IsSylk(std::string_view text) {
  return text.starts_with("ID;P") && text.find("\nC;") != std::string_view::npos &&
         text.find(";K") != std::string_view::npos;
}

bool IsRtf(std::string_view text) { return text.starts_with("{\\rtf"); }

bool IsLfsPointer(std::string_view text) { return text.starts_with("version https://git-lfs"); }

bool IsScript(std::string_view text) { return text.starts_with("#!/"); }

bool IsTar(std::string_view begin) {
  constexpr size_t kMagicAt = 257;
  return begin.size() > kMagicAt + 5 && begin.substr(kMagicAt, 5) == "ustar";
}

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  return text;
}

// Returns whether the text is JSON. The second character of JSON never follows the first one in the
// cell of a table.
bool IsJson(std::string_view text) {
  if (!text.starts_with("{") && !text.starts_with("[")) return false;
  const std::string_view rest = SkipBlanks(text.substr(1));
  if (text.front() == '{') return rest.starts_with("\"") || rest.starts_with("}");
  return rest.starts_with("{") || rest.starts_with("[") || rest.starts_with("\"");
}

// Returns whether the text is markup: "<?xml", "<!--", or a tag such as "<html>" in a text with a
// closing tag. Column names may also be in angle brackets, such as "<DATE>".
bool IsMarkup(std::string_view text) {
  if (text.size() < 3 || text[0] != '<') return false;
  if (text[1] == '?' || text[1] == '!') return true;
  return absl::ascii_isalpha(static_cast<unsigned char>(text[1])) &&
         (text.find("</") != std::string_view::npos || text.find("/>") != std::string_view::npos);
}

// Returns whether the text is statements of SQL, or the rows of one: "(1, 2, 'A'),".
bool IsSql(std::string_view text) {
  const std::string line = absl::AsciiStrToUpper(std::string(text.substr(0, text.find('\n'))));
  for (const std::string_view begin :
       {"INSERT INTO ", "CREATE TABLE ", "-- MYSQL DUMP", "-- MARIADB DUMP", "PRAGMA FOREIGN_KEYS",
        "BEGIN TRANSACTION;", "/*!40101 SET"}) {
    if (line.starts_with(begin)) return true;
  }
  if (line.starts_with("COPY ") && line.find(" FROM STDIN") != std::string::npos) return true;
  if (line == "--" || line.starts_with("-- POSTGRESQL DATABASE"))
    return text.find("PostgreSQL database dump") != std::string_view::npos;
  std::string_view row = line;
  while (!row.empty() && absl::ascii_isspace(static_cast<unsigned char>(row.back())))
    row.remove_suffix(1);
  return row.size() > 3 && row[0] == '(' &&
         std::string_view("0123456789-'\"N").find(row[1]) != std::string_view::npos &&
         (row.ends_with("),") || row.ends_with(");"));
}

// Texts that programs write for other programs.
struct Markup {
  bool (*is)(std::string_view text);
  std::string_view what, no_table, remedy;
};
constexpr Markup kMarkups[] = {
    {IsRtf, "an RTF document", "an RTF document", kExport},
    {IsJson, "JSON", "JSON, which is no table of text",
     "Convert it to csv: a header line, then a line for each example"},
    {IsMarkup, "a page of HTML or XML", "a page of HTML or XML, no table",
     "Fetch the data itself: a link may lead to a page about it"},
    {IsSql, "a dump of SQL", "a dump of SQL, no table of text",
     "Export the table as CSV: psql --csv, mysql --batch, or sqlite3 -header -csv"},
    {IsSylk, "a sheet in SYLK", "a sheet in SYLK, as Excel's .slk", kExportSheet},
    {IsLfsPointer, "a pointer of Git LFS", "a pointer of Git LFS, not the data",
     "Fetch it: git lfs pull"},
    {IsScript, "a script", "a script, no table",
     "Check which file it is; a job program must be executable: chmod +x FILE"},
};

}  // namespace

std::optional<OtherFormat> RecognizeFormat(std::string_view begin, const std::string& path) {
  if (begin.starts_with(kZipMagic)) return RecognizeZip(begin, path);
  for (const Signature& signature : kSignatures) {
    if (begin.starts_with(signature.begin)) return Recognized(signature, path);
  }
  if (IsDicom(begin)) return Recognized({"", "a DICOM file", kExport}, path);
  if (IsTar(begin)) return Recognized({"", "a tar archive", "Unpack it: tar -xf FILE"}, path);
  return std::nullopt;
}

std::optional<OtherFormat> RecognizeEncoding(std::string_view begin, const std::string& path) {
  constexpr size_t kLooked = 64, kLeast = 6;
  size_t zeros[4] = {0, 0, 0, 0};
  const std::string_view looked = begin.substr(0, kLooked);
  for (size_t i = 0; i < looked.size(); ++i) zeros[i % 4] += looked[i] == '\0';
  const auto known = [&](const char* name) {
    return OtherFormat{
        .what = absl::StrCat("text in ", std::string(name).substr(0, 6), ", and UTF-8 is read"),
        .remedy = absl::StrCat("Save it as UTF-8, or convert it: iconv -f ", name, " -t UTF-8 ",
                               ShellWord(path), " > NEW_FILE")};
  };
  if (looked.starts_with(std::string_view("\xff\xfe\0\0", 4)) ||
      looked.starts_with(std::string_view("\0\0\xfe\xff", 4)))
    return known("UTF-32");
  if (looked.starts_with("\xff\xfe") || looked.starts_with("\xfe\xff")) return known("UTF-16");
  const size_t even = zeros[0] + zeros[2], odd = zeros[1] + zeros[3];
  if (even == 0 && odd >= kLeast) return known("UTF-16LE");
  if (odd == 0 && even >= kLeast) return known("UTF-16BE");
  const size_t quads = looked.size() / 4;
  if (quads < 2) return std::nullopt;
  if (zeros[0] == 0 && zeros[2] >= quads && zeros[3] >= quads) return known("UTF-32LE");
  if (zeros[3] == 0 && zeros[0] >= quads && zeros[1] >= quads) return known("UTF-32BE");
  return std::nullopt;
}

std::string_view RecognizeMarkup(std::string_view begin) {
  const std::string_view text = SkipBlanks(begin);
  for (const Markup& markup : kMarkups) {
    if (markup.is(text)) return markup.what;
  }
  return "";
}

std::optional<OtherFormat> RecognizeDocument(std::string_view begin, const std::string& path) {
  if (auto format = RecognizeFormat(begin, path)) return format;
  if (auto encoding = RecognizeEncoding(begin, path)) return encoding;
  for (const Signature& image : kImages) {
    if (begin.starts_with(image.begin)) return Recognized(image, path);
  }
  for (const SizedFormat& format : kSizedFormats) {
    if (begin.starts_with(format.begin) &&
        begin.substr(std::min(format.at, begin.size())).starts_with(format.word))
      return Recognized({"", format.what, format.remedy}, path);
  }
  const std::string_view text = SkipBlanks(begin);
  for (const Markup& markup : kMarkups) {
    if (markup.is(text)) return Recognized({"", markup.no_table, markup.remedy}, path);
  }
  return std::nullopt;
}

std::optional<OtherFormat> RecognizeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(kFormatBytes, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return RecognizeDocument(begin, path);
}

Status ForeignFileError(const OtherFormat& format, const std::string& path) {
  return InvalidArgument({.message = absl::StrCat("the file is ", format.what),
                          .where = path,
                          .remedy = format.remedy});
}

}  // namespace dl::dataset
