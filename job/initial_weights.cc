#include "job/initial_weights.h"

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/lower_hex.h"
#include "base/one_of_members.h"
#include "base/suggest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<job::AllInitialWeights>;

namespace job {
namespace {

template <typename... Source>
std::vector<InitialWeights> DefaultWeights(const std::variant<Source...>*) {
  return {InitialWeights(Source())...};
}

std::string Quoted(std::string_view name) {
  return absl::StrCat("\"", absl::CHexEscape(std::string(name.substr(0, limits::kMaxName * 2))),
                      "\"");
}

// Returns the names of the model's layers with weights, and of their tensors.
std::vector<std::string> NamesOf(const nn::ModelConfig& model) {
  std::vector<std::string> names;
  for (const nn::LayerConfig& layer : model.layers) {
    if (!layer.parameters.empty()) names.push_back(layer.name);
  }
  const SegmentTable table = nn::FullTable(model);
  for (const Segment& segment : table.segments()) {
    if (HoldsWeights(segment)) names.push_back(segment.name);
  }
  return names;
}

}  // namespace

bool HoldsWeights(const Segment& segment) {
  return segment.kind == SegmentKind::kParameter || segment.kind == SegmentKind::kMean ||
         segment.kind == SegmentKind::kVariance;
}

void SafetensorsWeights::Check(const nn::ModelConfig& model, nn::Mistakes& mistakes) const {
  const std::vector<std::string> known = NamesOf(model);
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    const size_t equals = name.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == name.size()) {
      mistakes.Add(absl::StrCat("the name ", Quoted(name), " is not of the form MINE=THEIRS"),
                   "For example \"conv1=features.0\"");
      continue;
    }
    const std::string_view mine = std::string_view(name).substr(0, equals);
    if (std::ranges::find(known, mine) == known.end()) {
      mistakes.Add(absl::StrCat("the model has no tensor and no layer with weights ", Quoted(mine),
                                DidYouMean(mine, known)),
                   "dl-submit inspect JOB lists its layers, an export their tensors");
    } else if (!seen.insert(mine).second) {
      mistakes.Add(absl::StrCat(Quoted(mine), " is named twice"), "Name each once");
    }
  }
}

void ImportedWeights::Check(const nn::ModelConfig& model, nn::Mistakes& mistakes) const {
  constexpr std::string_view kAgain = "Name the file instead: dl-submit imports it";
  const SegmentTable table = nn::FullTable(model);
  std::set<std::string_view> seen;
  int64_t floats = 0;
  for (const std::string& name : tensors) {
    const Segment* segment = table.Find(name);
    if (segment == nullptr || !HoldsWeights(*segment)) {
      mistakes.Add(absl::StrCat("the model has no tensor ", Quoted(name)), kAgain);
    } else if (!seen.insert(name).second) {
      mistakes.Add(absl::StrCat("the tensor ", Quoted(name), " occurs twice"), kAgain);
    } else {
      floats += segment->size;
    }
  }
  const int64_t bytes = floats * static_cast<int64_t>(sizeof(float));
  const int64_t wanted = (bytes + limits::kWeightsBlockBytes - 1) / limits::kWeightsBlockBytes;
  if (mistakes.empty() && (bytes == 0 || static_cast<int64_t>(blocks.size()) != wanted)) {
    mistakes.Add(absl::StrCat("has ", blocks.size(), " blocks, and tensors of ", bytes, " bytes"),
                 kAgain);
  }
  if (!std::ranges::all_of(blocks, IsSha256Hex))
    mistakes.Add("a block's name is not 64 lower-case hex digits", kAgain);
}

std::string_view TagOf(const InitialWeights& weights) {
  return std::visit([](const auto& source) { return source.kTag; }, weights);
}

std::vector<InitialWeights> DefaultsOf(const InitialWeights* of) { return DefaultWeights(of); }

Json ToJson(const InitialWeights& weights) { return nn::TypedToJson(weights); }

void ReadValue(JsonObjectReader& reader, std::string_view key, InitialWeights& out) {
  nn::ReadTyped(reader, key, out);
}

void CheckInitialWeights(const InitialWeights& weights, const nn::ModelConfig* model,
                         nn::Mistakes& mistakes) {
  nn::Mistakes own;
  own.SetWhere("initial_weights");
  nn::CheckFields(nn::MembersOf(weights), own);
  const auto check = [&](const auto& source) {
    if constexpr (requires { source.Check(*model, own); }) source.Check(*model, own);
  };
  if (own.empty() && model != nullptr) std::visit(check, weights);
  for (const std::string& line : own.lines()) mistakes.AddLine(line);
}

std::vector<nn::KeyRow> InitialWeightsKeys() {
  std::vector<nn::KeyRow> rows;
  nn::DescribeTyped(
      {.key = "initial_weights", .meaning = "Weights before the first step"}, InitialWeights(),
      "`seed` = each layer's weight_init; `safetensors` = a file's tensors; `imported` = what "
      "dl-submit made of a file",
      rows);
  return rows;
}

}  // namespace job
}  // namespace dl
