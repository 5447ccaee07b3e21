// The messages of a TensorBoard event file: `Event` in tensorflow/core/util/event.proto, and the
// messages in it. Each function returns the encoded message, without the framing of a record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "cli/jobs/histogram_query.h"

namespace dl::cli {

// Time and step of an event.
struct EventPlace {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
};

// The first event of each file: the version of the format.
std::string VersionEvent(double wall_time);
// Tells a reader to drop what it has read of the run before from another file.
std::string StartEvent(double wall_time);

struct TaggedScalar {
  std::string tag;
  float value = 0;
};
// For the pages HISTOGRAMS and DISTRIBUTIONS. Buckets are ascending and do not overlap.
struct TaggedHistogram {
  std::string tag;
  std::vector<HistogramBucket> buckets;
};
std::string RoundEvent(const EventPlace& place, const std::vector<TaggedScalar>& scalars,
                       const std::vector<TaggedHistogram>& histograms);

// A text in Markdown, for the page TEXT.
std::string TextEvent(const EventPlace& place, std::string_view tag, std::string_view markdown);

// Pictures for the page IMAGES, as tf.summary.image writes them. Each is a PNG file of this size.
// `description` is Markdown.
struct Pictures {
  int64_t width = 0, height = 0;  // pixels
  std::vector<std::string> files;
  std::string description;
};
std::string PicturesEvent(const EventPlace& place, std::string_view tag, const Pictures& pictures);

// The settings of a run, for the page HPARAMS. Values are numbers, booleans and texts; another
// value appears as its JSON.
using FlatSettings = std::vector<std::pair<std::string, Json>>;
std::string SettingsEvent(double start_time, std::string_view run, const FlatSettings& settings);

// The end of the run, for the page HPARAMS.
enum class RunEnd { kSucceeded = 1, kFailed = 2 };  // values of hparams.Status
std::string EndEvent(const EventPlace& place, RunEnd end);

}  // namespace dl::cli
