// What a job trains on. A user writes a source: files and how to read them. dl-submit imports it
// and replaces the source by a reference to the manifest, which alone the master sees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

struct IdxSource {
  std::string features;                  // file with the images or rows, plain or gzip
  std::string labels;                    // file with the class of each
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says
  bool operator==(const IdxSource&) const = default;
};

struct Cifar10Source {
  std::vector<std::string> paths;  // binary batches
  bool operator==(const Cifar10Source&) const = default;
};

enum class LabelType : uint8_t { kClass, kNumber };

struct CsvSource {
  std::string path;
  bool header = true;
  std::string separator = ",";  // one byte
  std::variant<int64_t, std::string> label_column =
      int64_t{-1};  // from 0, negative from the end; or its name
  LabelType label_type = LabelType::kClass;
  bool operator==(const CsvSource&) const = default;
};

// What a job needs to know of a dataset to judge whether model and data fit.
struct DatasetSummary {
  int64_t examples = 0;
  std::vector<int64_t> feature_shape;  // {channels, height, width} of images, {features} of tables
  int64_t classes = 0;                 // 0: numbers, not classes
  int64_t targets = 0;                 // numbers to predict per example; 0 with classes
  bool operator==(const DatasetSummary&) const = default;
};

struct ManifestReference {
  std::string sha256;  // of the manifest, 64 lower-case hex digits
  DatasetSummary summary;
  bool operator==(const ManifestReference&) const = default;
};

using DatasetSpec = std::variant<IdxSource, Cifar10Source, CsvSource, ManifestReference>;

std::string_view FormatOf(const DatasetSpec& dataset);  // "idx", "cifar10", "csv", "manifest"
inline bool IsImported(const DatasetSpec& dataset) {
  return std::holds_alternative<ManifestReference>(dataset);
}

// `where` is "data.train" or "data.test".
void CheckDataset(const DatasetSpec& dataset, const std::string& where, nn::Mistakes& mistakes);

Json ToJson(const DatasetSpec& dataset);
// A wrong document leaves lines in `mistakes`.
DatasetSpec DatasetFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes);

}  // namespace dl::job

// What job programs write: data::Idx("train-images.gz", "train-labels.gz"),
// data::Csv("iris.csv").LabelColumn("species").
namespace dl::data {

inline job::DatasetSpec Idx(std::string features, std::string labels) {
  return job::IdxSource{std::move(features), std::move(labels), {}};
}
inline job::DatasetSpec Cifar10(std::vector<std::string> paths) {
  return job::Cifar10Source{std::move(paths)};
}

class Csv {
 public:
  explicit Csv(std::string path) { source_.path = std::move(path); }
  Csv& NoHeader() {
    source_.header = false;
    return *this;
  }
  Csv& Separator(std::string separator) {
    source_.separator = std::move(separator);
    return *this;
  }
  Csv& LabelColumn(std::string name) {
    source_.label_column = std::move(name);
    return *this;
  }
  Csv& LabelColumn(int64_t index) {
    source_.label_column = index;
    return *this;
  }
  Csv& LabelsAreNumbers() {
    source_.label_type = job::LabelType::kNumber;
    return *this;
  }
  operator job::DatasetSpec() const { return source_; }  // NOLINT: the end of the chain

 private:
  job::CsvSource source_;
};

}  // namespace dl::data
