#include "dataset/readers/foreign_format.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/shell_word.h"
#include "dataset/readers/format_remedies.h"

namespace dl::dataset {
namespace {

// Endings of names, with the format that has them.
struct Ending {
  std::string_view ending, what, remedy;
};
constexpr Ending kEndings[] = {
    {".parquet", "a Parquet file", kReadParquet},
    {".arrow", "an Arrow file", kReadFeather},
    {".feather", "a Feather file", kReadFeather},
    {".orc", "an ORC file", kReadOrc},
    {".avro", "an Avro file", kExport},
    {".h5", "an HDF5 file", kSaveArrays},
    {".hdf5", "an HDF5 file", kSaveArrays},
    {".hdf", "an HDF file", kSaveArrays},
    {".nc", "a NetCDF file", kSaveArrays},
    {".mat", "a MATLAB file", kReadMatlab},
    {".pkl", "a Python pickle", kSaveObject},
    {".pickle", "a Python pickle", kSaveObject},
    {".joblib", "a file of joblib", kSaveObject},
    {".pt", "a PyTorch file", "Save its arrays with numpy.savez"},
    {".pth", "a PyTorch file", "Save its arrays with numpy.savez"},
    {".tfrecord", "a TFRecord file", kReadRecords},
    {".tfrecords", "a TFRecord file", kReadRecords},
    {".sas7bdat", "a SAS data file", kReadSas},
    {".xpt", "a SAS transport file", kReadSas},
    {".sav", "an SPSS file", kReadSpss},
    {".zsav", "an SPSS file", kReadSpss},
    {".por", "an SPSS file", kReadSpss},
    {".dta", "a Stata file", kReadStata},
    {".rds", "an R data file", kWriteCsv},
    {".rda", "an R data file", kWriteCsv},
    {".rdata", "an R data file", kWriteCsv},
    {".sqlite", "an SQLite database", kExportSqlite},
    {".sqlite3", "an SQLite database", kExportSqlite},
    {".db", "a database", "Export the table as CSV"},
    {".duckdb", "a DuckDB database", kExportDuckdb},
    {".mdb", "an Access database", kExport},
    {".accdb", "an Access database", kExport},
    {".dbf", "a DBF table (dBase)", kExport},
    {".xls", "an Excel file", kExportSheet},
    {".xlsx", "an Excel file", kExportSheet},
    {".xlsm", "an Excel file", kExportSheet},
    {".xlsb", "an Excel file", kExportSheet},
    {".ods", "an OpenDocument file", kExportSheet},
    {".arff", "an ARFF file (Weka)", "Save it as CSV"},
    {".jsonl", "JSON", kWriteRecords},
    {".ndjson", "JSON", kWriteRecords},
    {".zip", "a zip archive", kUnpack},
    {".tar", "a tar archive", kUnpack},
    {".tgz", "a tar archive", kUnpack},
    {".7z", "a 7z archive", kUnpack},
    {".rar", "a RAR archive", kUnpack},
    {".xz", "a file of xz", kUnpack},
    {".bz2", "a file of bzip2", kUnpack},
    {".lz4", "a file of lz4", kUnpack},
    {".png", "an image", kConvertImage},
    {".jpg", "an image", kConvertImage},
    {".jpeg", "an image", kConvertImage},
    {".gif", "an image", kConvertImage},
    {".bmp", "an image", kConvertImage},
    {".tiff", "an image", kConvertImage},
};

}  // namespace

std::optional<OtherFormat> FormatOfEnding(const std::string& path) {
  const std::string name = absl::AsciiStrToLower(path);
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.ending)) return FormatOf(ending.what, ending.remedy, path);
  }
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

std::optional<OtherFormat> RecognizeDocument(std::string_view begin, const std::string& path) {
  if (auto format = RecognizeFormat(begin, path)) return format;
  if (auto encoding = RecognizeEncoding(begin, path)) return encoding;
  if (auto media = RecognizeMedia(begin, path)) return media;
  return RecognizeText(begin, path);
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
