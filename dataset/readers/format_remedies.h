// Remedies of errors about files of other formats. FILE stands for the path.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "base/shell_word.h"
#include "dataset/readers/foreign_format.h"

namespace dl::dataset {

inline constexpr std::string_view kUnpack =
    "Unpack or convert it: files are read plain, or compressed with gzip or zstd";
inline constexpr std::string_view kExport =
    "Open it in the program that made it, and export the data as CSV in UTF-8";
inline constexpr std::string_view kExportSheet =
    "Open it in the program that made it, and save the sheet as CSV in UTF-8";
inline constexpr std::string_view kSaveObject =
    "Save the data as CSV, or as arrays with numpy.savez";
inline constexpr std::string_view kSaveArrays =
    "Save its arrays with numpy.savez, or its table as CSV";
inline constexpr std::string_view kConvertImage =
    "Convert images to PNG, into a folder for each class";
inline constexpr std::string_view kConvertSound =
    "Compute features of the sounds, and save them with numpy.savez";
inline constexpr std::string_view kConvertVideo =
    "Save its frames or its features as images or arrays";
inline constexpr std::string_view kNotData = "Check which file it is, and name the file of data";
inline constexpr std::string_view kHasWeights =
    "It has the weights of a model. Name a file of examples";
inline constexpr std::string_view kWriteCsv =
    "Write the table with write.csv(..., row.names = FALSE)";
inline constexpr std::string_view kReadParquet =
    "Convert it, for example with pandas.read_parquet(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadFeather =
    "Convert it, for example with pandas.read_feather(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadOrc =
    "Convert it, for example with pandas.read_orc(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadSas =
    "Convert it, for example with pandas.read_sas(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadStata =
    "Convert it, for example with pandas.read_stata(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadSpss =
    "Convert it, for example with pandas.read_spss(...).to_csv(..., index=False)";
inline constexpr std::string_view kReadMatlab =
    "Save its arrays as CSV, or with scipy.io.loadmat and numpy.savez";
inline constexpr std::string_view kReadRecords =
    "Read its records with tf.data.TFRecordDataset, and save their arrays with numpy.savez";
inline constexpr std::string_view kExportSqlite =
    "Export the table: sqlite3 -header -csv FILE 'SELECT * FROM table'";
inline constexpr std::string_view kExportDuckdb =
    "Export the table: duckdb -csv FILE 'SELECT * FROM table' > table.csv";
inline constexpr std::string_view kEncodeSequences =
    "Turn the sequences into numbers of one length, for example one-hot or k-mer counts, and save "
    "them as CSV or with numpy.savez";
inline constexpr std::string_view kWriteRecords =
    "Write its records as CSV: a header, then a line for each example";

// Returns the format, with the path in the place of FILE.
inline OtherFormat FormatOf(std::string_view what, std::string_view remedy,
                            const std::string& path) {
  return {.what = std::string(what),
          .remedy = absl::StrReplaceAll(std::string(remedy), {{"FILE", ShellWord(path)}})};
}

}  // namespace dl::dataset
