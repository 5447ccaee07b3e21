// Labels of a source: their type and their column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "job/job_words.h"
#include "job/sources/source_files.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// kClass: one class. kNumber: numbers to predict. kNone: no labels, for models whose losses need
// none. kClassSequence: several classes in order; their number differs between examples.
enum class LabelType : uint8_t { kClass, kNumber, kNone, kClassSequence };
template <>
struct WordsOf<LabelType> {
  static constexpr std::string_view kWords[] = {"class", "number", "none", "class_sequence"};
};

// A column of a table: its index (from 0; negative from the end) or its name.
struct Column : std::variant<int64_t, std::string> {
  using std::variant<int64_t, std::string>::variant;
  bool operator==(const Column&) const = default;
};

// Functions that nn/conf/field.h requires for a member type.
void ReadValue(JsonObjectReader& reader, std::string_view key, Column& out);
Json ToJson(const Column& column);
void CheckValue(const nn::Field& field, const Column& column, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const Column& column, std::vector<nn::KeyRow>& rows);

// Keys that several formats share, with the same meaning in each.
inline constexpr nn::Field kLabelTypeField{
    .key = "label_type",
    .meaning =
        "`class`, `number` = number to predict, `none` = no labels, `class_sequence` = several "
        "classes in order (arrays of NumPy, loss ctc)"};
inline constexpr nn::Field kClassNamesField{
    .key = "class_names",
    .what = "a class name",
    .max = limits::kMaxPath,
    .meaning = "Names of the classes; empty = the largest label decides the number of classes"};

inline constexpr nn::Field kNoLabelField{
    .key = "no_label",
    .what = "no_label",
    .min = -limits::kMaxExtent,
    .max = limits::kMaxExtent,
    .meaning =
        "Label of examples without a class, for example -1. They are not part of losses and "
        "metrics. null = each example has a class"};

// Adds a mistake if there are more than limits::kMaxClasses names.
void CheckClassNames(const std::vector<std::string>& names, nn::Mistakes& mistakes);
// Adds a mistake if labels have no files, or if files are named although there are no labels.
void CheckLabelFiles(const std::optional<Files>& labels, LabelType type, nn::Mistakes& mistakes);
// Adds a mistake for class_sequence, in formats that do not support it.
void RefuseClassSequence(LabelType type, nn::Mistakes& mistakes);
// Adds a mistake if no_label is set and labels are not classes.
void CheckNoLabel(const std::optional<int64_t>& no_label, LabelType type, nn::Mistakes& mistakes);
// Adds the mistakes of CheckClassNames, and a mistake for names if labels are not classes.
void CheckNames(const std::vector<std::string>& names, LabelType type, nn::Mistakes& mistakes);

}  // namespace dl::job
