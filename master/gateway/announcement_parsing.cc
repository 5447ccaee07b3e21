#include "master/gateway/announcement_parsing.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/value_histogram.h"

namespace dl::master {
namespace {

// Writes every field with its length, so that different announcements never give the same text.
class Text {
 public:
  void Add(uint64_t value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void Add(std::string_view value) {
    Add(static_cast<uint64_t>(value.size()));
    text_.append(value);
  }
  void Add(const std::vector<double>& values) {
    Add(static_cast<uint64_t>(values.size()));
    text_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

uint64_t DigestOf(const rpc::AnnounceRequest& said) {
  Text text;
  text.Add(said.hash);
  text.Add(static_cast<uint64_t>(said.bytes));
  text.Add(static_cast<uint64_t>(said.parts.size()));
  for (const rpc::NamedPart& part : said.parts) {
    text.Add(std::string_view(part.name));
    text.Add(std::string_view(part.sha256));
  }
  text.Add(static_cast<uint64_t>(said.examples));
  text.Add(static_cast<uint64_t>(said.steps));
  text.Add(said.example_hash_sum);
  text.Add(std::string_view(said.metrics));
  text.Add(said.magnitudes);
  return Xxh3(text.text());
}

AnnouncedHistograms ParseHistograms(std::string encoded) {
  AnnouncedHistograms announced;
  if (encoded.empty()) return announced;
  const auto histograms = DecodeHistograms(encoded);
  // Another text of the same histograms would also be stored, so there must be none.
  if (!histograms || EncodeHistograms(*histograms) != encoded) {
    announced.malformed = true;
    return announced;
  }
  for (const LayerHistogram& histogram : *histograms)
    announced.layers.push_back({histogram.layer, ValuesOf(histogram.values)});
  announced.encoded = Shared(std::move(encoded));
  return announced;
}

}  // namespace

Announcement ParseAnnouncement(rpc::AnnounceRequest said) {
  Announcement announcement{.metrics = Shared<nn::MetricSums>(), .digest = DigestOf(said)};
  const std::string metrics = std::exchange(said.metrics, {});
  const StatusOr<Json> json = ParseJson(metrics, "metrics of " + ToString(said.unit));
  StatusOr<nn::MetricSums> sums =
      json.ok() ? nn::MetricSums::FromJson(*json, "metrics") : json.status();
  if (sums.ok() && sums->classes() > limits::kMaxAnnouncedClasses) {
    announcement.metrics = InvalidArgument(
        {.message = absl::StrCat("the result of a unit has a confusion matrix of ", sums->classes(),
                                 " classes, but the limit is ", limits::kMaxAnnouncedClasses),
         .where = "metrics.classes"});
  } else if (sums.ok()) {
    announcement.metrics = Shared(*std::move(sums));
  } else {
    announcement.metrics = sums.status();
  }
  announcement.magnitudes = Shared(std::exchange(said.magnitudes, {}));
  announcement.activations = ParseHistograms(std::exchange(said.activations, {}));
  announcement.said = std::move(said);
  return announcement;
}

}  // namespace dl::master
