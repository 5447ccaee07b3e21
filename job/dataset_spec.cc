#include "job/dataset_spec.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"

namespace dl::job {
namespace {

void CheckText(std::string_view what, const std::string& text, nn::Mistakes& mistakes) {
  const std::string name(what);
  if (text.empty()) {
    mistakes.Add(name + " is empty", "Name a file");
  } else if (static_cast<int64_t>(text.size()) > limits::kMaxPath) {
    mistakes.Add(absl::StrCat(name, " has ", text.size(), " bytes"),
                 absl::StrCat("Use at most ", limits::kMaxPath));
  } else if (!IsUtf8(text) || text.find('\0') != std::string::npos) {
    mistakes.Add(name + " is not valid UTF-8 text", "Rename the file");
  }
}

void CheckSource(const IdxSource& source, nn::Mistakes& mistakes) {
  CheckText("features", source.features, mistakes);
  CheckText("labels", source.labels, mistakes);
  if (static_cast<int64_t>(source.class_names.size()) > limits::kMaxClasses) {
    mistakes.Add("there are too many class names",
                 absl::StrCat("Use at most ", limits::kMaxClasses));
    return;
  }
  for (const std::string& name : source.class_names) CheckText("a class name", name, mistakes);
}

void CheckSource(const Cifar10Source& source, nn::Mistakes& mistakes) {
  if (source.paths.empty() || static_cast<int64_t>(source.paths.size()) > limits::kMaxSourceFiles) {
    mistakes.Add(absl::StrCat("paths names ", source.paths.size(), " files"),
                 absl::StrCat("Name 1 to ", limits::kMaxSourceFiles));
    return;
  }
  for (const std::string& path : source.paths) CheckText("a path", path, mistakes);
}

void CheckSource(const CsvSource& source, nn::Mistakes& mistakes) {
  CheckText("path", source.path, mistakes);
  const std::string& separator = source.separator;
  if (separator.size() != 1 || separator[0] == '"' || separator[0] == '\n' ||
      separator[0] == '\r' || separator[0] == '\0' ||
      static_cast<unsigned char>(separator[0]) >= 0x80) {
    mistakes.Add("the separator is not one ASCII character that can separate fields",
                 "Use \",\", \";\", \"\\t\" or the like");
  }
  if (const auto* name = std::get_if<std::string>(&source.label_column)) {
    CheckText("the name of the label column", *name, mistakes);
    if (!source.header) {
      mistakes.Add("the label column has a name, but the file has no header",
                   "Give its index, or set header to true");
    }
  } else {
    mistakes.Range("label_column", std::get<int64_t>(source.label_column), -limits::kMaxExtent,
                   limits::kMaxExtent);
  }
}

void CheckSource(const ManifestReference& reference, nn::Mistakes& mistakes) {
  bool is_hash = reference.sha256.size() == 64;
  for (char c : reference.sha256)
    is_hash = is_hash && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  if (!is_hash)
    mistakes.Add("sha256 is not 64 lower-case hex digits", "Give the manifest's SHA-256");
  const DatasetSummary& summary = reference.summary;
  mistakes.Range("examples", summary.examples, 1, limits::kMaxExamples);
  mistakes.Range("classes", summary.classes, 0, limits::kMaxClasses);
  mistakes.Range("targets", summary.targets, 0, limits::kMaxExtent);
  if ((summary.classes == 0) == (summary.targets == 0)) {
    mistakes.Add("exactly one of classes and targets must be stated", "Set the other one to 0");
  }
  if (summary.feature_shape.size() != 1 && summary.feature_shape.size() != 3) {
    mistakes.Add(absl::StrCat("feature_shape has ", summary.feature_shape.size(), " extents"),
                 "Give [features] or [channels, height, width]");
  }
  int64_t elements = 1;
  for (int64_t extent : summary.feature_shape) {
    const bool fits = extent >= 1 && extent <= limits::kMaxExtent &&
                      !__builtin_mul_overflow(elements, extent, &elements) &&
                      elements <= limits::kMaxExampleElements;
    if (fits) continue;
    mistakes.Add(
        "feature_shape has an extent below 1 or too many values",
        absl::StrCat("Use extents from 1 and at most ", limits::kMaxExampleElements, " values"));
    break;
  }
}

Json Write(const IdxSource& source) {
  return {{"features", source.features},
          {"labels", source.labels},
          {"class_names", source.class_names}};
}
Json Write(const Cifar10Source& source) { return {{"paths", source.paths}}; }
Json Write(const CsvSource& source) {
  Json json{{"path", source.path}, {"header", source.header}, {"separator", source.separator}};
  std::visit([&](const auto& column) { json["label_column"] = column; }, source.label_column);
  json["label_type"] = source.label_type == LabelType::kClass ? "class" : "number";
  return json;
}
Json Write(const ManifestReference& reference) {
  return {{"sha256", reference.sha256},
          {"examples", reference.summary.examples},
          {"feature_shape", reference.summary.feature_shape},
          {"classes", reference.summary.classes},
          {"targets", reference.summary.targets}};
}

IdxSource ReadIdx(JsonObjectReader& reader) {
  IdxSource out;
  reader.Require("features");
  reader.Require("labels");
  reader.String("features", out.features);
  reader.String("labels", out.labels);
  reader.StringList("class_names", out.class_names);
  return out;
}

Cifar10Source ReadCifar10(JsonObjectReader& reader) {
  Cifar10Source out;
  reader.Require("paths");
  reader.StringList("paths", out.paths);
  return out;
}

CsvSource ReadCsv(JsonObjectReader& reader) {
  CsvSource out;
  reader.Require("path");
  reader.String("path", out.path);
  reader.Bool("header", out.header);
  reader.String("separator", out.separator);
  const Json* column = reader.Child("label_column");
  if (column != nullptr && column->is_string()) {
    out.label_column = column->get<std::string>();
  } else {
    reader.Int("label_column", std::get<int64_t>(out.label_column));
  }
  std::string type = "class";
  reader.OneOf("label_type", type, {"class", "number"});
  if (type == "number") out.label_type = LabelType::kNumber;
  return out;
}

ManifestReference ReadManifest(JsonObjectReader& reader) {
  ManifestReference out;
  for (const char* key : {"sha256", "examples", "feature_shape", "classes", "targets"})
    reader.Require(key);
  reader.String("sha256", out.sha256);
  reader.Int("examples", out.summary.examples);
  reader.IntList("feature_shape", out.summary.feature_shape);
  reader.Int("classes", out.summary.classes);
  reader.Int("targets", out.summary.targets);
  return out;
}

template <typename... Source>
void AddForeignKeys(JsonObjectReader& reader, const std::variant<Source...>*) {
  const auto add = [&](const DatasetSpec& of_format) {
    const Json json = ToJson(of_format);
    for (const auto& [key, value] : json.items())
      reader.Foreign({.key = key, .type = FormatOf(of_format), .type_key = "format"});
  };
  (add(Source()), ...);
}

}  // namespace

std::string_view FormatOf(const DatasetSpec& dataset) {
  constexpr std::string_view kNames[] = {"idx", "cifar10", "csv", "manifest"};
  static_assert(std::variant_size_v<DatasetSpec> == std::size(kNames));
  return kNames[dataset.index()];
}

void CheckDataset(const DatasetSpec& dataset, const std::string& where, nn::Mistakes& mistakes) {
  mistakes.SetWhere(absl::StrCat(where.empty() ? "the dataset" : where, " (",
                                 std::string(FormatOf(dataset)), ")"));
  std::visit([&](const auto& source) { CheckSource(source, mistakes); }, dataset);
}

Json ToJson(const DatasetSpec& dataset) {
  Json json = std::visit([](const auto& source) { return Write(source); }, dataset);
  json["format"] = FormatOf(dataset);
  return json;
}

DatasetSpec DatasetFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes) {
  JsonObjectReader reader(json, path);
  DatasetSpec out;
  std::string format;
  const size_t before = reader.errors().size();
  reader.Require("format");
  reader.OneOf("format", format, {"idx", "cifar10", "csv", "manifest"});
  if (reader.errors().size() == before && !format.empty()) {
    AddForeignKeys(reader, &out);
    if (format == "idx") out = ReadIdx(reader);
    if (format == "cifar10") out = ReadCifar10(reader);
    if (format == "csv") out = ReadCsv(reader);
    if (format == "manifest") out = ReadManifest(reader);
    (void)reader.Finish();
  }  // else the other keys cannot be judged
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  return out;
}

}  // namespace dl::job
