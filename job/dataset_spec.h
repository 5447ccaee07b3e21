// What a job trains on. A user writes a source: files and how to read them. dl-submit imports it
// and replaces the source by a reference to the manifest, which alone the master sees. Each format
// is a type of job/sources, which says its keys (nn/conf/field.h), and a row of DatasetSpec: how
// sources are read, written, checked and listed follows from the two.
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
#include "job/sources/manifest.h"
#include "job/sources/npy.h"
#include "job/sources/npz.h"
#include "job/sources/text.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Each gives, besides its data: kTag, its name in JSON, forever; Fields; Check, what is wrong with
// the values together, whether or not each alone is right.
struct AllSources {
  using Variant =
      std::variant<IdxSource, Cifar10Source, Cifar100Source, CsvSource, LibsvmSource, NpySource,
                   NpzSource, TextSource, ImageFolderSource, ManifestReference>;
};
using DatasetSpec = OneOf<AllSources>;

std::string_view FormatOf(const DatasetSpec& dataset);  // "idx", "csv", "manifest"
inline bool IsImported(const DatasetSpec& dataset) {
  return std::holds_alternative<ManifestReference>(dataset);
}
// The files that a source names, patterns as they are written: of each key that names some. Of
// images their folder.
std::vector<Files> FilesOf(const DatasetSpec& dataset);

// `where` is "data.train" or "data.test".
void CheckDataset(const DatasetSpec& dataset, const std::string& where, nn::Mistakes& mistakes);

Json ToJson(const DatasetSpec& dataset);
// A wrong document leaves lines in `mistakes`.
DatasetSpec DatasetFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes);

// The rows of a dataset and its keys below `object`, in the order of docs/job-spec.md.
std::vector<nn::KeyRow> DatasetKeys(nn::KeyRow object);

}  // namespace dl::job

// What job programs write: data::Idx("train-images.gz", "train-labels.gz"),
// data::Csv("iris.csv").LabelColumn("species"), data::Csv("part-*.csv"),
// data::Npz("digits.npz").Arrays("images", "digits"), data::Text("book.txt", 128),
// data::ImageFolder("flowers", 64, 64).
namespace dl::data {

inline job::IdxSource Idx(job::Files features, job::Files labels) {
  return {.features = std::move(features), .labels = std::move(labels), .class_names = {}};
}
// Without labels, which its user says by `.WithoutLabels()`.
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
// The same.
inline job::NpySource Npy(job::Files features) {
  return {.features = std::move(features), .labels = {}, .lengths = {}, .class_names = {}};
}
inline job::TextSource Text(job::Files path, int64_t steps) {
  return {.path = std::move(path), .steps = steps};
}
inline job::ImageFolderSource ImageFolder(std::string folder, int64_t height, int64_t width) {
  return {.folder = std::move(folder), .height = height, .width = width};
}
inline job::NpzSource Npz(job::Files path) { return {.path = std::move(path), .class_names = {}}; }

}  // namespace dl::data
