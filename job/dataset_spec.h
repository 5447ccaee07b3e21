// The data of a job. A user writes a source: files and how to read them. dl-submit imports the
// source and replaces it by a reference to its manifest. The master sees only this reference, the
// manifest and the blocks. Each format is a type in job/sources, which describes its keys
// (nn/conf/field.h), and an entry of DatasetSpec. Reading, writing, checking and listing of sources
// follow from these two.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/one_of.h"
#include "job/sources/cifar10.h"
#include "job/sources/cifar100.h"
#include "job/sources/csv.h"
#include "job/sources/idx.h"
#include "job/sources/image_folder.h"
#include "job/sources/libsvm.h"
#include "job/sources/manifest_source.h"
#include "job/sources/npy.h"
#include "job/sources/npz.h"
#include "job/sources/text.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Each type has, besides its members: kTag, its name in JSON, which must never change; Fields; and
// Check, which checks the values together, even if single values are wrong.
struct AllSources {
  using Variant =
      std::variant<IdxSource, Cifar10Source, Cifar100Source, CsvSource, LibsvmSource, NpySource,
                   NpzSource, TextSource, ImageFolderSource, ManifestReference>;
};
using DatasetSpec = OneOf<AllSources>;

std::string_view FormatOf(const DatasetSpec& dataset);  // such as "idx", "csv" or "manifest"
inline bool IsImported(const DatasetSpec& dataset) {
  return std::holds_alternative<ManifestReference>(dataset);
}
// Returns the files that a source names, for each key that names files. Patterns are not expanded.
// Returns only the folder of an image folder.
std::vector<Files> FilesOf(const DatasetSpec& dataset);

// Adds mistakes for values of a dataset that are wrong or do not fit together. `where` is
// "data.train" or "data.test" and begins the messages; "" stands for "the dataset".
void CheckDataset(const DatasetSpec& dataset, const std::string& where, nn::Mistakes& mistakes);
// Adds a mistake for each key of the test set that must not differ from the training set's key.
// Compares tables with tables (CheckTreatmentOfTestSet in job/sources/csv.h) and texts with texts,
// and checks nothing else.
void CheckTestSet(const DatasetSpec& training, const DatasetSpec& test, nn::Mistakes& mistakes);

Json ToJson(const DatasetSpec& dataset);
// Reads a dataset. `path` is the path of `json` in its document, for messages: "data.train". Wrong
// types and unknown keys add lines to `mistakes`; a key of a wrong type then has its default. If
// the format is missing or unknown, reads no other key and returns a default dataset. Accepts
// "path" for "paths", and the reverse. Does not run CheckDataset.
DatasetSpec DatasetFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes);

// Returns the row `object` and the rows of all keys below it, in the order of docs/job-spec.md.
std::vector<nn::KeyRow> DatasetKeys(nn::KeyRow object);

}  // namespace dl::job

// Builders for job programs, for example:
//   data::Idx("train-images.gz", "train-labels.gz")
//   data::Csv("iris.csv").LabelColumn("species")
//   data::Csv("part-*.csv")
//   data::Npz("digits.npz").Arrays("images", "digits")
//   data::Text("book.txt", 128)
//   data::ImageFolder("flowers", 64, 64)
namespace dl::data {

inline job::IdxSource Idx(job::Files features, job::Files labels) {
  return {.features = std::move(features), .labels = std::move(labels), .class_names = {}};
}
// IDX files without labels. The caller must add `.WithoutLabels()`.
inline job::IdxSource Idx(job::Files features) {
  return {.features = std::move(features), .labels = {}, .class_names = {}};
}
inline job::Cifar10Source Cifar10(job::FileList paths) { return {.paths = std::move(paths)}; }
inline job::Cifar100Source Cifar100(job::FileList paths) { return {.paths = std::move(paths)}; }
inline job::CsvSource Csv(job::Files path) { return {.path = std::move(path)}; }
inline job::LibsvmSource Libsvm(job::Files path) { return {.path = std::move(path)}; }
inline job::NpySource Npy(job::Files features, job::Files labels) {
  return {.features = std::move(features),
          .labels = std::move(labels),
          .lengths = {},
          .class_names = {}};
}
// NumPy files without labels. The caller must add `.WithoutLabels()`.
inline job::NpySource Npy(job::Files features) {
  return {.features = std::move(features), .labels = {}, .lengths = {}, .class_names = {}};
}
// `steps`: tokens per example, 1 to limits::kMaxExtent.
inline job::TextSource Text(job::Files path, int64_t steps) {
  return {.path = std::move(path), .steps = steps};
}
// `height` and `width`: size in pixels to which all images are resized, 1 to limits::kMaxImageSide.
inline job::ImageFolderSource ImageFolder(std::string folder, int64_t height, int64_t width) {
  return {.folder = std::move(folder), .height = height, .width = width};
}
inline job::NpzSource Npz(job::Files path) { return {.path = std::move(path), .class_names = {}}; }

}  // namespace dl::data
