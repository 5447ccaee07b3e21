// What the labels of a source are, and where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "job/sources/files.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// kNone: of a dataset for models whose losses compare with no labels. kClassSequence: several
// classes in their order, as many as an example has.
enum class LabelType : uint8_t { kClass, kNumber, kNone, kClassSequence };

// A column of a table by its index (from 0, negative from the end) or its name.
struct Column : std::variant<int64_t, std::string> {
  using std::variant<int64_t, std::string>::variant;
  bool operator==(const Column&) const = default;
};

// What nn/conf/field.h asks of a member's type.
void ReadValue(JsonObjectReader& reader, std::string_view key, LabelType& out);
Json ToJson(LabelType type);  // "class", "number", "none", "class_sequence"
inline void CheckValue(const nn::Field&, LabelType, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, LabelType type, std::vector<nn::KeyRow>& rows);
void ReadValue(JsonObjectReader& reader, std::string_view key, Column& out);
Json ToJson(const Column& column);
void CheckValue(const nn::Field& field, const Column& column, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const Column& column, std::vector<nn::KeyRow>& rows);

// Keys of several formats, which mean the same in each.
inline constexpr nn::Field kLabelTypeField{
    .key = "label_type",
    .meaning =
        "Whether labels are classes or numbers to predict, or there are none, for models "
        "whose losses compare with no labels; `class_sequence`: of an array of NumPy, several "
        "classes in their order, for the loss ctc"};
inline constexpr nn::Field kClassNamesField{
    .key = "class_names",
    .what = "a class name",
    .max = limits::kMaxPath,
    .meaning = "Names of the classes; empty = as many classes as the largest label says"};

inline constexpr nn::Field kNoLabelField{
    .key = "no_label",
    .what = "no_label",
    .min = -limits::kMaxExtent,
    .max = limits::kMaxExtent,
    .meaning =
        "The number that says that an example has no class, as -1: it counts in no loss and "
        "no figure; null = each example has a class"};

// That there are no more names than classes may be.
void CheckClassNames(const std::vector<std::string>& names, nn::Mistakes& mistakes);
// That labels have files where there are some, and only there.
void CheckLabelFiles(const std::optional<Files>& labels, LabelType type, nn::Mistakes& mistakes);
// The mistake of class_sequence in a format that has none.
void RefuseClassSequence(LabelType type, nn::Mistakes& mistakes);
// The mistake of no_label where labels are no classes.
void CheckNoLabel(const std::optional<int64_t>& no_label, LabelType type, nn::Mistakes& mistakes);
// The same as CheckClassNames, and that only classes have names.
void CheckNames(const std::vector<std::string>& names, LabelType type, nn::Mistakes& mistakes);

}  // namespace dl::job
