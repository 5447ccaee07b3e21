#include "dataset/readers/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/overloaded.h"
#include "base/printable.h"
#include "dataset/readers/array/idx_reader.h"
#include "dataset/readers/array/npy_reader.h"
#include "dataset/readers/array/npz_reader.h"
#include "dataset/readers/example_weights.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/image/cifar_reader.h"
#include "dataset/readers/image/image_folder_reader.h"
#include "dataset/readers/image/image_listing.h"
#include "dataset/readers/label_warnings.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/csv_reader.h"
#include "dataset/readers/table/libsvm_reader.h"
#include "dataset/readers/text/text_reader.h"

namespace dl::dataset {
namespace {

// Must be increased when a reader or the import produces something else from the same files.
constexpr int kImportVersion = 13;

// Adds path, size, times and inode of a file to the hash.
Status AddFile(const std::string& path, Sha256& hash) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) {
    if (errno == ENOENT) return NoSuchFile(path);
    return NotFound(
        {.message = absl::StrCat("cannot read the file: ", std::generic_category().message(errno)),
         .where = path,
         .remedy = "Name a file that this user may read"});
  }
  std::error_code unused;  // cannot fail for an existing file
  const std::string absolute = std::filesystem::absolute(path, unused).string();
  hash.UpdateU64(absolute.size());
  hash.Update(absolute);
  hash.UpdateU64(static_cast<uint64_t>(file.st_size));
  // The modification time alone is not enough, because copying may preserve it. The inode and the
  // change time detect other files and changes.
  hash.UpdateU64(file.st_ino);
  for (const timespec& time : {file.st_mtim, file.st_ctim}) {
    hash.UpdateU64(static_cast<uint64_t>(time.tv_sec));
    hash.UpdateU64(static_cast<uint64_t>(time.tv_nsec));
  }
  return absl::OkStatus();
}

Status AddPaths(const std::vector<std::string>& paths, Sha256& hash) {
  hash.UpdateU64(paths.size());
  for (const std::string& path : paths) DL_RETURN_IF_ERROR(AddFile(path, hash));
  return absl::OkStatus();
}

Status AddFiles(const job::DatasetSpec& source, const ReadOptions& reading, Sha256& hash) {
  if (const auto* images = std::get_if<job::ImageFolderSource>(&source)) {
    DL_ASSIGN_OR_RETURN(const std::vector<std::string> folders,
                        ImageFolders(images->folder, reading.labels));
    for (const std::string& folder : folders) {
      DL_ASSIGN_OR_RETURN(const ImageFiles files, ImagesIn(folder));
      DL_RETURN_IF_ERROR(AddPaths(files.images, hash));
    }
    if (images->weight_table) DL_RETURN_IF_ERROR(AddPaths({*images->weight_table}, hash));
    return absl::OkStatus();
  }
  for (const job::Files& files : job::FilesOf(source)) {
    DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(files));
    DL_RETURN_IF_ERROR(AddPaths(paths, hash));
  }
  return absl::OkStatus();
}

}  // namespace

namespace {

// Reads all examples of a source. Only the CSV reader handles `part` itself.
StatusOr<ExampleTable> ReadAll(const job::DatasetSpec& source, const ReadOptions& options) {
  return std::visit(
      Overloaded{
          [&](const job::IdxSource& idx) { return ReadIdx(idx, options); },
          [&](const job::Cifar10Source& cifar) { return ReadCifar10(cifar, options); },
          [&](const job::Cifar100Source& cifar) { return ReadCifar100(cifar, options); },
          [&](const job::CsvSource& csv) { return ReadCsv(csv, options); },
          [&](const job::LibsvmSource& libsvm) { return ReadLibsvm(libsvm, options); },
          [&](const job::NpySource& npy) { return ReadNpy(npy, options); },
          [&](const job::NpzSource& npz) { return ReadNpz(npz, options); },
          [&](const job::TextSource& text) { return ReadText(text, options); },
          [&](const job::ImageFolderSource& images) { return ReadImageFolder(images, options); },
          [](const job::ManifestReference&) -> StatusOr<ExampleTable> {
            return InvalidArgument(
                {.message =
                     "a manifest cannot be read as files, because it does not contain their paths",
                 .remedy = "Name the files of the dataset"});
          },
      },
      source);
}

// Returns how many earlier examples share steps with an example.
int64_t OverlapOf(const job::DatasetSpec& source) {
  const auto* text = std::get_if<job::TextSource>(&source);
  if (text == nullptr || text->stride == 0) return 0;
  return (text->steps + text->stride - 1) / text->stride - 1;
}

}  // namespace

bool MayHaveNoLabels(const job::DatasetSpec& source) {
  return std::holds_alternative<job::CsvSource>(source) ||
         std::holds_alternative<job::IdxSource>(source) ||
         std::holds_alternative<job::NpySource>(source) ||
         std::holds_alternative<job::NpzSource>(source) ||
         std::holds_alternative<job::ImageFolderSource>(source);
}

namespace {

StatusOr<ExampleTable> ReadParts(const job::DatasetSpec& source, const ReadOptions& options) {
  // The vocabulary of a table comes from the examples of the training part alone.
  if (!options.part || std::holds_alternative<job::CsvSource>(source))
    return ReadAll(source, options);
  ReadOptions whole = options;
  whole.part.reset();
  whole.paths = nullptr;
  whole.memory.bytes /= 2;
  DL_ASSIGN_OR_RETURN(const ExampleTable table, ReadAll(source, whole));
  DL_ASSIGN_OR_RETURN(ExampleTable selected, SelectPart(table, {.part = *options.part,
                                                                .overlap = OverlapOf(source),
                                                                .memory = whole.memory}));
  // The training part has the warnings about the whole source, so that they are shown once.
  if (options.part->part == dataset::Part::kTraining) selected.warnings = table.warnings;
  return selected;
}

}  // namespace

namespace {

// Returns "a", or "feature 3" without names.
std::string FeatureName(const Schema& schema, size_t feature) {
  return feature < schema.feature_names().size() && !schema.feature_names()[feature].empty()
             ? absl::StrCat("\"", schema.feature_names()[feature], "\"")
             : absl::StrCat("feature ", feature);
}

constexpr char kEnlarge[] = "Multiply its values by a power of ten, or take their logarithm";

std::string RoundedText(const PrecisionWatch::Loss& loss) {
  if (loss.is_near_zero) {
    return absl::StrCat("its values are too close to 0 for float32, whose smallest is 1.2e-38: ",
                        loss.values, " different values become ", loss.rounded);
  }
  return absl::StrCat(loss.values, " different values become ", loss.rounded,
                      loss.rounded == 1 ? " value" : " different values",
                      " when they are rounded to float32");
}

std::vector<std::string> WarningsOf(const PrecisionWatch& watch, const Schema& schema,
                                    bool may_shift) {
  std::vector<std::string> warnings;
  for (const PrecisionWatch::Loss& loss : watch.Losses()) {
    warnings.push_back(absl::StrCat(
        FeatureName(schema, loss.feature), ": ", RoundedText(loss), ". ",
        loss.is_near_zero ? kEnlarge
        : may_shift
            ? "Split the feature into a coarse and a fine one"
            : "Set data.normalizer to standardize or min_max, which shift before they round"));
  }
  return warnings;
}

struct Origins {
  std::vector<double> features, targets;  // empty: all are 0
};
// Returns the origins that the values need and that normalizers allow.
Origins OriginsOf(const PrecisionWatch& features, const PrecisionWatch& targets,
                  const Schema& schema, const ReadOptions& options) {
  Origins origins;
  const auto is_shifted = [](double origin) { return origin != 0; };
  std::vector<double> of_features;
  if (options.may_shift && !features.Losses().empty())
    of_features = features.Origins(static_cast<size_t>(schema.NormalizedFeatures()));
  if (std::ranges::any_of(of_features, is_shifted)) origins.features = std::move(of_features);
  if (options.target_normalizer == nullptr) return origins;
  std::vector<double> of_targets = targets.Origins(static_cast<size_t>(schema.target_size()));
  for (size_t i = 0; i < of_targets.size(); ++i) {
    if (!IsScaled(*options.target_normalizer, schema, static_cast<int64_t>(i))) of_targets[i] = 0;
  }
  if (std::ranges::any_of(of_targets, is_shifted)) origins.targets = std::move(of_targets);
  return origins;
}

// Adds warnings about categories that may be one, and about columns with another category in each
// row.
void WarnOfCategories(ExampleTable& table) {
  constexpr int64_t kSomeRows = 20;
  const bool are_rows = table.schema.feature_shape.size() == 1;
  for (const FeatureColumn& column : table.schema.columns()) {
    if (!column.HasCategories()) continue;
    const std::string name = absl::StrCat("\"", Excerpt(column.name), "\"");
    WarnOfAlike(absl::StrCat(name, ": the categories"), column.categories, table);
    const bool is_of_its_own =
        are_rows && table.examples >= kSomeRows && std::ssize(column.categories) == table.examples;
    if (!is_of_its_own) continue;
    table.warnings.push_back(absl::StrCat(name, " has another category in each of its ",
                                          table.examples,
                                          " rows, which teaches nothing: leave the column out"));
  }
}

// Adds a warning if names of features are numbers with fractions. Numbers that rise, such as
// wavelengths, are names, and so are many numbers that fall.
void WarnOfNumbersAsNames(ExampleTable& table) {
  constexpr size_t kSomeNumbers = 3, kManyNumbers = 8;
  std::vector<double> numbers;
  std::string example;
  for (const std::string& name : table.schema.feature_names()) {
    const auto number = NumberOf(name);
    if (!number.ok()) continue;
    numbers.push_back(number->value);
    if (number->value != std::trunc(number->value)) example = name;
  }
  const bool are_ordered =
      std::ranges::is_sorted(numbers) ||
      (numbers.size() >= kManyNumbers && std::ranges::is_sorted(numbers, std::greater<>()));
  if (numbers.size() < kSomeNumbers || example.empty() || are_ordered) return;
  table.warnings.push_back(absl::StrCat("names of features are numbers, such as \"",
                                        Excerpt(example),
                                        "\": if the file has no header, set header to false"));
}

}  // namespace

StatusOr<ExampleTable> ReadSource(const job::DatasetSpec& source, const ReadOptions& options) {
  ReadOptions watched = options;
  PrecisionWatch first, first_targets, second, second_targets;
  PrecisionWatch *watch = &first, *targets = &first_targets;
  watched.watch = watch;
  watched.target_watch = targets;
  if (options.training != nullptr) {
    watched.origins = options.training->origins();
    watched.target_origins = options.training->target_origins();
  }
  DL_ASSIGN_OR_RETURN(ExampleTable table, ReadParts(source, watched));
  Origins origins;
  if (options.training == nullptr) origins = OriginsOf(first, first_targets, table.schema, options);
  if (!origins.features.empty() || !origins.targets.empty()) {
    watched.origins = origins.features;
    watched.target_origins = origins.targets;
    watched.watch = watch = &second;
    watched.target_watch = targets = &second_targets;
    DL_ASSIGN_OR_RETURN(table, ReadParts(source, watched));
  }
  DL_RETURN_IF_ERROR(ScaleWeights(options.training, table));
  const bool lacks_weights = options.training != nullptr && options.training->weights &&
                             !table.schema.weights && options.uses_weights &&
                             options.labels == LabelColumns::kAsTheSourceSays;
  if (lacks_weights) {
    table.warnings.push_back(
        "the examples have no weights, those of the training split have: each counts 1, which is "
        "the mean weight there");
  }
  if (auto* floats = std::get_if<FloatFeatures>(&table.schema.features))
    floats->origins.assign(watched.origins.begin(), watched.origins.end());
  if (auto* numbers = std::get_if<TargetLabels>(&table.schema.labels))
    numbers->origins.assign(watched.target_origins.begin(), watched.target_origins.end());
  const bool is_shifted = options.may_shift || !watched.origins.empty();
  for (std::string& warning : WarningsOf(*watch, table.schema, is_shifted))
    table.warnings.push_back(std::move(warning));
  for (const PrecisionWatch::Loss& loss : targets->Losses()) {
    const bool has_origin = loss.feature < watched.target_origins.size();
    table.warnings.push_back(absl::StrCat(
        "the label", table.schema.target_size() > 1 ? absl::StrCat(" ", loss.feature) : "", ": ",
        RoundedText(loss), ". ",
        loss.is_near_zero ? kEnlarge
        : has_origin
            ? "Split the label into a coarse and a fine one"
            : "Set training.target_normalizer to standardize or min_max, which shift before "
              "they round"));
  }
  if (options.training == nullptr) {
    WarnOfLabels(*targets, table);
    WarnOfCategories(table);
    WarnOfNumbersAsNames(table);
  } else if (options.part && options.part->part == Part::kTest) {
    WarnOfUntestedClasses(table);
  }
  return table;
}

StatusOr<std::string> SourceFingerprint(const job::DatasetSpec& source, const CutOptions& options,
                                        const ReadOptions& reading) {
  Sha256 hash;
  const auto add = [&hash](std::string_view text) {
    hash.UpdateU64(text.size());
    hash.Update(text);
  };
  hash.UpdateU32(kImportVersion);
  add(job::ToJson(source).dump());
  DL_RETURN_IF_ERROR(AddFiles(source, reading, hash));
  hash.UpdateU64(static_cast<uint64_t>(options.normalizer));
  hash.UpdateU64(static_cast<uint64_t>(options.target_normalizer.kind));
  hash.UpdateU64(options.target_normalizer.scaled.size());
  for (const bool is_scaled : options.target_normalizer.scaled) hash.UpdateU64(is_scaled ? 1 : 0);
  add(options.fitted ? NormalizerSha256(options.fitted->features) : "");
  add(options.fitted ? NormalizerSha256(options.fitted->targets) : "");
  hash.UpdateU64(static_cast<uint64_t>(options.order));
  hash.UpdateU64(options.shuffle_key);
  hash.UpdateU64(static_cast<uint64_t>(options.compression));
  hash.UpdateU64(static_cast<uint64_t>(options.block_bytes));
  add(reading.training != nullptr ? SchemaToJson(*reading.training).dump() : "");
  hash.UpdateU64(reading.part ? static_cast<uint64_t>(reading.part->part) : 0);
  add(reading.part ? job::ToJson(reading.part->split).dump() : "");
  return hash.HexDigest();
}

}  // namespace dl::dataset
