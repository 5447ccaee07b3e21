#include "cli/data/data_file.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <ostream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/jobs/source_text.h"
#include "cli/output/json_fields.h"
#include "cli/output/table_report_text.h"
#include "dataset/readers/array/npz_guess.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/csv_dialect.h"
#include "dataset/readers/table/libsvm_guess.h"
#include "dataset/readers/text/text_reader.h"
#include "dataset/readers/text/text_tokens.h"
#include "job/dataset_spec.h"

namespace dl::cli {
namespace {

// Returns the file name in lower case, without ".gz" or ".zst".
std::string Ending(const std::string& path) {
  std::string name = absl::AsciiStrToLower(path.substr(path.rfind('/') + 1));
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name;
}

bool EndsWithOne(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return name.ends_with(ending); });
}
bool IsTable(const std::string& name) {
  return EndsWithOne(name, {".csv", ".tsv", ".tab", ".psv", ".data", ".dat", ".txt"});
}
bool IsIdx(const std::string& name) {
  return name.find("-idx") != std::string::npos || name.find(".idx") != std::string::npos;
}
bool IsSparse(const std::string& name) {
  return EndsWithOne(name, {".libsvm", ".svm", ".svmlight"});
}
// Returns whether the path is that of a pipe or device, or "-" for standard input.
bool IsStream(const std::string& path) {
  if (path == "-") return true;
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::character ||
         type == std::filesystem::file_type::socket;
}

Status UnsupportedFileError(const std::string& path, std::string_view why, const Json& document) {
  return InvalidArgument(
      {.message = absl::StrCat(path, " ", std::string(why)),
       .where = path,
       .remedy = absl::StrCat("Write a .json file and give its path: ", JsonText(document))});
}

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Status CheckIsNoStream(const std::string& path) {
  if (!IsStream(path)) return absl::OkStatus();
  return AsDataError(InvalidArgument(
      {.message = absl::StrCat(path == "-" ? "standard input" : path,
                               " is no file, and data is read more than once"),
       .where = path,
       .remedy = "Write it to a file first, as in COMMAND > data.csv. Files with gzip or zstd are "
                 "read as they are"}));
}

Status NoDataFileError(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return AsDataError(dataset::NoSuchFile(path));
  return AsDataError(
      InvalidArgument({.message = "is a program, and a file of data is expected",
                       .where = path,
                       .remedy = "If it is data, remove its permission to be executed: chmod -x"}));
}

bool IsImageFile(const std::string& path) {
  std::error_code error;
  return EndsWithOne(Ending(path), {".png", ".jpg", ".jpeg"}) &&
         std::filesystem::is_regular_file(path, error);
}

bool IsDataFile(const std::string& path) {
  std::error_code error;
  const bool is_program = ::access(path.c_str(), X_OK) == 0 || path.ends_with(".json");
  return HasDataName(path) || IsStream(path) ||
         (!is_program && std::filesystem::is_regular_file(path, error));
}

bool HasDataName(const std::string& path) {
  if (IsFolder(path)) return true;
  const std::string name = Ending(path);
  return IsTable(name) || IsIdx(name) || IsSparse(name) || dataset::FormatOfEnding(name) ||
         EndsWithOne(name, {".bin", ".npy", ".npz"});
}

std::optional<Json> DescribeText(const std::string& path, const dataset::Schema& training) {
  const std::string name = Ending(path);
  if (IsFolder(path) || IsIdx(name) || EndsWithOne(name, {".json", ".npy", ".npz", ".bin"}))
    return std::nullopt;
  const std::optional<job::TextUnit> unit = dataset::UnitOfText(training);
  if (!unit) return std::nullopt;
  job::TextSource source{.path = {path},
                         .unit = *unit,
                         .steps = training.feature_shape[0],
                         .mask_probability = training.mask_probability()};
  const bool has_token =
      std::ranges::find(training.class_names(), dataset::kUnknown) != training.class_names().end();
  if (*unit == job::TextUnit::kCharacter && has_token) source.UnknownCharactersAreAToken();
  return job::ToJson(job::DatasetSpec(source));
}

StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape) {
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3)) {
    return InvalidArgument(
        {.message = absl::StrCat(path, IsFolder(path) ? " is a folder" : " is an image",
                                 ", but the model does not read images of 1 or 3 channels"),
         .where = path,
         .remedy = "Name a file of data, or a .json file with a dataset"});
  }
  job::ImageFolderSource source = data::ImageFolder(path, shape[1], shape[2]);
  source.channels = shape[0];
  return job::ToJson(job::DatasetSpec(source));
}

namespace {

// Arrays without the file of their labels.
Json WithoutLabels(std::string_view format, const std::string& path) {
  return {{"format", std::string(format)}, {"features", path}, {"label_type", "none"}};
}

StatusOr<Json> DescribeIdx(const std::string& path, const DataFileOptions& options) {
  const std::string labels =
      absl::StrReplaceAll(path, {{"images-idx3", "labels-idx1"}, {"images.idx3", "labels.idx1"}});
  // The file of labels may be compressed in another way.
  std::string plain = labels;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (absl::AsciiStrToLower(plain).ends_with(packed)) plain.resize(plain.size() - packed.size());
  }
  for (const std::string& found : {labels, plain, plain + ".gz", plain + ".zst"}) {
    std::error_code none;
    if (labels != path && std::filesystem::exists(found, none))
      return job::ToJson(job::DatasetSpec(data::Idx(path, found)));
  }
  const bool is_labels = path.find("labels") != std::string::npos && labels == path;
  if (options.may_lack_labels && !is_labels) return WithoutLabels("idx", path);
  return UnsupportedFileError(path,
                              is_labels ? "has labels alone: the examples are in another file"
                                        : "has no labels: they are in another file",
                              {{"format", "idx"},
                               {"features", is_labels ? "the file of its examples" : path},
                               {"labels", is_labels        ? path
                                          : labels == path ? "the file of its labels"
                                                           : labels}});
}

// Describes files of formats that describe themselves.
StatusOr<Json> DescribeArrays(const std::string& path, const std::string& name,
                              const DataFileOptions& options) {
  if (IsIdx(name)) return DescribeIdx(path, options);
  if (name.ends_with(".bin"))
    return UnsupportedFileError(path, "has no name of a format: .bin may be several",
                                {{"format", "cifar10"}, {"paths", Json::array({path})}});
  if (name.ends_with(".npy")) {
    if (options.may_lack_labels) return WithoutLabels("npy", path);
    return UnsupportedFileError(
        path, "has no labels: they are in another file",
        {{"format", "npy"}, {"features", path}, {"labels", "the file of its labels"}});
  }
  if (const auto format = dataset::RecognizeFile(path))
    return dataset::ForeignFileError(*format, path);
  // Recognizes archives in compressed files too.
  DL_RETURN_IF_ERROR(dataset::SourceFile::Open(path).status());
  const auto dialect = dataset::FindDialect(path);
  if (dialect.ok()) {
    return InvalidArgument(
        {.message = absl::StrCat(path, " is a table of text, but its name has another ending"),
         .where = path,
         .remedy = "Rename it to end in .csv, or in .csv.gz or .csv.zst if it is compressed"});
  }
  if (name.ends_with(".arff")) return dialect.status();
  if (const auto format = dataset::FormatOfEnding(name)) {
    return InvalidArgument(
        {.message = absl::StrCat("by its name the file is ", format->what,
                                 ", but its content has no known format"),
         .where = path,
         .remedy = absl::StrCat("Check that the file is complete. ", format->remedy)});
  }
  return InvalidArgument(
      {.message = absl::StrCat(path, " has no known format"),
       .where = path,
       .remedy = "Convert it to csv, libsvm, npy, npz, idx, cifar10 or cifar100, plain or with "
                 "gzip or zstd; for images, give a folder"});
}

// Returns an error for flags about columns if the format has no columns.
Status CheckHints(const DataFileOptions& options, const std::string& path) {
  const dataset::TableHints& hints = options.hints;
  const bool only_labels = hints.label.empty() && !hints.has_header && hints.separator.empty() &&
                           !hints.decimal && hints.drop.empty() && hints.keep.empty() &&
                           hints.categories.empty() && hints.dates.empty() &&
                           hints.date_parts.empty() && !hints.date_order && hints.missing.empty();
  if (only_labels) return absl::OkStatus();
  return UsageError({.message = absl::StrCat(options.hint_flag,
                                             " applies to a bare table, such as a CSV file, but ",
                                             path, " is not one"),
                     .where = options.hint_flag,
                     .remedy = "Leave it out"});
}

Status ApplyWeights(const std::string& weights, const std::string& path, Json& document) {
  if (weights.empty()) return absl::OkStatus();
  const std::string format = TextAt(document, "format");
  if (format == "npz") {
    document["weight_array"] = weights;
  } else if (format == "image_folder") {
    document["weight_table"] = weights;
  } else if (format != "csv" && format != "text") {
    document["weights"] = weights;
  } else {
    const bool is_text = format == "text";
    return UsageError(
        {.message = is_text ? "examples of a text have no weights, because they are windows over "
                              "one row of tokens"
                            : absl::StrCat(path, " states its columns itself"),
         .where = "--example-weights",
         .remedy = is_text ? "Leave the flag out" : "Set weight_column in the document"});
  }
  return absl::OkStatus();
}

}  // namespace

Status ApplyHints(const DataFileOptions& options, const std::string& path, Json& document) {
  DL_RETURN_IF_ERROR(CheckHints(options, path));
  DL_RETURN_IF_ERROR(ApplyWeights(options.weights, path, document));
  const bool numbers = options.hints.labels_are_numbers;
  if (!numbers && !options.hints.labels_are_classes) return absl::OkStatus();
  const std::string wanted = numbers ? "number" : "class", format = TextAt(document, "format");
  if (TextAt(document, "label_type") == wanted) return absl::OkStatus();
  if (format != "csv" && format != "libsvm" && format != "npy" && format != "npz") {
    return UsageError(
        {.message = absl::StrCat("data of the format ", format, " has classes",
                                 numbers ? ", and --regression is for numbers" : " in any case"),
         .where = options.hint_flag,
         .remedy = "Leave it out, or give a table or arrays"});
  }
  document["label_type"] = wanted;
  return absl::OkStatus();
}

StatusOr<DescribedFile> DescribeDataFile(const std::string& path, const DataFileOptions& options) {
  DL_RETURN_IF_ERROR(CheckIsNoStream(path));
  if (IsFolder(path)) {
    return UnsupportedFileError(path,
                                "is a folder, and does not say what size its images are to have",
                                job::ToJson(job::DatasetSpec(data::ImageFolder(path, 64, 64))));
  }
  const std::string name = Ending(path);
  // A name without a known ending may be that of a table. If the file has another format, the guess
  // names it.
  if ((IsTable(name) && !IsIdx(name)) || !HasDataName(path)) {
    if (!options.weights.empty() && options.weights != options.hints.weights) {
      return UsageError({.message = absl::StrCat(path,
                                                 " is a table, which has its weights in a "
                                                 "column, and the model knows the column"),
                         .where = options.weights,
                         .remedy = "Leave the flag for the weights out"});
    }
    DL_ASSIGN_OR_RETURN(dataset::GuessedTable table,
                        dataset::GuessTable(path, {.hints = options.hints,
                                                   .known = options.known,
                                                   .may_lack_labels = options.may_lack_labels,
                                                   .memory_bytes = options.memory_bytes}));
    return DescribedFile{.document = job::ToJson(job::DatasetSpec(table.source)),
                         .table = std::move(table.report),
                         .notes = {},
                         .has_labels = table.has_labels,
                         .expected = std::move(table.expected),
                         .lacks_numbers = table.lacks_numbers,
                         .lacks_categories = table.lacks_categories};
  }
  DescribedFile described;
  const bool kind_is_known = options.known != nullptr || options.hints.labels_are_classes ||
                             options.hints.labels_are_numbers;
  const auto note = [&](std::vector<std::string> label_notes) {
    if (!kind_is_known) described.notes = std::move(label_notes);
  };
  if (IsSparse(name)) {
    DL_ASSIGN_OR_RETURN(dataset::GuessedLibsvm guess, dataset::GuessLibsvm(path));
    if (options.known != nullptr && options.known->indices_from_zero()) guess.source.index_base = 0;
    described.document = job::ToJson(job::DatasetSpec(guess.source));
    note(std::move(guess.label_notes));
  } else if (name.ends_with(".npz")) {
    DL_ASSIGN_OR_RETURN(dataset::GuessedNpz guess, dataset::GuessNpz(path));
    described.document = job::ToJson(job::DatasetSpec(guess.source));
    note(std::move(guess.label_notes));
    if (options.known == nullptr && options.weights.empty())
      described.notes.insert(described.notes.end(), guess.notes.begin(), guess.notes.end());
  } else {
    DL_ASSIGN_OR_RETURN(described.document, DescribeArrays(path, name, options));
    described.has_labels = TextAt(described.document, "label_type") != "none";
  }
  DL_RETURN_IF_ERROR(ApplyHints(options, path, described.document));
  return described;
}

void ReportSource(const DescribedFile& described, const std::string& path, std::ostream& err) {
  if (described.table) {
    err << TableReportText(*described.table) << std::flush;
    return;
  }
  err << path << ": read as " << SourceText(described.document) << std::endl;
  for (const std::string& note : described.notes) err << "! " << note << std::endl;
}

}  // namespace dl::cli
