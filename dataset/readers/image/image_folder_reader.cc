#include "dataset/readers/image/image_folder_reader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/image/image_file.h"
#include "dataset/readers/image/image_listing.h"
#include "dataset/readers/image/image_orientation.h"
#include "dataset/readers/image/image_resizer.h"
#include "dataset/readers/image/image_weights.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/weight_file.h"

namespace dl::dataset {
namespace {

// ITU-R BT.601, section 2.5.1, in units of 1/65536 that sum to 1.
uint8_t Luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

// The part of an image that is used.
struct Part {
  int64_t top = 0, left = 0;
  ImageResizer::Size size;
};

// Returns the number of values before a part that begins after half of the excess, rounded down. If
// the stored axis runs backwards, the part begins at its other end.
int64_t BeforePart(int64_t excess, bool is_reversed) {
  return is_reversed ? excess - excess / 2 : excess / 2;
}

// Returns the largest part with the aspect ratio of `wanted` that is centered in the upright image.
// Everything is in the axes of the stored image.
Part PartOf(const ImageFile::Header& image, const job::ImageFolderSource& source,
            const ImageResizer::Size& wanted) {
  Part part{.size = {image.height, image.width}};
  if (!source.crop_to_aspect_ratio) return part;
  part.size.width =
      std::clamp<int64_t>(image.height * wanted.width / wanted.height, 1, image.width);
  part.size.height =
      std::clamp<int64_t>(image.width * wanted.height / wanted.width, 1, image.height);
  part.top = BeforePart(image.height - part.size.height, ReversesRows(image.orientation));
  part.left = BeforePart(image.width - part.size.width, ReversesColumns(image.orientation));
  return part;
}

Status CheckMemory(int64_t needed, int64_t given, const std::string& path) {
  given = std::max(given, limits::kImageMemoryBytes);
  if (needed <= given) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("its image is interlaced or progressive and needs ", needed,
                               " bytes of memory, but the limit is ", given),
       .where = path,
       .remedy = "Save it neither interlaced nor progressive, or import with more --memory"});
}

// Counts images of 16 bits, of which 8 are kept. Scanners and microscopes often use 10 or 12 of the
// bits, of which few are then left.
class DeepImages {
 public:
  void Add(std::span<const uint8_t> row) {
    for (const uint8_t value : row) largest_ = std::max(largest_, value);
  }
  void CountOne() { ++count_; }

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

// Appends the pixels of an image to `out`.
Status AppendImage(const std::string& path, const job::ImageFolderSource& source, int64_t memory,
                   DeepImages& deep, std::vector<uint8_t>& out) {
  DL_ASSIGN_OR_RETURN(const std::unique_ptr<ImageFile> image, OpenImage(path));
  const ImageFile::Header& header = image->header();
  DL_RETURN_IF_ERROR(CheckMemory(header.memory_bytes, memory, path));
  DL_RETURN_IF_ERROR(image->Begin());
  // The image is resized as it is stored, and then turned.
  ImageResizer::Size size{source.height, source.width};
  if (SwapsSides(header.orientation)) std::swap(size.height, size.width);
  const Part part = PartOf(header, source, size);
  const int64_t channels = std::min(header.channels, source.channels);
  ImageResizer resizer(part.size, size, channels);
  std::vector<uint8_t> row(header.width * header.channels);
  for (int64_t y = 0; y < header.height; ++y) {
    DL_RETURN_IF_ERROR(image->ReadRow(row));
    if (header.is_deep) deep.Add(row);
    if (y < part.top || y >= part.top + part.size.height) continue;
    if (channels < header.channels) {
      for (int64_t x = 0; x < header.width; ++x) row[x] = Luma(row.data() + 3 * x);
    }
    resizer.AddRow(std::span(row).subspan(part.left * channels, part.size.width * channels));
  }
  DL_RETURN_IF_ERROR(image->Finish());
  if (header.is_deep) deep.CountOne();
  const int64_t plane = source.height * source.width;
  const size_t begin = out.size();
  out.resize(begin + plane * source.channels);
  const std::span<uint8_t> pixels = std::span(out).subspan(begin, plane * channels);
  resizer.Store(pixels);
  if (header.orientation != Orientation::kTopLeft) {
    const std::vector<uint8_t> stored(pixels.begin(), pixels.end());
    for (int64_t c = 0; c < channels; ++c) {
      TurnUpright(header.orientation, std::span(stored).subspan(c * plane, plane), size.height,
                  size.width, pixels.subspan(c * plane, plane));
    }
  }
  for (int64_t c = channels; c < source.channels; ++c)
    std::copy_n(out.begin() + begin, plane, out.begin() + begin + c * plane);
  return absl::OkStatus();
}

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
         .remedy = "Convert them to PNG or JPEG, fetch them again, or move them away"});
  }

 private:
  static constexpr size_t kMostShown = 8;
  size_t count_ = 0;
  Status first_;
  std::vector<std::string> paths_;
};

void WarnOfLeftOut(const std::vector<std::string>& paths, std::string_view what,
                   ExampleTable& table) {
  if (paths.empty()) return;
  table.warnings.push_back(
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

}  // namespace

StatusOr<ExampleTable> ReadImageFolder(const job::ImageFolderSource& source,
                                       const ReadOptions& options) {
  const bool in_classes = source.label_type == job::LabelType::kClass &&
                          options.labels == LabelColumns::kAsTheSourceSays;
  // A folder for prediction gets labels of the training set's kind, all of them 0.
  const bool has_labels = in_classes || (source.label_type == job::LabelType::kClass &&
                                         options.training->label_kind() == LabelKind::kClass);
  if (in_classes) DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, source.folder));
  DL_RETURN_IF_ERROR(CheckExample(source, options));
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> folders,
                      ImageFolders(source.folder, in_classes ? LabelColumns::kAsTheSourceSays
                                                             : LabelColumns::kNone));
  ExampleTable table = {.schema = {.feature_shape = {source.channels, source.height, source.width},
                                   .features = ByteFeatures{},
                                   .labels = has_labels ? Labels(ClassLabels{}) : NoLabels{}}};
  ClassesOfFolders classes(options.training);
  std::optional<ImageWeights> weights;
  if (source.weight_table && options.labels == LabelColumns::kAsTheSourceSays) {
    DL_ASSIGN_OR_RETURN(weights, ImageWeights::Read(*source.weight_table));
    table.schema.weights = ExampleWeights();
  }
  UnreadableImages bad;
  DeepImages deep;
  std::vector<std::string> left_out;
  if (in_classes) {
    DL_ASSIGN_OR_RETURN(left_out, ImagesBesideFolders(source.folder));
    WarnOfLeftOut(left_out, "images beside the folders of classes, which have no class", table);
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
    for (const std::string& path : files.images) {
      if (options.may_go_on) DL_RETURN_IF_ERROR(options.may_go_on());
      DL_RETURN_IF_ERROR(SpillFeatures(options.memory, table));
      const size_t before = table.u8.size();
      if (Status status = AppendImage(path, source, options.memory.bytes, deep, table.u8);
          !status.ok()) {
        if (!absl::IsInvalidArgument(status) && !absl::IsDataLoss(status)) return status;
        table.u8.resize(before);
        bad.Add(path, std::move(status));
        continue;
      }
      if (weights) {
        DL_ASSIGN_OR_RETURN(const float weight, weights->Take(NameIn(source.folder, path)));
        table.weights.push_back(weight);
      }
      if (has_labels) table.classes.push_back(of_class);
      if (options.paths != nullptr) options.paths->push_back(path);
      ++table.examples;
    }
  }
  DL_RETURN_IF_ERROR(bad.ToStatus(source.folder));
  if (weights) {
    DL_RETURN_IF_ERROR(weights->Finish());
    DL_RETURN_IF_ERROR(FinishWeights(weights->path(), table));
  }
  if (table.examples == 0) {
    return InvalidArgument({.message = "contains no image",
                            .where = source.folder,
                            .remedy = "Name a folder with PNG or JPEG images"});
  }
  WarnOfLeftOut(left_out, "files whose names are not those of images", table);
  deep.Warn(table);
  if (has_labels) classes.Finish(table.schema);
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, source.folder));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, source.folder, "Correct the folders' names");
  return table;
}

}  // namespace dl::dataset
