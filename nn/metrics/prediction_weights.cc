#include "nn/metrics/prediction_weights.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"

namespace dl::nn {
namespace {

constexpr size_t kTextsOfClass = 3;  // of a class

}  // namespace

PredictionWeights PredictionWeights::Ones(int64_t predictions, int64_t right) {
  PredictionWeights ones(0);
  ones.all_.Add(static_cast<double>(predictions));
  ones.right_.Add(static_cast<double>(right));
  return ones;
}

void PredictionWeights::Add(int64_t label, int64_t predicted, double weight) {
  all_.Add(weight);
  if (label == predicted) right_.Add(weight);
  if (classes_.empty()) return;
  classes_[label].labelled.Add(weight);
  classes_[predicted].predicted.Add(weight);
  if (label == predicted) classes_[label].right.Add(weight);
}

bool PredictionWeights::Merge(const PredictionWeights& other) {
  const bool both_have_classes = !classes_.empty() && !other.classes_.empty();
  if (both_have_classes && classes_.size() != other.classes_.size()) return false;
  PredictionWeights sum = *this;
  if (sum.classes_.empty()) sum.classes_.resize(other.classes_.size());
  bool fits = sum.all_.Merge(other.all_) && sum.right_.Merge(other.right_);
  for (size_t c = 0; c < other.classes_.size(); ++c) {
    OfClass& of = sum.classes_[c];
    const OfClass& more = other.classes_[c];
    fits = fits && of.labelled.Merge(more.labelled) && of.predicted.Merge(more.predicted) &&
           of.right.Merge(more.right);
  }
  if (fits) *this = std::move(sum);
  return fits;
}

bool PredictionWeights::ArePossible(int64_t predictions) const {
  const double most = ExactSum::kLargestTerm * static_cast<double>(predictions);
  const auto are_ordered = [](const ExactSum& part, const ExactSum& whole) {
    return part.value() >= 0 && part.value() <= whole.value();
  };
  return all_.value() <= most && are_ordered(right_, all_) &&
         std::ranges::all_of(classes_, [&](const OfClass& of) {
           return are_ordered(of.right, of.labelled) && are_ordered(of.right, of.predicted) &&
                  are_ordered(of.labelled, all_) && are_ordered(of.predicted, all_);
         });
}

Json PredictionWeights::ToJson() const {
  Json json = {{"all", all_.ToText()}, {"right", right_.ToText()}};
  if (classes_.empty()) return json;
  Json& texts = json["classes"] = Json::array();
  for (const OfClass& of : classes_) {
    for (const ExactSum* sum : {&of.labelled, &of.predicted, &of.right})
      texts.push_back(sum->ToText());
  }
  return json;
}

StatusOr<PredictionWeights> PredictionWeights::FromJson(const Json& json, std::string path,
                                                        int64_t classes) {
  JsonObjectReader reader(json, std::move(path));
  PredictionWeights read(classes);
  std::string all = "0", right = "0";
  std::vector<std::string> texts;
  for (const char* key : {"all", "right"}) reader.Require(key);
  reader.String("all", all);
  reader.String("right", right);
  reader.StringList("classes", texts);
  const auto take = [&](const char* key, const std::string& text, ExactSum& sum) {
    const std::optional<ExactSum> stated = ExactSum::FromText(text);
    if (!stated) reader.AddError(key, "is not an exact sum: " + text);
    if (stated) sum = *stated;
  };
  take("all", all, read.all_);
  take("right", right, read.right_);
  if (texts.size() != kTextsOfClass * read.classes_.size()) {
    reader.AddError("classes", "must hold three exact sums for each class");
    texts.resize(kTextsOfClass * read.classes_.size(), "0");
  }
  for (size_t c = 0; c < read.classes_.size(); ++c) {
    OfClass& of = read.classes_[c];
    take("classes", texts[kTextsOfClass * c], of.labelled);
    take("classes", texts[kTextsOfClass * c + 1], of.predicted);
    take("classes", texts[kTextsOfClass * c + 2], of.right);
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  return read;
}

}  // namespace dl::nn
