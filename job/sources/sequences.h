// Rows of a table as the steps of sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json_fwd.h"
#include "job/sources/labels.h"
#include "job/sources/words.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::job {

// What a label belongs to. One of a whole sequence stands in each of its rows.
enum class LabelOf : uint8_t { kSequence, kStep };
template <>
struct WordsOf<LabelOf> {
  static constexpr std::string_view kWords[] = {"sequence", "step"};
};

// What becomes of a sequence that has more steps than an example may have.
enum class LongerSequences : uint8_t { kError, kKeepFirst, kKeepLast };
template <>
struct WordsOf<LongerSequences> {
  static constexpr std::string_view kWords[] = {"error", "keep_first", "keep_last"};
};

// Whether sequences may have fewer steps, or have as many all of them.
enum class SequenceLengths : uint8_t { kVariable, kEqual };
template <>
struct WordsOf<SequenceLengths> {
  static constexpr std::string_view kWords[] = {"variable", "equal"};
};

// A sequence is the rows that follow one another and have the same text in `column`; without one
// each file is a sequence. An example is a whole sequence, or with `window` some of its rows.
struct SequenceRows {
  std::optional<Column> column = {};
  int64_t steps = 0;    // the most of a sequence; 0 with windows
  int64_t window = 0;   // steps of an example; 0: an example is a whole sequence
  int64_t stride = 1;   // rows from the first of a window to the first of the next one
  int64_t horizon = 1;  // rows from the last of a window to the row that has its label
  // Whether the columns of labels are features of a window too. Without a word: numbers are, where
  // the label lies ahead.
  std::optional<bool> past_labels = {};
  LabelOf label_of = LabelOf::kSequence;
  SequenceLengths lengths = SequenceLengths::kVariable;
  LongerSequences longer = LongerSequences::kError;

  SequenceRows() = default;
  explicit SequenceRows(int64_t most_steps) : steps(most_steps) {}
  SequenceRows& By(Column value) {
    column = std::move(value);
    return *this;
  }
  SequenceRows& Windows(int64_t rows) {
    window = rows;
    return *this;
  }
  SequenceRows& Stride(int64_t rows) {
    stride = rows;
    return *this;
  }
  SequenceRows& Horizon(int64_t rows) {
    horizon = rows;
    return *this;
  }
  SequenceRows& PastLabels(bool are_features) {
    past_labels = are_features;
    return *this;
  }
  bool HasWindows() const { return window > 0; }
  SequenceRows& LabelsOfSteps() {
    label_of = LabelOf::kStep;
    return *this;
  }
  SequenceRows& OfEqualLength() {
    lengths = SequenceLengths::kEqual;
    return *this;
  }
  SequenceRows& Longer(LongerSequences rule) {
    longer = rule;
    return *this;
  }
  bool operator==(const SequenceRows&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "column",
                    .what = "sequences.column",
                    .min = -limits::kMaxExtent,
                    .max = limits::kMaxExtent,
                    .meaning = "Name or index of the column that says which sequence a row belongs "
                               "to; a sequence's rows follow one another. null = each file is a "
                               "sequence"},
          self.column);
    visit(nn::Field{.key = "steps",
                    .what = "sequences.steps",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning = "The most steps that a sequence has, which are rows; 0 = examples "
                               "are windows"},
          self.steps);
    visit(nn::Field{.key = "window",
                    .what = "sequences.window",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning = "Each example is so many rows of a sequence, as of a time series; 0 "
                               "= each is a whole sequence"},
          self.window);
    visit(nn::Field{.key = "stride",
                    .what = "sequences.stride",
                    .unit = "steps",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning = "Rows from the begin of a window to that of the next one"},
          self.stride);
    visit(nn::Field{.key = "horizon",
                    .what = "sequences.horizon",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning = "How many rows after a window's last row its label stands; 0 = in "
                               "the last row. With `label_of` step the same of each step"},
          self.horizon);
    visit(nn::Field{.key = "past_labels",
                    .meaning = "Whether the columns of labels are also features of a window; null "
                               "= numbers are, with a horizon above 0"},
          self.past_labels);
    visit(nn::Field{.key = "label_of",
                    .meaning = "Whether all rows of a sequence have its label, or each has a label "
                               "of its own"},
          self.label_of);
    visit(nn::Field{.key = "lengths",
                    .meaning = "Whether sequences may have fewer steps, for a model whose input "
                               "has `variable_length`"},
          self.lengths);
    visit(nn::Field{.key = "longer",
                    .meaning = "What becomes of sequences of more steps: an error, or their first "
                               "or last steps are kept"},
          self.longer);
  }
};

// What nn/conf/field.h asks of a member's type.
void ReadValue(JsonObjectReader& reader, std::string_view key, SequenceRows& out);
Json ToJson(const SequenceRows& rows);
void CheckValue(const nn::Field& field, const SequenceRows& rows, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const SequenceRows& rows,
                   std::vector<nn::KeyRow>& table);

}  // namespace dl::job
