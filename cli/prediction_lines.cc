#include "cli/prediction_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"

namespace dl::cli {
namespace {

std::string NumberText(float value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string JsonNumber(float value) { return std::isfinite(value) ? NumberText(value) : "null"; }

std::string JsonNumbers(std::span<const float> values) {
  return absl::StrCat(
      "[",
      absl::StrJoin(values, ",",
                    [](std::string* out, float value) { absl::StrAppend(out, JsonNumber(value)); }),
      "]");
}

// RFC 4180, section 2, rules 5 to 7.
std::string Field(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string NameOf(const PredictionForm& form, int64_t of_class) {
  return of_class < static_cast<int64_t>(form.class_names.size()) ? form.class_names[of_class]
                                                                  : absl::StrCat(of_class);
}

std::vector<int64_t> Best(std::span<const float> outputs, int64_t count) {
  std::vector<int64_t> classes(outputs.size());
  std::iota(classes.begin(), classes.end(), int64_t{0});
  const auto end = classes.begin() + std::min<int64_t>(count, classes.size());
  // What is no number stands last.
  const auto key = [&](int64_t c) { return std::isnan(outputs[c]) ? -INFINITY : outputs[c]; };
  std::partial_sort(classes.begin(), end, classes.end(), [&](int64_t a, int64_t b) {
    return key(a) != key(b) ? key(a) > key(b) : a < b;
  });
  classes.erase(end, classes.end());
  return classes;
}

// "output", or "output_1" and so on where there are several.
void AddNames(const std::string& name, int64_t count, std::vector<std::string>& names) {
  for (int64_t i = 1; i <= count; ++i)
    names.push_back(count == 1 ? name : absl::StrCat(name, "_", i));
}

std::string CsvLine(const PredictionForm& form, const Prediction& prediction) {
  std::vector<std::string> fields = {absl::StrCat(prediction.example)};
  if (form.has_files) fields.push_back(Field(std::string(prediction.file)));
  if (form.has_steps) fields.push_back(absl::StrCat(prediction.step));
  if (form.classifies) {
    if (form.has_labels) fields.push_back(Field(NameOf(form, prediction.label)));
    for (const int64_t c : Best(prediction.outputs, form.top_k)) {
      fields.push_back(Field(NameOf(form, c)));
      fields.push_back(NumberText(prediction.outputs[c]));
    }
  } else {
    for (const float target : prediction.targets) fields.push_back(NumberText(target));
    for (const float output : prediction.outputs) fields.push_back(NumberText(output));
  }
  return absl::StrCat(absl::StrJoin(fields, ","), "\n");
}

// By hand: a float32 that became a double would have digits that mean nothing.
std::string JsonLine(const PredictionForm& form, const Prediction& prediction) {
  std::string line = absl::StrCat("{\"example\":", prediction.example);
  if (form.has_files)
    absl::StrAppend(&line, ",\"file\":", JsonText(Json(std::string(prediction.file))));
  if (form.has_steps) absl::StrAppend(&line, ",\"step\":", prediction.step);
  if (!form.classifies) {
    if (form.has_labels) absl::StrAppend(&line, ",\"targets\":", JsonNumbers(prediction.targets));
    return absl::StrCat(line, ",\"outputs\":", JsonNumbers(prediction.outputs), "}\n");
  }
  const auto name = [&](int64_t c) { return JsonText(Json(NameOf(form, c))); };
  if (form.has_labels) absl::StrAppend(&line, ",\"label\":", name(prediction.label));
  const auto answer = [&](int64_t c) {
    return absl::StrCat("\"class\":", name(c),
                        ",\"probability\":", JsonNumber(prediction.outputs[c]));
  };
  const std::vector<int64_t> best = Best(prediction.outputs, form.top_k);
  absl::StrAppend(&line, ",", answer(best.front()));
  if (form.top_k == 1) return absl::StrCat(line, "}\n");
  return absl::StrCat(line, ",\"top\":[",
                      absl::StrJoin(best, ",",
                                    [&](std::string* out, int64_t c) {
                                      absl::StrAppend(out, "{", answer(c), "}");
                                    }),
                      "]}\n");
}

}  // namespace

int64_t PredictedClass(std::span<const float> outputs) { return Best(outputs, 1).front(); }

std::string PredictionHeader(const PredictionForm& form) {
  if (form.kind == PredictionForm::Kind::kJsonLines) return "";
  std::vector<std::string> names = {"example"};
  if (form.has_files) names.emplace_back("file");
  if (form.has_steps) names.emplace_back("step");
  if (form.classifies) {
    if (form.has_labels) names.emplace_back("label");
    for (int64_t i = 1; i <= std::min(form.top_k, form.outputs); ++i) {
      const std::string place = i == 1 ? "" : absl::StrCat("_", i);
      names.push_back(absl::StrCat("class", place));
      names.push_back(absl::StrCat("probability", place));
    }
  } else {
    if (form.has_labels) AddNames("target", form.outputs, names);
    AddNames("output", form.outputs, names);
  }
  return absl::StrCat(absl::StrJoin(names, ","), "\n");
}

std::string PredictionLine(const PredictionForm& form, const Prediction& prediction) {
  return form.kind == PredictionForm::Kind::kCsv ? CsvLine(form, prediction)
                                                 : JsonLine(form, prediction);
}

}  // namespace dl::cli
