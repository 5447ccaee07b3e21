#include "cli/data/test_split.h"

#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/data/import_memory.h"
#include "cli/exit_code.h"
#include "dataset/readers/image/image_folder_reader.h"

namespace dl::cli {

StatusOr<double> ParseTestFraction(const std::string& text) {
  double fraction = 0;
  if (absl::SimpleAtod(text, &fraction) && fraction >= job::SplitConfig::kLeast &&
      fraction <= job::SplitConfig::kMost) {
    return fraction;
  }
  return UsageError({.message = absl::StrCat("\"", absl::CHexEscape(text),
                                             "\" is not a fraction of the examples"),
                     .where = "--test-fraction",
                     .remedy = "Give a number between 0 and 1, for example 0.2"});
}

StatusOr<dataset::ExampleTable> ReadTable(const job::DatasetSpec& dataset,
                                          const std::optional<dataset::SplitPart>& part,
                                          const std::map<std::string, std::string>& environment) {
  DL_ASSIGN_OR_RETURN(const int64_t memory, ImportMemory(0, environment));
  auto table = dataset::ReadSource(dataset, {.memory = {.bytes = memory / 4}, .part = part});
  if (!table.ok()) return AsDataError(table.status());
  return table;
}

StatusOr<dataset::ExampleTable> ReadWhole(const job::DatasetSpec& dataset,
                                          const std::map<std::string, std::string>& environment) {
  const auto* images = std::get_if<job::ImageFolderSource>(&dataset);
  if (images == nullptr) return ReadTable(dataset, {}, environment);
  auto table = dataset::ListImageFolder(*images);
  return table.ok() ? table : AsDataError(table.status());
}

void CompleteSplit(const Json& stated, const job::DatasetSpec& dataset,
                   const job::DatasetSummary& whole, job::SplitConfig& split) {
  if (stated.contains("stratified") || stated.contains("take")) return;
  const auto* table = std::get_if<job::CsvSource>(&dataset);
  const bool has_windows = table != nullptr && table->sequences && table->sequences->HasWindows();
  if (std::holds_alternative<job::TextSource>(dataset) || has_windows) {
    split.take = job::SplitTake::kLast;
  } else {
    split.stratified = whole.classes > 0 && whole.labels_per_example == 1 && !whole.label_sequences;
  }
}

}  // namespace dl::cli
