#include "storage/series/value_summary.h"

#include <algorithm>
#include <array>

namespace dl::storage {
namespace {

constexpr std::array kMembers = {&ValueSummary::first, &ValueSummary::last, &ValueSummary::min,
                                 &ValueSummary::max,   &ValueSummary::mean, &ValueSummary::count};

ValueSummary SummaryOf(float value) {
  if (!HasValue(value)) return {};
  return {.first = value, .last = value, .min = value, .max = value, .mean = value, .count = 1};
}

// Adds up summaries in the order of time.
class SummaryBuilder {
 public:
  void Add(const ValueSummary& part) {
    if (part.count == 0) return;
    if (summary_.count == 0) {
      summary_ = part;
    } else {
      summary_.last = part.last;
      summary_.min = std::min(summary_.min, part.min);
      summary_.max = std::max(summary_.max, part.max);
    }
    count_ += part.count;
    sum_ += static_cast<double>(part.mean) * part.count;
  }
  ValueSummary Finish(bool is_short) && {
    if (count_ == 0) return {};
    const auto mean = static_cast<float>(sum_ / count_);
    summary_.mean = std::clamp(is_short ? RoundToShort(mean) : mean, summary_.min, summary_.max);
    summary_.count = static_cast<float>(count_);
    return summary_;
  }

 private:
  ValueSummary summary_;
  double count_ = 0, sum_ = 0;
};

}  // namespace

bool ValueSummary::operator==(const ValueSummary& other) const {
  return std::ranges::all_of(kMembers, [&](auto member) {
    return this->*member == other.*member || (!HasValue(this->*member) && !HasValue(other.*member));
  });
}

ValueSummary Summarize(std::span<const float> values, bool is_short) {
  SummaryBuilder builder;
  for (const float value : values) builder.Add(SummaryOf(value));
  return std::move(builder).Finish(is_short);
}

ValueSummary Summarize(std::span<const ValueSummary> parts, bool is_short) {
  SummaryBuilder builder;
  for (const ValueSummary& part : parts) builder.Add(part);
  return std::move(builder).Finish(is_short);
}

std::string PackSummaries(std::span<const ValueSummary> summaries) {
  std::vector<float> values;
  values.reserve(kMembers.size() * summaries.size());
  for (auto member : kMembers) {
    for (const ValueSummary& summary : summaries) values.push_back(summary.*member);
  }
  return PackValues(values);
}

StatusOr<std::vector<ValueSummary>> UnpackSummaries(std::string_view packed) {
  DL_ASSIGN_OR_RETURN(const std::vector<float> values, UnpackValues(packed));
  if (values.size() % kMembers.size() != 0)
    return DataLoss(
        {.message = "the summaries of a series are damaged", .where = "the meta store"});
  std::vector<ValueSummary> summaries(values.size() / kMembers.size());
  auto next = values.begin();
  for (auto member : kMembers) {
    for (ValueSummary& summary : summaries) summary.*member = *next++;
  }
  return summaries;
}

}  // namespace dl::storage
