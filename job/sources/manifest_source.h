// A dataset that was imported. It replaces a source after its files were read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Properties of a dataset that decide whether model and data fit together.
struct DatasetSummary {
  int64_t examples = 0;
  // {channels, height, width} for images, {channels, depth, height, width} for volumes, {steps,
  // features} for sequences, {features} for tables.
  std::vector<int64_t> feature_shape;
  int64_t classes = 0;  // 0: labels are numbers, or absent
  int64_t targets = 0;  // numbers to predict per label; 0: labels are classes, or absent
  // 1, or one per step of a sequence or per pixel of an image; for label_sequences, the longest.
  int64_t labels_per_example = 1;
  bool label_sequences = false;  // labels are sequences of up to labels_per_example classes
  bool variable_length = false;  // sequences may have fewer steps than feature_shape
  // Tables that predict several values, some of which are classes: the number of classes of each
  // value, 0 for a number. Empty: all values are numbers, classes were not counted, or labels are
  // not values of a table.
  std::vector<int64_t> target_classes = {};

  bool HasLabels() const { return classes > 0 || targets > 0; }
  bool operator==(const DatasetSummary&) const = default;
};

struct ManifestReference {
  static constexpr std::string_view kTag = "manifest";

  std::string sha256;  // of the manifest, 64 lower-case hex digits
  DatasetSummary summary;
  bool operator==(const ManifestReference&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    constexpr auto kRequired = nn::Field::Presence::kRequired;
    visit(nn::Field{.key = "sha256",
                    .what = "sha256",
                    .max = limits::kMaxPath,  // Check() does the rest
                    .presence = kRequired,
                    .meaning = "SHA-256 of the manifest, 64 hex digits"},
          self.sha256);
    visit(nn::Field{.key = "examples",
                    .what = "examples",
                    .unit = "examples",
                    .min = 1,
                    .max = limits::kMaxExamples,
                    .presence = kRequired,
                    .meaning = "Number of examples"},
          self.summary.examples);
    visit(nn::Field{.key = "feature_shape",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .presence = kRequired,
                    .meaning = "Shape: [channels, height, width], [channels, depth, height, "
                               "width], [steps, features] or [features]"},
          self.summary.feature_shape);
    visit(nn::Field{.key = "classes",
                    .what = "classes",
                    .max = limits::kMaxClasses,
                    .presence = kRequired,
                    .meaning = "Number of classes; 0 = labels are numbers, or no labels"},
          self.summary.classes);
    visit(
        nn::Field{
            .key = "targets",
            .what = "targets",
            .max = limits::kMaxExtent,
            .presence = kRequired,
            .meaning =
                "Number of numbers to predict per label; 0 = labels are classes, or no labels"},
        self.summary.targets);
    visit(nn::Field{.key = "labels_per_example",
                    .what = "labels_per_example",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning = "Number of labels per example: 1, or one per step of a sequence or "
                               "pixel of an image; with `label_sequences`, the longest"},
          self.summary.labels_per_example);
    visit(nn::Field{.key = "label_sequences",
                    .meaning = "Whether an example has a sequence of at most this many classes"},
          self.summary.label_sequences);
    visit(nn::Field{.key = "variable_length",
                    .meaning = "Whether sequences may be shorter than the shape says"},
          self.summary.variable_length);
    visit(nn::Field{.key = "target_classes",
                    .max = limits::kMaxClasses,
                    .meaning = "Number of classes of each target of a table, 0 for a number; empty "
                               "if all are numbers"},
          self.summary.target_classes);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
