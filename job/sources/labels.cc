#include "job/sources/labels.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::job {

void ReadValue(JsonObjectReader& reader, std::string_view key, Column& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (json->is_string()) {
    out = json->get<std::string>();
  } else {
    int64_t index = 0;
    reader.Int(key, index);
    out = index;
  }
}
Json ToJson(const Column& column) {
  return std::visit([](const auto& x) { return Json(x); }, column);
}
void CheckValue(const nn::Field& field, const Column& column, nn::Mistakes& mistakes) {
  if (const auto* name = std::get_if<std::string>(&column)) {
    nn::CheckValue({.key = field.key,
                    .what = "the name of the label column",
                    .max = limits::kMaxPath,
                    .meaning = field.meaning},
                   *name, mistakes);
  } else {
    nn::CheckValue(field, std::get<int64_t>(column), mistakes);
  }
}
void DescribeValue(const nn::Field& field, const Column& column, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kStringOrInteger, ToJson(column)));
}

void CheckClassNames(const std::vector<std::string>& names, nn::Mistakes& mistakes) {
  if (static_cast<int64_t>(names.size()) <= limits::kMaxClasses) return;
  mistakes.Add("there are too many class names", absl::StrCat("Use at most ", limits::kMaxClasses));
}

void CheckLabelFiles(const std::optional<Files>& labels, LabelType type, nn::Mistakes& mistakes) {
  if (type == LabelType::kNone && labels) {
    mistakes.Add("a file of labels is named, but label_type is \"none\"", "Leave out one of them");
  } else if (type != LabelType::kNone && !labels) {
    mistakes.Add("no file of labels is named", "Name it in labels, or set label_type to \"none\"");
  }
}

void RefuseClassSequence(LabelType type, nn::Mistakes& mistakes) {
  if (type != LabelType::kClassSequence) return;
  mistakes.Add("label_type is \"class_sequence\", which only NumPy arrays support",
               "Save features and labels with numpy.savez, and use the format npz");
}

void CheckNames(const std::vector<std::string>& names, LabelType type, nn::Mistakes& mistakes) {
  CheckClassNames(names, mistakes);
  const bool classes = type == LabelType::kClass || type == LabelType::kClassSequence;
  if (classes || names.empty()) return;
  mistakes.Add(type == LabelType::kNumber ? "there are class names, but the labels are numbers"
                                          : "there are class names, but no labels",
               "Leave class_names out, or set label_type to \"class\"");
}

void CheckNoLabel(const std::optional<int64_t>& no_label, LabelType type, nn::Mistakes& mistakes) {
  if (!no_label || type == LabelType::kClass) return;
  mistakes.Add("no_label applies to classes, but the labels are not classes",
               "Leave it out, or set label_type to \"class\"");
}

}  // namespace dl::job
