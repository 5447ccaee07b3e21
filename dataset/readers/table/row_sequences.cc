#include "dataset/readers/table/row_sequences.h"

#include <algorithm>
#include <span>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/printable.h"

namespace dl::dataset {
namespace {

// The rows of a sequence that become its steps.
struct Kept {
  int64_t first = 0, count = 0;
};
Kept KeptOf(int64_t length, const job::SequenceRows& conf) {
  const int64_t count = std::min(length, conf.steps);
  const bool last = conf.longer == job::LongerSequences::kKeepLast;
  return {.first = last ? length - count : 0, .count = count};
}

Status CheckEqual(const std::vector<int64_t>& lengths, const job::SequenceRows& conf) {
  if (conf.lengths == job::SequenceLengths::kVariable) return absl::OkStatus();
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] >= conf.steps) continue;
    return InvalidArgument(
        {.message = absl::StrCat("sequence ", i + 1, " has ", lengths[i],
                                 lengths[i] == 1 ? " step" : " steps", ", fewer than the ",
                                 conf.steps, " of sequences.steps"),
         .remedy = "Set sequences.lengths to \"variable\", and variable_length in the model's "
                   "input"});
  }
  return absl::OkStatus();
}

void Append(std::span<const std::byte> row, std::vector<float>& out) {
  const auto* const values = reinterpret_cast<const float*>(row.data());
  out.insert(out.end(), values, values + row.size() / sizeof(float));
}

}  // namespace

void RowSequences::Restart() {
  index_ = file_ = -1;
  seen_.clear();
  times_ = RowTimes(order_);
}

Status RowSequences::Visit(const CsvRows& rows) {
  const int64_t column = rows.columns().sequence;
  if (column >= 0 && rows.fields()[column].empty()) {
    return rows.Bad(column, "the row does not say to which sequence it belongs",
                    "Fill in the id of its sequence, or remove the row");
  }
  const bool next_file = rows.file() != file_;
  file_ = rows.file();
  begins_ = column < 0 ? next_file : index_ < 0 || rows.fields()[column] != text_;
  step_ = begins_ ? 0 : step_ + 1;
  times_.Visit(rows, begins_);
  if (!begins_) return absl::OkStatus();
  ++index_;
  if (column < 0) return absl::OkStatus();
  text_ = rows.fields()[column];
  if (seen_.insert(Xxh3(std::as_bytes(std::span(text_)))).second) return absl::OkStatus();
  return rows.Bad(column,
                  absl::StrCat("the sequence \"", Excerpt(text_), "\" came before and ended"),
                  "Sort the rows, so that those of a sequence follow one another");
}

StatusOr<ExampleTable> FoldSequences(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                     const job::SequenceRows& conf, const RowMemory& memory) {
  DL_RETURN_IF_ERROR(CheckEqual(lengths, conf));
  const Schema& of_rows = rows.schema;
  const bool of_steps = conf.label_of == job::LabelOf::kStep;
  ExampleTable table{.schema = of_rows, .examples = static_cast<int64_t>(lengths.size())};
  Schema& schema = table.schema;
  schema.feature_shape = {conf.steps, of_rows.FeatureSize()};
  schema.variable_length = conf.lengths == job::SequenceLengths::kVariable;
  if (of_steps) schema.SetLabelsPerExample(conf.steps);

  size_t row = 0;
  for (const int64_t length : lengths) {
    const Kept kept = KeptOf(length, conf);
    if (schema.weights) table.weights.push_back(rows.weights[row]);
    if (schema.variable_length) table.lengths.push_back(static_cast<int32_t>(kept.count));
    if (!rows.classes.empty()) {
      const auto first = rows.classes.begin() + static_cast<std::ptrdiff_t>(row);
      const int64_t labels = of_steps ? kept.count : 1;
      table.classes.insert(table.classes.end(), first + kept.first, first + kept.first + labels);
      table.classes.resize(table.classes.size() + schema.labels_per_example() - labels, kNoLabel);
    }
    // A single label is that of the first row. Targets of steps are followed by zeros.
    const int64_t first_label = of_steps ? kept.first : 0, labels = of_steps ? kept.count : 1;
    const auto targets =
        rows.targets.begin() + (static_cast<int64_t>(row) + first_label) * schema.target_size();
    table.targets.insert(table.targets.end(), targets, targets + labels * schema.target_size());
    table.targets.resize(table.targets.size() +
                         (schema.labels_per_example() - labels) * schema.target_size());
    row += static_cast<size_t>(length);
  }

  const auto row_bytes = static_cast<size_t>(of_rows.FeatureBytes());
  size_t sequence = 0;
  int64_t step = 0;  // of the sequence
  DL_RETURN_IF_ERROR(VisitFeatures(rows, [&](std::span<const std::byte> some) -> Status {
    for (; !some.empty(); some = some.subspan(row_bytes)) {
      if (step == 0) DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
      const Kept kept = KeptOf(lengths[sequence], conf);
      if (step >= kept.first && step < kept.first + kept.count)
        Append(some.first(row_bytes), table.f32);
      if (++step < lengths[sequence]) continue;
      table.f32.resize(table.f32.size() + (conf.steps - kept.count) * of_rows.FeatureSize());
      ++sequence;
      step = 0;
    }
    return absl::OkStatus();
  }));
  return table;
}

int64_t WindowsOf(int64_t rows, const job::SequenceRows& conf, int64_t horizon) {
  const int64_t last = rows - conf.window - horizon;  // last start of a window
  return last < 0 ? 0 : last / conf.stride + 1;
}

namespace {

// Returns an error if the rows of a window's labels, which end before row `end`, differ in weight.
Status CheckOneWeight(const ExampleTable& rows, int64_t end, int64_t labels) {
  const auto weights = std::span(rows.weights).subspan(end - labels, labels);
  if (std::ranges::all_of(weights, [&](float weight) { return weight == weights.back(); }))
    return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("rows ", end - labels + 1, " to ", end,
                               " are the labels of one window and have different weights"),
       .remedy = "Set sequences.label_of to \"sequence\", or give these rows one weight"});
}

// Appends the labels and weights of all windows. A window has the weight of the row of its label.
Status CutLabels(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                 const job::SequenceRows& conf, int64_t horizon, ExampleTable& table) {
  const int64_t labels = table.schema.labels_per_example();
  const int64_t targets = table.schema.target_size();
  int64_t sequence = 0;  // first row of the sequence
  for (const int64_t length : lengths) {
    for (int64_t w = 0; w < WindowsOf(length, conf, horizon); ++w) {
      const int64_t end = sequence + w * conf.stride + conf.window + horizon;
      if (!rows.classes.empty()) {
        table.classes.insert(table.classes.end(), rows.classes.begin() + end - labels,
                             rows.classes.begin() + end);
      }
      table.targets.insert(table.targets.end(), rows.targets.begin() + (end - labels) * targets,
                           rows.targets.begin() + end * targets);
      if (table.schema.weights) {
        DL_RETURN_IF_ERROR(CheckOneWeight(rows, end, labels));
        table.weights.push_back(rows.weights[end - 1]);
      }
      ++table.examples;
    }
    sequence += length;
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<ExampleTable> FoldWindows(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                   const job::SequenceRows& conf, int64_t horizon,
                                   const RowMemory& memory) {
  ExampleTable table{.schema = rows.schema};
  table.schema.feature_shape = {conf.window, rows.schema.FeatureSize()};
  if (conf.label_of == job::LabelOf::kStep) table.schema.SetLabelsPerExample(conf.window);
  DL_RETURN_IF_ERROR(CutLabels(rows, lengths, conf, horizon, table));
  if (table.examples == 0) {
    return InvalidArgument({.message = absl::StrCat("no sequence has the ", conf.window + horizon,
                                                    conf.window + horizon == 1 ? " row" : " rows",
                                                    " that a window with its label needs"),
                            .remedy = "Set a shorter sequences.window or horizon"});
  }
  const int64_t longest = *std::ranges::max_element(lengths);
  if (conf.stride > conf.window && WindowsOf(longest, conf, horizon) == 1) {
    table.warnings.push_back(absl::StrCat(
        "sequences.stride is ", conf.stride, ", and the longest sequence has ", longest,
        " rows: each sequence gives one window, and most rows are in no window"));
  }
  const auto width = static_cast<size_t>(rows.schema.FeatureSize());
  const auto row_bytes = static_cast<size_t>(rows.schema.FeatureBytes());
  const size_t window = width * static_cast<size_t>(conf.window);
  std::vector<float> recent;  // last rows of the sequence
  size_t sequence = 0;
  int64_t step = 0;
  DL_RETURN_IF_ERROR(VisitFeatures(rows, [&](std::span<const std::byte> some) -> Status {
    for (; !some.empty(); some = some.subspan(row_bytes)) {
      if (recent.size() >= 2 * window) recent.erase(recent.begin(), recent.end() - window);
      Append(some.first(row_bytes), recent);
      const int64_t begin = ++step - conf.window;  // start of the window that ends here
      const bool is_window = begin >= 0 && begin % conf.stride == 0 &&
                             begin / conf.stride < WindowsOf(lengths[sequence], conf, horizon);
      if (is_window) {
        DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
        table.f32.insert(table.f32.end(), recent.end() - window, recent.end());
      }
      if (step < lengths[sequence]) continue;
      recent.clear();
      ++sequence;
      step = 0;
    }
    return absl::OkStatus();
  }));
  return table;
}

}  // namespace dl::dataset
