#include "nn/metrics/number_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = 0x1.0p31;  // its square is ExactSum::kLargestTerm
constexpr size_t kTexts = 4;           // per output

}  // namespace

void NumberSums::Add(std::span<const float> predictions, std::span<const float> targets,
                     double weight) {
  weight_.Add(weight);
  if (weight == 0) return;
  for (size_t o = 0; o < sums_.size(); ++o) {
    const double target = targets[o];
    const double error = static_cast<double>(predictions[o]) - target;
    const bool are_held =
        std::abs(target) <= kLargest && std::abs(error) <= kLargest &&
        weight * std::max({1.0, target * target, error * error}) <= ExactSum::kLargestTerm;
    if (!are_held) {
      ++beyond_;
      continue;
    }
    sums_[o].targets.Add(weight * target);
    sums_[o].squared_targets.Add(weight * (target * target));
    sums_[o].squared_errors.Add(weight * (error * error));
    sums_[o].absolute_errors.Add(weight * std::abs(error));
  }
}

bool NumberSums::Merge(const NumberSums& other) {
  if (outputs() != other.outputs()) return false;
  NumberSums both = *this;
  bool fits = !__builtin_add_overflow(beyond_, other.beyond_, &both.beyond_) &&
              both.weight_.Merge(other.weight_);
  for (size_t o = 0; o < sums_.size(); ++o) {
    Sums& sums = both.sums_[o];
    const Sums& more = other.sums_[o];
    fits = fits && sums.targets.Merge(more.targets) &&
           sums.squared_targets.Merge(more.squared_targets) &&
           sums.squared_errors.Merge(more.squared_errors) &&
           sums.absolute_errors.Merge(more.absolute_errors);
  }
  if (fits) *this = std::move(both);
  return fits;
}

bool NumberSums::ArePossible(int64_t examples) const {
  const double most = ExactSum::kLargestTerm * static_cast<double>(examples);
  const auto is_within = [&](const ExactSum& sum, double least) {
    return sum.value() >= least && sum.value() <= most;
  };
  return beyond_ <= examples * outputs() && is_within(weight_, 0) &&
         std::ranges::all_of(sums_, [&](const Sums& sums) {
           return is_within(sums.targets, -most) && is_within(sums.squared_targets, 0) &&
                  is_within(sums.squared_errors, 0) && is_within(sums.absolute_errors, 0);
         });
}

template <typename Factor>
double NumberSums::MeanOf(ExactSum Sums::*term, const Factor& factor) const {
  if (!HasFigures()) return kNoFigure;
  double sum = 0;
  for (size_t o = 0; o < sums_.size(); ++o) sum += (sums_[o].*term).value() * factor(o);
  return sum / weight_.value() / static_cast<double>(outputs());
}

double NumberSums::MeanSquaredError(std::span<const double> units) const {
  return MeanOf(&Sums::squared_errors,
                [&](size_t o) { return units.empty() ? 1.0 : units[o] * units[o]; });
}

double NumberSums::MeanAbsoluteError(std::span<const double> units) const {
  return MeanOf(&Sums::absolute_errors, [&](size_t o) { return units.empty() ? 1.0 : units[o]; });
}

// Computes the difference of two large numbers with 113 bits; float32 targets need 48.
double NumberSums::R2Of(const Sums& sums) const {
  const Quad sum = sums.targets.precise();
  const Quad distances = sums.squared_targets.precise() - sum * sum / weight_.precise();
  if (distances <= 0) return kNoFigure;
  return static_cast<double>(1 - sums.squared_errors.precise() / distances);
}

double NumberSums::R2() const {
  if (!HasFigures()) return kNoFigure;
  double sum = 0;
  int64_t count = 0;
  for (const Sums& sums : sums_) {
    const double r2 = R2Of(sums);
    if (std::isnan(r2)) continue;
    sum += r2;
    ++count;
  }
  return count == 0 ? kNoFigure : sum / static_cast<double>(count);
}

Json NumberSums::ToJson() const {
  Json texts = Json::array();
  for (const Sums& sums : sums_) {
    for (const ExactSum* sum :
         {&sums.targets, &sums.squared_targets, &sums.squared_errors, &sums.absolute_errors})
      texts.push_back(sum->ToText());
  }
  return {{"beyond", beyond_}, {"weight", weight_.ToText()}, {"sums", std::move(texts)}};
}

StatusOr<NumberSums> NumberSums::FromJson(const Json& json, std::string path) {
  JsonObjectReader reader(json, std::move(path));
  std::vector<std::string> texts;
  std::string weight = "0";
  int64_t beyond = 0;
  for (const char* key : {"beyond", "weight", "sums"}) reader.Require(key);
  reader.String("weight", weight);
  reader.Int("beyond", beyond, {.min = 0});
  reader.StringList("sums", texts);
  const size_t outputs = texts.size() / kTexts;
  const bool right = texts.size() % kTexts == 0 && outputs > 0 &&
                     static_cast<int64_t>(outputs) <= limits::kMaxAnnouncedNumbers;
  NumberSums read(right ? static_cast<int64_t>(outputs) : 0);
  read.beyond_ = beyond;
  const std::optional<ExactSum> stated_weight = ExactSum::FromText(weight);
  if (stated_weight) read.weight_ = *stated_weight;
  if (!stated_weight) reader.AddError("weight", "must be an exact sum");
  bool are_sums = right;
  for (size_t o = 0; are_sums && o < outputs; ++o) {
    Sums& sums = read.sums_[o];
    size_t next = o * kTexts;
    for (ExactSum* sum :
         {&sums.targets, &sums.squared_targets, &sums.squared_errors, &sums.absolute_errors}) {
      const std::optional<ExactSum> stated = ExactSum::FromText(texts[next++]);
      are_sums = are_sums && stated.has_value();
      if (stated) *sum = *stated;
    }
  }
  if (!are_sums) reader.AddError("sums", "must hold four exact sums for each output");
  DL_RETURN_IF_ERROR(reader.Finish());
  return read;
}

}  // namespace dl::nn
