#include "dataset/readers/image/image_folder_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/image/equal_images.h"
#include "dataset/readers/image/image_decoding.h"
#include "dataset/readers/image/image_listing.h"
#include "dataset/readers/image/image_weights.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/weight_file.h"

namespace dl::dataset {
namespace {

// Counts images of 16 bits, of which 8 are kept. Scanners and microscopes often use 10 or 12 of the
// bits, of which few are then left.
class DeepImages {
 public:
  void Add(const DecodedImage& image) {
    if (!image.is_deep) return;
    largest_ = std::max(largest_, image.largest);
    ++count_;
  }

  // Adds a warning if the images have few levels of brightness.
  void Warn(ExampleTable& table) const {
    constexpr int kFewLevels = 32;
    if (count_ == 0 || largest_ >= kFewLevels) return;
    table.warnings.push_back(absl::StrCat(
        count_, count_ == 1 ? " image has" : " images have", " 16 bits, of which 8 are kept: the ",
        "largest value becomes ", static_cast<int>(largest_),
        " of 255. Scale the values to the whole range of 16 bits, or save them with 8"));
  }

 private:
  int64_t count_ = 0;
  uint8_t largest_ = 0;  // with 8 bits
};

// Counts images whose pixels have one color and differ only in their transparency, which is not
// read.
class TransparentImages {
 public:
  explicit TransparentImages(int64_t plane) : plane_(plane) {}

  void Add(const DecodedImage& image) {
    if (!image.has_alpha) return;
    const auto size = static_cast<size_t>(plane_);
    for (size_t at = 0; at < image.pixels.size(); at += size) {
      const auto channel = std::span(image.pixels).subspan(at, size);
      if (std::ranges::count(channel, channel.front()) != plane_) return;
    }
    ++count_;
  }

  void Warn(ExampleTable& table) const {
    if (count_ == 0) return;
    table.warnings.push_back(absl::StrCat(
        count_, count_ == 1 ? " image has" : " images have",
        " one color and transparent pixels: transparency is not read, so nothing is left of the "
        "picture. Draw such images on a background of another color"));
  }

 private:
  const int64_t plane_;  // pixels of a channel
  int64_t count_ = 0;
};

// Maps folders to classes.
class ClassesOfFolders {
 public:
  explicit ClassesOfFolders(const Schema* training) : training_(training) {
    if (training_ == nullptr) return;
    names_ = training_->class_names();
    // Classes without names are named by their numbers.
    for (auto i = static_cast<int64_t>(names_.size()); i < training_->classes(); ++i)
      names_.push_back(absl::StrCat(i));
    for (size_t i = 0; i < names_.size(); ++i) numbers_[names_[i]] = static_cast<int32_t>(i);
  }

  StatusOr<int32_t> Of(const std::string& folder) {
    const std::string name = NameOfPath(folder);
    if (!IsUtf8(name)) {
      return InvalidArgument({.message = "its name, which is the name of a class, is not UTF-8",
                              .where = PrintableName(folder),
                              .remedy = "Rename the folder"});
    }
    if (training_ == nullptr) {
      names_.push_back(name);
      return static_cast<int32_t>(names_.size()) - 1;
    }
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    return InvalidArgument(
        {.message = "the training split has no class of this name",
         .where = folder,
         .remedy = absl::StrCat("Move it away, or rename it: the classes are ", FirstOf(names_))});
  }

  void Finish(Schema& schema) const {
    if (training_ != nullptr)
      schema.SetClasses(training_->classes(), training_->class_names());
    else
      schema.SetClasses(std::ssize(names_), names_);
  }

 private:
  const Schema* const training_;
  std::vector<std::string> names_;
  std::map<std::string, int32_t> numbers_;
};

// Collects files that are not images or are damaged, so that one error names all of them.
class UnreadableImages {
 public:
  void Add(const std::string& path, Status status) {
    if (count_++ == 0) first_ = std::move(status);
    if (paths_.size() < kMostShown) paths_.push_back(PrintableName(path));
  }
  // Returns OK if there are none.
  Status ToStatus(const std::string& folder) const {
    if (count_ <= 1) return first_;
    return InvalidArgument(
        {.message = absl::StrCat(count_, " files are not readable images: ",
                                 absl::StrJoin(paths_, ", "), count_ > kMostShown ? ", ..." : "",
                                 "; the first file: ", std::string(first_.message())),
         .where = folder,
         .remedy =
             absl::StrCat("Correct each of them; for the first file: ", ErrorRemedy(first_))});
  }

 private:
  static constexpr size_t kMostShown = 8;
  size_t count_ = 0;
  Status first_;
  std::vector<std::string> paths_;
};

void WarnOfLeftOut(const std::vector<std::string>& paths, std::string_view what,
                   std::vector<std::string>& warnings) {
  if (paths.empty()) return;
  warnings.push_back(
      absl::StrCat(std::string(what), " are left out: ", PrintableName(paths.front()),
                   paths.size() > 1 ? absl::StrCat(" and ", paths.size() - 1, " more") : ""));
}

// Checks shape and memory before any image is read.
Status CheckExample(const job::ImageFolderSource& source, const ReadOptions& options) {
  const std::vector<int64_t> shape = {source.channels, source.height, source.width};
  if (options.training != nullptr && options.training->feature_shape.size() == 3) {
    Schema schema = *options.training;
    schema.feature_shape = shape;
    schema.features = ByteFeatures{};
    DL_RETURN_IF_ERROR(CheckSameSchema(schema, *options.training, source.folder));
  }
  const int64_t needed = 8 * shape[0] * shape[1] * shape[2];
  const int64_t given = std::max(options.memory.bytes, limits::kImageMemoryBytes);
  if (needed <= given) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("resizing to ", shape[1], " x ", shape[2], " needs ", needed,
                               " bytes of memory, but the limit is ", given),
       .where = source.folder,
       .remedy = "Make height and width smaller, or import with more --memory"});
}

// The images of a folder, in order, and what belongs to them.
struct ListedImages {
  std::vector<std::string> paths;
  std::vector<int32_t> classes;  // of each image, if the images have labels
  Schema schema;
  std::vector<std::string> warnings;
};

// Returns whether the folder has a folder for each class.
bool HasClasses(const job::ImageFolderSource& source, const ReadOptions& options) {
  return source.label_type == job::LabelType::kClass &&
         options.labels == LabelColumns::kAsTheSourceSays;
}

bool IsNamedAsMasks(const std::string& path) {
  const std::string name = absl::AsciiStrToLower(NameOfPath(path));
  return name == "mask" || name == "masks" || name == "annotations" || name == "labels" ||
         name == "segmentations";
}

bool IsNamedAsImagesOrMasks(const std::string& path) {
  const std::string name = absl::AsciiStrToLower(NameOfPath(path));
  return name == "image" || name == "images" || name == "imgs" || IsNamedAsMasks(path);
}

// Returns an error if the folders are those of a training set and a test set, or of images and
// their masks.
Status CheckAreClasses(const std::string& folder, const std::vector<std::string>& folders) {
  if (std::ranges::any_of(folders, IsNamedAsMasks) &&
      std::ranges::all_of(folders, IsNamedAsImagesOrMasks)) {
    return InvalidArgument(
        {.message = "its folders have the names of images and their masks, not of classes",
         .where = folder,
         .remedy = "Save the images and the classes of their pixels as arrays: numpy.savez(..., "
                   "x=images, y=masks) with the shapes [n, channels, h, w] and [n, h, w]"});
  }
  if (!std::ranges::all_of(folders, IsNamedAsSet)) return absl::OkStatus();
  std::vector<std::string> names;
  for (const std::string& path : folders) names.push_back(NameOfPath(path));
  return InvalidArgument(
      {.message = absl::StrCat("its folders ", FirstOf(names),
                               " have the names of sets of examples, not of classes"),
       .where = folder,
       .remedy = "Name the folder of each set separately: --train FOLDER --test FOLDER. Each set "
                 "has a folder for each class; rename a class that has such a name"});
}

StatusOr<ListedImages> ListImages(const job::ImageFolderSource& source,
                                  const ReadOptions& options) {
  const bool in_classes = HasClasses(source, options);
  // A folder for prediction gets labels of the training set's kind, all of them 0.
  const bool has_labels = in_classes || (source.label_type == job::LabelType::kClass &&
                                         options.training->label_kind() == LabelKind::kClass);
  if (in_classes) DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, source.folder));
  DL_RETURN_IF_ERROR(CheckExample(source, options));
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> folders,
                      ImageFolders(source.folder, in_classes ? LabelColumns::kAsTheSourceSays
                                                             : LabelColumns::kNone));
  ListedImages listed{.schema = {.feature_shape = {source.channels, source.height, source.width},
                                 .features = ByteFeatures{},
                                 .labels = has_labels ? Labels(ClassLabels{}) : NoLabels{}}};
  ClassesOfFolders classes(options.training);
  std::vector<std::string> left_out;
  if (in_classes) {
    DL_RETURN_IF_ERROR(CheckAreClasses(source.folder, folders));
    DL_ASSIGN_OR_RETURN(left_out, ImagesBesideFolders(source.folder));
    WarnOfLeftOut(left_out, "images beside the folders of classes, which have no class",
                  listed.warnings);
    left_out.clear();
  }
  for (const std::string& folder : folders) {
    int32_t of_class = 0;
    if (in_classes) {
      DL_ASSIGN_OR_RETURN(of_class, classes.Of(folder));
    }
    DL_ASSIGN_OR_RETURN(const ImageFiles files, ImagesIn(folder));
    left_out.insert(left_out.end(), files.others.begin(), files.others.end());
    if (files.images.empty() && options.training == nullptr && in_classes) {
      return InvalidArgument(
          {.message =
               absl::StrCat("is the folder of a class, but contains no image",
                            files.others.empty() ? "" : "; its files do not have names of images"),
           .where = folder,
           .remedy = "Put its images there, or remove the folder"});
    }
    listed.paths.insert(listed.paths.end(), files.images.begin(), files.images.end());
    if (has_labels) listed.classes.resize(listed.paths.size(), of_class);
  }
  WarnOfLeftOut(left_out, "files whose names are not those of images", listed.warnings);
  if (has_labels) classes.Finish(listed.schema);
  return listed;
}

Status NoImage(const std::string& folder) {
  return InvalidArgument({.message = "contains no image",
                          .where = folder,
                          .remedy = "Name a folder with PNG or JPEG images"});
}

}  // namespace

StatusOr<ExampleTable> ListImageFolder(const job::ImageFolderSource& source) {
  DL_ASSIGN_OR_RETURN(const ListedImages listed, ListImages(source, {}));
  if (listed.paths.empty()) return NoImage(source.folder);
  ExampleTable table{.schema = listed.schema, .examples = std::ssize(listed.paths)};
  if (source.weight_table) table.schema.weights = ExampleWeights();
  return table;
}

StatusOr<ExampleTable> ReadImageFolder(const job::ImageFolderSource& source,
                                       const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(ListedImages listed, ListImages(source, options));
  ExampleTable table = {.schema = listed.schema};
  std::optional<ImageWeights> weights;
  if (source.weight_table && options.labels == LabelColumns::kAsTheSourceSays) {
    DL_ASSIGN_OR_RETURN(weights, ImageWeights::Read(*source.weight_table));
    table.schema.weights = ExampleWeights();
  }
  UnreadableImages bad;
  DeepImages deep;
  TransparentImages transparent(source.height * source.width);
  EqualImages equal;
  const auto add = [&](size_t index, const DecodedImage& image) -> Status {
    if (options.may_go_on) DL_RETURN_IF_ERROR(options.may_go_on());
    const std::string& path = listed.paths[index];
    if (!image.status.ok()) {
      if (!absl::IsInvalidArgument(image.status) && !absl::IsDataLoss(image.status))
        return image.status;
      bad.Add(path, image.status);
      return absl::OkStatus();
    }
    DL_RETURN_IF_ERROR(SpillFeatures(options.memory, table));
    table.u8.insert(table.u8.end(), image.pixels.begin(), image.pixels.end());
    deep.Add(image);
    transparent.Add(image);
    if (weights) {
      DL_ASSIGN_OR_RETURN(const float weight, weights->Take(NameIn(source.folder, path)));
      table.weights.push_back(weight);
    }
    const int32_t of_class = listed.classes.empty() ? 0 : listed.classes[index];
    if (options.training == nullptr) equal.Add(image.pixels, path, of_class);
    if (!listed.classes.empty()) table.classes.push_back(of_class);
    if (options.paths != nullptr) options.paths->push_back(path);
    ++table.examples;
    return absl::OkStatus();
  };
  DL_RETURN_IF_ERROR(
      DecodeImages(listed.paths, source,
                   {.memory_bytes = options.memory.bytes, .threads = options.threads}, add));
  DL_RETURN_IF_ERROR(bad.ToStatus(source.folder));
  if (weights) {
    DL_RETURN_IF_ERROR(weights->Finish());
    DL_RETURN_IF_ERROR(FinishWeights(weights->path(), table));
  }
  if (table.examples == 0) return NoImage(source.folder);
  table.warnings = std::move(listed.warnings);
  deep.Warn(table);
  transparent.Warn(table);
  equal.Warn(table.warnings);
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, source.folder));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, source.folder, "Correct the folders' names");
  return table;
}

}  // namespace dl::dataset
