#include "cli/output/evaluation_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

constexpr size_t kConfusionsShown = 20;
constexpr size_t kOutputsShown = 20;

std::string RightAligned(int64_t value, size_t width) {
  const std::string digits = absl::StrCat(value);
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

int64_t Count(const Json& confusion, size_t of_class, size_t predicted) {
  return confusion[of_class][predicted].get<int64_t>();
}

// Returns the number of the class at index `place` of the report, which lists only classes that
// occur.
int64_t ClassNumber(const Json& classes, size_t place) {
  return place < classes.size() ? IntegerAt(classes[place], "class_number")
                                : static_cast<int64_t>(place);
}

// Returns "3 dress", or only the number.
std::string ClassName(const Json& classes, size_t place) {
  const std::string number = absl::StrCat(ClassNumber(classes, place));
  const std::string name =
      place < classes.size() ? VisibleName(TextAt(classes[place], "class")) : number;
  return name == number ? number : absl::StrCat(number, " ", name);
}

// Returns the confusion matrix. Rows begin with `names`, columns with `numbers`. All columns are as
// wide as the largest count.
std::string Matrix(const Json& confusion, const std::vector<std::string>& names,
                   const std::vector<std::string>& numbers) {
  const size_t n = confusion.size();
  size_t first = std::string_view("CLASS").size(), width = 1;
  for (const std::string& name : names) first = std::max(first, name.size());
  for (size_t i = 0; i < n * n; ++i)
    width = std::max(width, absl::StrCat(Count(confusion, i / n, i % n)).size());
  for (const std::string& number : numbers) width = std::max(width, number.size());
  const auto begin = [&](const std::string& name) {
    return name + std::string(first - name.size(), ' ');
  };
  std::string text = begin("CLASS");
  for (size_t p = 0; p < n; ++p)
    absl::StrAppend(&text, " ", std::string(width - numbers[p].size(), ' '), numbers[p]);
  for (size_t c = 0; c < n; ++c) {
    absl::StrAppend(&text, "\n", begin(names[c]));
    for (size_t p = 0; p < n; ++p)
      absl::StrAppend(&text, " ", RightAligned(Count(confusion, c, p), width));
  }
  return text + "\n";
}

// Returns the matrix with class names if it fits into a terminal, else with class numbers; empty if
// that does not fit either.
std::string MatrixThatFits(const Json& confusion, const Json& classes) {
  std::vector<std::string> names, numbers;
  for (size_t c = 0; c < confusion.size(); ++c) {
    names.push_back(ClassName(classes, c));
    numbers.push_back(absl::StrCat(ClassNumber(classes, c)));
  }
  for (const auto* first : {&names, &numbers}) {
    const std::string matrix = Matrix(confusion, *first, numbers);
    if (matrix.find('\n') > kColumns) continue;
    return "\nconfusion matrix: a row for each class, a column for each prediction\n" + matrix;
  }
  return "";
}

// Lists the most frequent confusions, for matrices that fit into no terminal.
std::string Confusions(const Json& confusion, const Json& classes) {
  struct Confusion {
    int64_t count;
    size_t of_class, predicted;
  };
  std::vector<Confusion> found;
  const size_t n = confusion.size();
  for (size_t c = 0; c < n; ++c) {
    for (size_t p = 0; p < n; ++p) {
      if (const int64_t count = Count(confusion, c, p); c != p && count > 0)
        found.push_back({count, c, p});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  if (found.size() > kConfusionsShown) found.resize(kConfusionsShown);
  std::vector<std::vector<std::string>> rows = {{"CLASS", "PREDICTED", "EXAMPLES"}};
  for (const Confusion& entry : found) {
    rows.push_back({ClassName(classes, entry.of_class), ClassName(classes, entry.predicted),
                    absl::StrCat(entry.count)});
  }
  return absl::StrCat("\nmost frequent confusions (--json has the whole matrix)\n",
                      RenderTable(rows));
}

// Appends a line of the summary; nothing if the report lacks the figure.
void Line(const Json& report, const char* key, const char* name, std::string& text) {
  if (Member(report, key) == nullptr) return;
  absl::StrAppendFormat(&text, "%-12s%.4f\n", name, NumberAt(report, key));
}

void PercentLine(const Json& report, const char* key, const std::string& name, std::string& text) {
  if (Member(report, key) == nullptr) return;
  absl::StrAppendFormat(&text, "%-12s%.2f %%\n", name, 100 * NumberAt(report, key));
}

// Returns the number with four decimals; "-" if it does not exist.
std::string Cell(const Json& entry, const char* key) {
  return Member(entry, key) == nullptr ? "-" : absl::StrFormat("%.4f", NumberAt(entry, key));
}

std::string Classes(const Json& report, const Json& classes) {
  std::vector<std::vector<std::string>> rows = {
      {"CLASS", "NAME", "EXAMPLES", "PRECISION", "RECALL", "F1", "ROC AUC"}};
  for (const Json& entry : classes) {
    rows.push_back({absl::StrCat(IntegerAt(entry, "class_number")),
                    VisibleName(TextAt(entry, "class")), absl::StrCat(IntegerAt(entry, "examples")),
                    Cell(entry, "precision"), Cell(entry, "recall"), Cell(entry, "f1"),
                    Cell(entry, "roc_auc")});
  }
  const std::string text = "\n" + RenderTable(rows);
  const Json* confusion = Member(report, "confusion");
  if (confusion == nullptr) return text;
  const std::string matrix =
      confusion->size() < kColumns / 2 ? MatrixThatFits(*confusion, classes) : "";
  return text + (matrix.empty() ? Confusions(*confusion, classes) : matrix);
}

// Returns the table for a model with yes/no outputs, or for predicted numbers.
std::string OutputsTable(const Json& outputs) {
  const bool answers = !outputs.empty() && Member(outputs[0], "f1") != nullptr;
  std::vector<std::vector<std::string>> rows = {{"OUTPUT"}};
  rows[0].insert(rows[0].end(),
                 answers ? std::initializer_list<std::string>{"EXAMPLES", "ACCURACY", "PRECISION",
                                                              "RECALL", "F1", "ROC AUC"}
                         : std::initializer_list<std::string>{"MSE", "MAE", "R2"});
  for (const Json& entry : outputs) {
    if (rows.size() > kOutputsShown) break;
    std::vector<std::string> row = {absl::StrCat(IntegerAt(entry, "output"))};
    if (answers) {
      row.push_back(absl::StrCat(IntegerAt(entry, "examples")));
      for (const char* key : {"accuracy", "precision", "recall", "f1", "roc_auc"})
        row.push_back(Cell(entry, key));
    } else {
      for (const char* key : {"mse", "mae"})
        row.push_back(absl::StrFormat("%.6g", NumberAt(entry, key)));
      row.push_back(Cell(entry, "r2"));
    }
    rows.push_back(std::move(row));
  }
  std::string text = "\n" + RenderTable(rows);
  if (outputs.size() > kOutputsShown) {
    absl::StrAppend(&text, "… and ", outputs.size() - kOutputsShown,
                    " more outputs (--json has all)\n");
  }
  return text;
}

std::string Head(const Json& report) {
  return absl::StrCat("examples    ", IntegerAt(report, "examples"), "\nloss        ",
                      LossText(NumberAt(report, "loss"), 6),
                      Member(report, "weight_penalty") == nullptr
                          ? ""
                          : absl::StrCat(", and L1 and L2 of the weights ",
                                         LossText(NumberAt(report, "weight_penalty"), 6)),
                      "\n");
}

// Returns the figures that the report contains.
std::string Figures(const Json& report) {
  std::string text;
  PercentLine(report, "accuracy", "accuracy", text);
  PercentLine(report, "exact_match", "exact match", text);
  for (const auto& [key, value] : report.items()) {  // "top_5_accuracy"
    if (const size_t end = key.find("_accuracy"); key.starts_with("top_"))
      PercentLine(report, key.c_str(), "top " + key.substr(4, end - 4), text);
  }
  Line(report, "perplexity", "perplexity", text);
  Line(report, "macro_f1", "macro F1", text);
  Line(report, "micro_f1", "micro F1", text);
  Line(report, "mean_iou", "mean IoU", text);
  Line(report, "label_error_rate", "label errors", text);
  Line(report, "kappa", "kappa", text);
  Line(report, "mcc", "MCC", text);
  Line(report, "roc_auc", "ROC AUC", text);
  Line(report, "average_precision", "PR AUC", text);
  if (Member(report, "ranks_nothing_above") != nullptr) {
    absl::StrAppend(&text, "no areas (ROC, PR): they would rank more than ",
                    IntegerAt(report, "ranks_nothing_above"), " probabilities\n");
  }
  Line(report, "log_loss", "log loss", text);
  Line(report, "brier", "Brier", text);
  if (const Json* classes = Member(report, "classes")) text += Classes(report, *classes);
  if (const Json* outputs = Member(report, "outputs")) text += OutputsTable(*outputs);
  return text;
}

}  // namespace

std::string EvaluationText(const Json& report) {
  std::string text =
      absl::StrCat("checkpoint  ", TextAt(report, "checkpoint"), "\n", Head(report), "contract    ",
                   TextAt(report, "kernel_contract"), "\n", Figures(report));
  const Json* outputs = Member(report, "by_output");
  if (outputs == nullptr) return text;
  for (const Json& output : *outputs) {
    absl::StrAppend(&text, "\noutput ", TextAt(output, "layer"), ", whose loss counts ",
                    NumberAt(output, "loss_weight"), "\n");
    if (IntegerAt(output, "examples") == 0) {
      text += "no example has a label of it\n";
    } else {
      absl::StrAppend(&text, Head(output), Figures(output));
    }
  }
  return text;
}

}  // namespace dl::cli
