// A folder of PNG and JPEG images with one subfolder per class.
// dataset/readers/image/image_folder_reader.h reads the folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "job/sources/labels.h"
#include "nn/conf/field.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

struct ImageFolderSource {
  static constexpr std::string_view kTag = "image_folder";

  std::string folder;
  // Size of the examples in pixels, 1 to limits::kMaxImageSide. All images are resized.
  int64_t height = 0, width = 0;
  int64_t channels = 3;  // 1: gray; 3: red, green, blue
  bool crop_to_aspect_ratio = false;
  LabelType label_type = LabelType::kClass;      // kNone: the images are in `folder` itself
  std::optional<std::string> weight_table = {};  // table of the weight of each image in the loss

  // Converts images to gray. Default: red, green, blue.
  ImageFolderSource& Grey() {
    channels = 1;
    return *this;
  }
  // Crops images of other proportions. Default: stretches them.
  ImageFolderSource& CropToAspectRatio() {
    crop_to_aspect_ratio = true;
    return *this;
  }
  // A CSV file with the path of each image in the folder and its weight in the loss, at least 0.
  // Default: none, all weights are 1.
  ImageFolderSource& Weights(std::string table) {
    weight_table = std::move(table);
    return *this;
  }
  // The images are in the folder itself and have no labels. Default: one subfolder per class.
  ImageFolderSource& WithoutLabels() {
    label_type = LabelType::kNone;
    return *this;
  }

  bool operator==(const ImageFolderSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    constexpr auto kRequired = nn::Field::Presence::kRequired;
    static constexpr std::string_view kChannels[] = {"1", "3"};
    visit(nn::Field{.key = "folder",
                    .what = "folder",
                    .max = limits::kMaxPath,
                    .presence = kRequired,
                    .meaning = "Folder with one folder of images per class; without labels, the "
                               "folder with the images"},
          self.folder);
    visit(nn::Field{.key = "height",
                    .what = "height",
                    .unit = "pixels",
                    .min = 1,
                    .max = limits::kMaxImageSide,
                    .presence = kRequired,
                    .meaning = "Height of images after resizing"},
          self.height);
    visit(nn::Field{.key = "width",
                    .what = "width",
                    .unit = "pixels",
                    .min = 1,
                    .max = limits::kMaxImageSide,
                    .presence = kRequired,
                    .meaning = "Width of images after resizing"},
          self.width);
    visit(nn::Field{.key = "channels",
                    .what = "channels",
                    .min = 1,
                    .max = 3,
                    .choices = kChannels,
                    .meaning = "1 = grey, 3 = red, green, blue. Other images are converted"},
          self.channels);
    visit(nn::Field{.key = "crop_to_aspect_ratio",
                    .meaning = "Whether images with another aspect ratio are cropped; `false` = "
                               "they are stretched"},
          self.crop_to_aspect_ratio);
    visit(kLabelTypeField, self.label_type);
    visit(nn::Field{.key = "weight_table",
                    .what = "weight_table",
                    .max = limits::kMaxPath,
                    .meaning = "A CSV file with two columns: the path of each image in the folder, "
                               "as `cat/1.png`, and its weight in the loss, a number of at least "
                               "0; null = none"},
          self.weight_table);
  }
  void Check(nn::Mistakes& mistakes) const {
    RefuseClassSequence(label_type, mistakes);
    if (label_type == LabelType::kNumber) {
      mistakes.Add("label_type is \"number\", but folders are classes",
                   "Set it to \"class\", or to \"none\" where the images lie in the folder itself");
    }
    if (channels * height * width <= limits::kMaxBlockBytes) return;
    mistakes.Add("an example is larger than the largest block", "Make height and width smaller");
  }
};

}  // namespace dl::job
