// Sequences whose steps are rows of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json_fwd.h"
#include "job/job_words.h"
#include "job/sources/labels.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::job {

// kSequence: an example has one label. All rows of a whole sequence must repeat it. The label of a
// window is in the row that `horizon` selects. kStep: each step has its own label.
enum class LabelOf : uint8_t { kSequence, kStep };
template <>
struct WordsOf<LabelOf> {
  static constexpr std::string_view kWords[] = {"sequence", "step"};
};

// Treatment of a sequence with more than `steps` rows: an error, or only its first or last `steps`
// rows are kept.
enum class LongerSequences : uint8_t { kError, kKeepFirst, kKeepLast };
template <>
struct WordsOf<LongerSequences> {
  static constexpr std::string_view kWords[] = {"error", "keep_first", "keep_last"};
};

// kVariable: sequences may have fewer rows than `steps`. kEqual: sequences with fewer rows are
// errors.
enum class SequenceLengths : uint8_t { kVariable, kEqual };
template <>
struct WordsOf<SequenceLengths> {
  static constexpr std::string_view kWords[] = {"variable", "equal"};
};

// Consecutive rows with the same text in `column` form a sequence. A text that occurs again after
// another text is an error of the data. Without `column`, each file is a sequence. An example is a
// whole sequence, or `window` consecutive rows of a sequence. Exactly one of `steps` and `window`
// must be set. `stride`, `horizon` and `past_labels` are for windows; `lengths` and `longer` are
// for whole sequences.
struct SequenceRows {
  std::optional<Column> column = {};
  // Largest number of steps of a sequence, up to limits::kMaxExtent. 0 with windows.
  int64_t steps = 0;
  int64_t window = 0;  // rows of an example; 0: an example is a whole sequence
  int64_t stride = 1;  // rows from the beginning of a window to the beginning of the next
  // Rows from the last row of a window to the row of its label. With kStep: rows from each row of a
  // window to the row of its label.
  int64_t horizon = 1;
  // Whether the label columns are also features of a window. Default: yes for numbers, if horizon
  // is above 0.
  std::optional<bool> past_labels = {};
  LabelOf label_of = LabelOf::kSequence;
  SequenceLengths lengths = SequenceLengths::kVariable;
  LongerSequences longer = LongerSequences::kError;

  SequenceRows() = default;
  // `most_steps`: largest number of steps of a sequence, 1 to limits::kMaxExtent.
  explicit SequenceRows(int64_t most_steps) : steps(most_steps) {}
  // Column that identifies the sequence of a row. Default: each file is a sequence.
  SequenceRows& By(Column value) {
    column = std::move(value);
    return *this;
  }
  // Examples are windows of `rows` rows, 1 to limits::kMaxExtent. Default: 0, whole sequences.
  SequenceRows& Windows(int64_t rows) {
    window = rows;
    return *this;
  }
  // Rows from the beginning of a window to the beginning of the next, 1 to limits::kMaxExtent.
  // Default: 1.
  SequenceRows& Stride(int64_t rows) {
    stride = rows;
    return *this;
  }
  // Rows from a window's last row to the row of its label, 0 to limits::kMaxExtent. Default: 1.
  // With LabelsOfSteps(), applies to each row of the window.
  SequenceRows& Horizon(int64_t rows) {
    horizon = rows;
    return *this;
  }
  // Whether label columns are also features of a window. Default: yes for numbers, if the horizon
  // is above 0.
  SequenceRows& PastLabels(bool are_features) {
    past_labels = are_features;
    return *this;
  }
  bool HasWindows() const { return window > 0; }
  // Each step has its own label. Default: one label per example.
  SequenceRows& LabelsOfSteps() {
    label_of = LabelOf::kStep;
    return *this;
  }
  // A sequence with fewer rows than `steps` is an error. Default: it is accepted.
  SequenceRows& OfEqualLength() {
    lengths = SequenceLengths::kEqual;
    return *this;
  }
  // Treatment of sequences with more than `steps` rows. Default: kError.
  SequenceRows& Longer(LongerSequences rule) {
    longer = rule;
    return *this;
  }
  bool operator==(const SequenceRows&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(
        nn::Field{.key = "column",
                  .what = "sequences.column",
                  .min = -limits::kMaxExtent,
                  .max = limits::kMaxExtent,
                  .meaning = "Name or index of the column that identifies the sequence of a row. "
                             "Rows of a sequence must be adjacent. null = each file is a sequence"},
        self.column);
    visit(nn::Field{.key = "steps",
                    .what = "sequences.steps",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning =
                        "Largest number of steps (rows) of a sequence; 0 = examples are windows"},
          self.steps);
    visit(nn::Field{.key = "window",
                    .what = "sequences.window",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning = "Number of rows of each example, for time series; 0 = each example "
                               "is a whole sequence"},
          self.window);
    visit(nn::Field{.key = "stride",
                    .what = "sequences.stride",
                    .unit = "steps",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning = "Number of rows between the starts of two windows"},
          self.stride);
    visit(nn::Field{.key = "horizon",
                    .what = "sequences.horizon",
                    .unit = "steps",
                    .max = limits::kMaxExtent,
                    .meaning =
                        "Number of rows between a window's last row and its label; 0 = the label "
                        "is in the last row. With `label_of` step, applies to each step"},
          self.horizon);
    visit(nn::Field{.key = "past_labels",
                    .meaning = "Whether label columns are also features of a window; null = yes "
                               "for numbers if the horizon is above 0"},
          self.past_labels);
    visit(nn::Field{.key = "label_of",
                    .meaning = "Whether a label belongs to the whole sequence or to each step"},
          self.label_of);
    visit(nn::Field{.key = "lengths",
                    .meaning = "Whether sequences may have fewer steps. `variable` requires a "
                               "model input with `variable_length`"},
          self.lengths);
    visit(nn::Field{.key = "longer",
                    .meaning = "Treatment of sequences with more steps: an error, or only the "
                               "first or last steps are kept"},
          self.longer);
  }
};

// Adds the mistakes of single keys and of combinations of keys to `mistakes`.
void CheckValue(const nn::Field& field, const SequenceRows& rows, nn::Mistakes& mistakes);

}  // namespace dl::job
