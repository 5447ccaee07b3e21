#include "inference/prediction_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "inference/class_names.h"

namespace dl::inference {
namespace {

template <typename Float>
std::string NumberText(Float value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string JsonNumber(float value) { return std::isfinite(value) ? NumberText(value) : "null"; }

// Returns the texts of numbers with their origins.
std::vector<std::string> NumberTexts(std::span<const float> values,
                                     std::span<const double> origins) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < values.size(); ++i) {
    const double origin = origins.empty() ? 0 : origins[i];
    texts.push_back(origin == 0 ? NumberText(values[i])
                                : NumberText(static_cast<double>(values[i]) + origin));
  }
  return texts;
}

std::string JsonNumbers(std::span<const float> values, std::span<const double> origins) {
  std::vector<std::string> texts = NumberTexts(values, origins);
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) texts[i] = "null";
  return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
}

// RFC 4180, section 2, rules 5 to 7.
std::string Field(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string NameOf(const PredictedOutput& output, int64_t of_class) {
  return of_class < 0 ? "" : ClassNameOf(output.class_names, of_class);
}

std::vector<int64_t> Best(std::span<const float> outputs, int64_t count) {
  std::vector<int64_t> classes(outputs.size());
  std::iota(classes.begin(), classes.end(), int64_t{0});
  const auto end = classes.begin() + std::min<int64_t>(count, classes.size());
  // NaN is sorted last.
  const auto key = [&](int64_t c) { return std::isnan(outputs[c]) ? -INFINITY : outputs[c]; };
  std::partial_sort(classes.begin(), end, classes.end(), [&](int64_t a, int64_t b) {
    return key(a) != key(b) ? key(a) > key(b) : a < b;
  });
  classes.erase(end, classes.end());
  return classes;
}

std::vector<std::string> NamesOf(const PredictedOutput& output, std::span<const int32_t> classes) {
  std::vector<std::string> names;
  for (const int32_t c : classes) names.push_back(NameOf(output, c));
  return names;
}

// Appends the names of the columns of an output.
void AddNames(const PredictedOutput& output, int64_t top_k, std::vector<std::string>& names) {
  const std::string before = output.name.empty() ? "" : absl::StrCat(output.name, ".");
  if (output.transcribes) {
    if (output.has_labels) names.push_back(absl::StrCat(before, "labels"));
    names.push_back(absl::StrCat(before, "classes"));
    return;
  }
  if (output.classifies) {
    if (output.has_labels) names.push_back(absl::StrCat(before, "label"));
    for (int64_t i = 1; i <= std::min(top_k, output.units); ++i) {
      const std::string place = i == 1 ? "" : absl::StrCat("_", i);
      names.push_back(absl::StrCat(before, "class", place));
      names.push_back(absl::StrCat(before, "probability", place));
    }
    return;
  }
  // "output", or "output_1", "output_2", … if there are several.
  const auto add = [&](const std::string& name) {
    for (int64_t i = 1; i <= output.units; ++i)
      names.push_back(absl::StrCat(before, name, output.units == 1 ? "" : absl::StrCat("_", i)));
  };
  if (output.has_labels) add("target");
  add("output");
}

std::string CsvLine(const PredictionForm& form, const Prediction& prediction) {
  std::vector<std::string> fields = {absl::StrCat(prediction.example)};
  if (form.has_files) fields.push_back(Field(std::string(prediction.file)));
  if (form.has_steps) fields.push_back(absl::StrCat(prediction.step));
  for (size_t i = 0; i < form.outputs.size(); ++i) {
    const PredictedOutput& output = form.outputs[i];
    const Prediction::Answer& answer = prediction.answers[i];
    if (output.transcribes) {
      if (output.has_labels)
        fields.push_back(Field(absl::StrJoin(NamesOf(output, answer.labels), " ")));
      fields.push_back(Field(absl::StrJoin(NamesOf(output, answer.classes), " ")));
    } else if (output.classifies) {
      if (output.has_labels) fields.push_back(Field(NameOf(output, answer.label)));
      for (const int64_t c : Best(answer.values, form.top_k)) {
        fields.push_back(Field(NameOf(output, c)));
        fields.push_back(NumberText(answer.values[c]));
      }
    } else {
      for (const auto& values : {answer.targets, answer.values})
        std::ranges::move(NumberTexts(values, answer.origins), std::back_inserter(fields));
    }
  }
  return absl::StrCat(absl::StrJoin(fields, ","), "\n");
}

// Returns the members for one output. Written without the JSON library, because a float32 converted
// to double would get meaningless digits.
std::string JsonOfAnswer(const PredictedOutput& output, const Prediction::Answer& answer,
                         int64_t top_k) {
  if (output.transcribes) {
    const std::string labels =
        output.has_labels
            ? absl::StrCat("\"labels\":", JsonText(Json(NamesOf(output, answer.labels))), ",")
            : "";
    return absl::StrCat(labels, "\"classes\":", JsonText(Json(NamesOf(output, answer.classes))));
  }
  if (!output.classifies) {
    const std::string targets =
        output.has_labels
            ? absl::StrCat("\"targets\":", JsonNumbers(answer.targets, answer.origins), ",")
            : "";
    return absl::StrCat(targets, "\"outputs\":", JsonNumbers(answer.values, answer.origins));
  }
  const auto name = [&](int64_t c) { return JsonText(Json(NameOf(output, c))); };
  const auto one = [&](int64_t c) {
    return absl::StrCat("\"class\":", name(c), ",\"class_number\":", c,
                        ",\"probability\":", JsonNumber(answer.values[c]));
  };
  const std::vector<int64_t> best = Best(answer.values, top_k);
  std::string keys;
  if (output.has_labels) {
    absl::StrAppend(&keys, "\"label\":", answer.label < 0 ? "null" : name(answer.label), ",");
  }
  absl::StrAppend(&keys, one(best.front()));
  if (top_k == 1) return keys;
  return absl::StrCat(
      keys, ",\"top\":[",
      absl::StrJoin(best, ",",
                    [&](std::string* out, int64_t c) { absl::StrAppend(out, "{", one(c), "}"); }),
      "]");
}

std::string JsonLine(const PredictionForm& form, const Prediction& prediction) {
  std::string line = absl::StrCat("{\"example\":", prediction.example);
  if (form.has_files)
    absl::StrAppend(&line, ",\"file\":", JsonText(Json(std::string(prediction.file))));
  if (form.has_steps) absl::StrAppend(&line, ",\"step\":", prediction.step);
  const bool has_one_output = form.outputs.size() == 1 && form.outputs.front().name.empty();
  if (has_one_output) {
    return absl::StrCat(line, ",",
                        JsonOfAnswer(form.outputs.front(), prediction.answers.front(), form.top_k),
                        "}\n");
  }
  std::vector<std::string> by_output;
  for (size_t i = 0; i < form.outputs.size(); ++i) {
    by_output.push_back(
        absl::StrCat(JsonText(Json(form.outputs[i].name)), ":{",
                     JsonOfAnswer(form.outputs[i], prediction.answers[i], form.top_k), "}"));
  }
  return absl::StrCat(line, ",\"by_output\":{", absl::StrJoin(by_output, ","), "}}\n");
}

}  // namespace

int64_t PredictedClass(std::span<const float> outputs) { return Best(outputs, 1).front(); }

std::string PredictionHeader(const PredictionForm& form) {
  if (form.kind == PredictionForm::Kind::kJsonLines) return "";
  std::vector<std::string> names = {"example"};
  if (form.has_files) names.emplace_back("file");
  if (form.has_steps) names.emplace_back("step");
  for (const PredictedOutput& output : form.outputs) AddNames(output, form.top_k, names);
  return absl::StrCat(absl::StrJoin(names, ","), "\n");
}

std::string PredictionLine(const PredictionForm& form, const Prediction& prediction) {
  return form.kind == PredictionForm::Kind::kCsv ? CsvLine(form, prediction)
                                                 : JsonLine(form, prediction);
}

}  // namespace dl::inference
