// Files of examples. A table that a reader accepts must be valid, and its blocks must be readable.
#include <algorithm>
#include <memory>
#include <string>

#include "dataset/block.h"
#include "dataset/block_cutting.h"
#include "dataset/example_table.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/table_guess.h"
#include "job/dataset_spec.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {
namespace {

class CheckedBlocks : public dataset::BlockSink {
 public:
  explicit CheckedBlocks(const dataset::Schema& schema) : schema_(schema) {}
  Status Put(const std::string&, std::span<const std::byte> bytes) override {
    const auto copy = std::make_shared<dataset::Bytes>(bytes.begin(), bytes.end());
    const auto block = dataset::Block::Decode(copy, schema_);
    Require(block.ok(), "a block that was cut is read: " + block.status().ToString());
    examples_ += (*block)->examples();
    return absl::OkStatus();
  }
  int64_t examples() const { return examples_; }

 private:
  const dataset::Schema& schema_;
  int64_t examples_ = 0;
};

bool IsRefused(const Status& status) {
  RequireGoodError(status);
  return false;
}

bool Read(const job::DatasetSpec& source) {
  nn::Mistakes mistakes;
  job::CheckDataset(source, "data.train", mistakes);
  if (!mistakes.empty()) return false;  // such a source is never read
  const auto table = dataset::ReadSource(source);
  if (!table.ok()) return IsRefused(table.status());
  const Status valid = dataset::ValidateTable(*table);
  Require(valid.ok(), "what was read is valid: " + valid.ToString());
  CheckedBlocks blocks(table->schema);
  const auto manifest = dataset::CutBlocks(*table, {.block_bytes = 512}, blocks);
  if (!manifest.ok()) return IsRefused(manifest.status());
  Require(blocks.examples() == table->examples, "all examples are in blocks");
  return true;
}

// Returns whether a row has a valid index that makes rows of 10,000 or more numbers. Wide rows only
// take longer.
bool HasWideRows(std::string_view bytes) {
  size_t digits = 0;
  for (const char byte : bytes) {
    if (byte == ':' && digits > 4 && digits < 9) return true;
    digits = byte >= '0' && byte <= '9' ? digits + 1 : 0;
  }
  return false;
}

// Removes and returns the first two bytes: the length of the features. The input contains two
// files, features and labels.
size_t TakeLength(std::string_view& bytes) {
  const size_t high = TakeChoice(bytes);
  return 256 * high + TakeChoice(bytes);
}
struct TwoPaths {
  std::string features, labels;
};
TwoPaths WriteTwo(std::string_view bytes, size_t length) {
  length = std::min(length, bytes.size());
  return {.features = WriteInput(bytes.substr(0, length)),
          .labels = WriteInput(bytes.substr(length), "labels")};
}

}  // namespace

bool FuzzCsv(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  job::CsvSource csv = {.path = WriteInput(bytes)};
  csv.header = (choice & 1) == 0;
  if ((choice & 2) != 0) csv.FindCategorical();
  if ((choice & 4) != 0) csv.Separator(";");
  if ((choice & 8) != 0)
    csv.OnMissing(job::MissingNumber::kMean, job::MissingCategory::kMostFrequent);
  if ((choice & 16) != 0) csv.LabelsAreNumbers();
  if ((choice & 32) != 0) csv.Comment("#");
  if ((choice & 64) != 0) csv.LabelColumn(0);
  if ((choice & 128) != 0) csv.CategoriesAs(job::CategoryEncoding::kIndex);
  if ((choice & 3) == 3)
    csv.Sequences(job::SequenceRows(4).By(1).Longer(job::LongerSequences::kKeepLast));
  // Reads the same bytes as a table of unknown format.
  const auto guessed = dataset::GuessTable(csv.path.names.front(), {.memory_bytes = 1 << 20});
  if (guessed.ok()) {
    Read(guessed->source);
  } else {
    IsRefused(guessed.status());
  }
  return Read(csv);
}

bool FuzzLibsvm(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  if (HasWideRows(bytes)) return false;
  job::LibsvmSource libsvm = {.path = WriteInput(bytes)};
  libsvm.index_base = choice & 1;
  if ((choice & 2) != 0) libsvm.LabelsAreNumbers();
  if ((choice & 4) != 0) libsvm.feature_count = 12;
  return Read(libsvm);
}

bool FuzzIdx(std::string_view bytes) {
  const size_t length = TakeLength(bytes);
  const auto [features, labels] = WriteTwo(bytes, length);
  return Read(job::IdxSource{.features = features, .labels = labels});
}

bool FuzzCifar(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  const std::string path = WriteInput(bytes);
  if ((choice & 1) == 0) return Read(job::Cifar10Source{.paths = {{path}}});
  return Read(job::Cifar100Source{.paths = {{path}}});
}

bool FuzzNpy(std::string_view bytes) {
  const size_t length = TakeLength(bytes);
  const uint8_t choice = TakeChoice(bytes);
  const auto [features, labels] = WriteTwo(bytes, length);
  job::NpySource npy = {.features = features, .labels = labels};
  if ((choice & 1) != 0) npy.LabelsAreNumbers();
  return Read(npy);
}

bool FuzzNpz(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  job::NpzSource npz = {.path = WriteInput(bytes)};
  if ((choice & 1) != 0) npz.LabelsAreNumbers();
  return Read(npz);
}

bool FuzzText(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  job::TextSource text = {.path = WriteInput(bytes), .steps = 1 + choice / 4 % 8};
  if (choice % 4 == 1) text.Words();
  if (choice % 4 == 2) text.Words(5);
  if (choice % 4 == 3) text.Bytes();
  return Read(text);
}

}  // namespace dl::fuzz
