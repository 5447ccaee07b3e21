#include "dataset/readers/table/csv_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/readers/table/column_fit.h"
#include "dataset/readers/table/csv_labels.h"
#include "dataset/readers/table/csv_rows.h"
#include "dataset/readers/table/csv_weights.h"
#include "dataset/readers/table/csv_width.h"
#include "dataset/readers/table/missing_texts.h"
#include "dataset/readers/table/row_reserve.h"
#include "dataset/readers/table/row_sequences.h"
#include "dataset/readers/table/unknown_counts.h"

namespace dl::dataset {
namespace {

bool IsPlain(const FeatureColumn& column) { return column.IsNumber() && !column.fill_number; }

class CsvReader {
 public:
  CsvReader(const job::CsvSource& source, const ReadOptions& options,
            std::vector<std::string> paths)
      : source_(source),
        options_(options),
        memory_(options.memory),
        missing_(source.missing_values),
        rows_(source, std::move(paths), ColumnsOf(source, options), options, missing_),
        labels_(source, options, rows_, missing_),
        weights_(rows_, missing_, options.labels) {
    table_.schema.labels = labels_.EmptyLabels();
    if (source.sequences) {
      sequences_.emplace(source.date_order);
      memory_.bytes /= 2;  // holds the rows and then the sequences
    }
  }

  StatusOr<ExampleTable> Read() {
    if (options_.part) DL_RETURN_IF_ERROR(Split());
    if (options_.training == nullptr && NeedsFit()) DL_RETURN_IF_ERROR(Fit());
    rows_.WantNumbers();
    DL_RETURN_IF_ERROR(ForEach([&] { return ReadRow(); }));
    labels_.Finish(table_);
    const std::vector<int64_t>& places = rows_.columns().features;
    if (options_.unknown != nullptr) *options_.unknown = unknown_.Found(columns_, places);
    const std::string& first = rows_.first_path();
    if (sequences_) {
      auto folded = Fold();
      if (!folded.ok()) return AboutFile(folded.status(), first, "Correct the table");
      table_ = *std::move(folded);
      std::ranges::move(sequences_->Warnings(), std::back_inserter(table_.warnings));
    }
    for (const auto& of : {rows_.Warnings(), unknown_.AlikeUnknown(columns_, places)})
      std::ranges::copy(of, std::back_inserter(table_.warnings));
    DL_RETURN_IF_ERROR(weights_.Finish(table_));
    if (options_.training != nullptr)
      DL_RETURN_IF_ERROR(CheckSameSchema(table_.schema, *options_.training, first));
    if (Status status = ValidateTable(table_); !status.ok())
      return AboutFile(status, first, "Correct the table");
    return std::move(table_);
  }

 private:
  static LabelColumns ColumnsOf(const job::CsvSource& source, const ReadOptions& options) {
    return source.label_type == job::LabelType::kNone ? LabelColumns::kNone : options.labels;
  }
  Status ForEach(const std::function<Status()>& visit) {
    if (!sequences_) return rows_.ForEach(visit);
    sequences_->Restart();
    return rows_.ForEach([&]() -> Status {
      DL_RETURN_IF_ERROR(sequences_->Visit(rows_));
      return visit();
    });
  }
  // Returns the example of the row: the row itself, or the sequence to which it belongs.
  int64_t Example() const { return sequences_ ? sequences_->index() : rows_.index(); }
  bool BeginsExample() const { return !sequences_ || sequences_->begins(); }
  bool HasWindows() const { return sequences_ && source_.sequences->HasWindows(); }
  // Returns whether each row has a label of its own.
  bool LabelsRows() const {
    return sequences_ && (HasWindows() || source_.sequences->label_of == job::LabelOf::kStep);
  }
  int64_t Horizon() const {
    return options_.labels == LabelColumns::kNone ? 0 : source_.sequences->horizon;
  }
  StatusOr<ExampleTable> Fold() const {
    if (HasWindows()) return FoldWindows(table_, lengths_, *source_.sequences, Horizon(), memory_);
    return FoldSequences(table_, lengths_, *source_.sequences, memory_);
  }

  bool IsClass() const { return table_.schema.label_kind() == LabelKind::kClass; }
  bool NeedsFit() const {
    return source_.categorical_columns.automatic || !source_.categorical_columns.all.empty() ||
           !source_.date_columns.all.empty() || !source_.date_part_columns.all.empty() ||
           source_.missing_number != job::MissingNumber::kError;
  }
  std::string_view FieldOf(size_t feature) const {
    return rows_.fields()[rows_.columns().features[feature]];
  }
  std::string NameOf(size_t feature) const {
    return rows_.names().empty() ? "" : rows_.names()[rows_.columns().features[feature]];
  }

  // Determines which examples belong to the test set. Reads all labels, so that both parts have the
  // same classes.
  Status Split() {
    ExampleTable all;
    std::vector<int64_t> lengths;  // of sequences
    DL_RETURN_IF_ERROR(ForEach([&]() -> Status {
      if (BeginsExample()) ++all.examples;
      lengths.resize(all.examples, 0);
      ++lengths.back();
      if (!IsClass()) return absl::OkStatus();
      DL_ASSIGN_OR_RETURN(const int32_t label, labels_.ClassOfRow());
      if (BeginsExample() && !LabelsRows()) all.classes.push_back(label);
      return absl::OkStatus();
    }));
    labels_.Finish(all);
    const job::SplitConfig& split = options_.part->split;
    if (HasWindows() && split.take == job::SplitTake::kLast) return CutSequences(lengths);
    if (HasWindows() && all.examples == 1) {
      return InvalidArgument(
          {.message = "the table is one sequence, so windows that are drawn at random for the test "
                      "set would overlap windows of the training set",
           .remedy = "Set data.split.take to \"last\""});
    }
    DL_ASSIGN_OR_RETURN(parts_, PartsOf(split, {.examples = all.examples, .classes = all.classes}));
    return absl::OkStatus();
  }
  // Makes the last windows of each sequence the test set. No row is in windows of both sets.
  Status CutSequences(const std::vector<int64_t>& lengths) {
    const job::SequenceRows& conf = *source_.sequences;
    int64_t tested = 0;
    for (const int64_t length : lengths) {
      const int64_t windows = WindowsOf(length, conf, conf.horizon);
      const auto share = static_cast<int64_t>(
          options_.part->split.test_fraction * static_cast<double>(windows) + 0.5);
      cuts_.push_back(share == 0 ? length : (windows - share) * conf.stride);
      tested += share;
    }
    if (tested > 0) return absl::OkStatus();
    return InvalidArgument({.message = "the split leaves no window for the test set",
                            .remedy = "Raise data.split.test_fraction, or give longer sequences"});
  }
  bool IsOf(Part part) const {
    if (!options_.part) return true;
    if (cuts_.empty()) return parts_[Example()] == part;
    return part == (sequences_->step() < cuts_[Example()] ? Part::kTraining : Part::kTest);
  }

  // Returns an error if the file has more examples than before.
  Status CheckAsLong() const {
    const size_t known = cuts_.empty() ? parts_.size() : cuts_.size();
    if (!options_.part || Example() < static_cast<int64_t>(known)) return absl::OkStatus();
    return rows_.Bad(-1, "the file was changed while it was read",
                     "Read it again when no program writes to it");
  }

  ColumnFit::Kind KindOf(size_t feature) const {
    const ColumnEncoding date = rows_.columns().dates[feature];
    if (date == ColumnEncoding::kDate) return ColumnFit::Kind::kDate;
    if (date == ColumnEncoding::kDateParts) return ColumnFit::Kind::kDateParts;
    if (source_.categorical_columns.automatic) return ColumnFit::Kind::kAutomatic;
    return rows_.columns().categorical[feature] ? ColumnFit::Kind::kCategory
                                                : ColumnFit::Kind::kNumber;
  }

  // Determines the columns from the examples of the training set.
  Status Fit() {
    FitMemory memory;
    std::vector<ColumnFit> fits;
    DL_RETURN_IF_ERROR(ForEach([&]() -> Status {
      const std::vector<int64_t>& features = rows_.columns().features;
      for (size_t i = fits.size(); i < features.size(); ++i) {
        fits.emplace_back(ColumnFit::Options{.name = NameOf(i),
                                             .kind = KindOf(i),
                                             .encoding = source_.category_encoding,
                                             .unknown = source_.unknown_category,
                                             .missing_number = source_.missing_number,
                                             .missing_category = source_.missing_category,
                                             .date_order = source_.date_order},
                          memory);
      }
      DL_RETURN_IF_ERROR(CheckAsLong());
      DL_RETURN_IF_ERROR(labels_.Fit(memory));
      if (!IsOf(Part::kTraining)) return absl::OkStatus();
      for (size_t i = 0; i < features.size(); ++i) {
        const std::string_view text = FieldOf(i);
        if (Status status = fits[i].Add(text, missing_.Has(text)); !status.ok())
          return rows_.Bad(features[i], status);
      }
      return absl::OkStatus();
    }));
    DL_RETURN_IF_ERROR(labels_.FinishFit(table_.schema));
    std::vector<FeatureColumn> columns;
    for (size_t i = 0; i < fits.size(); ++i) {
      auto column = fits[i].Finish();
      if (!column.ok()) return rows_.BadColumn(rows_.columns().features[i], column.status());
      columns.push_back(*std::move(column));
    }
    // Columns of plain numbers are left out of the schema, so the manifest stays the same as
    // without columns.
    if (std::all_of(columns.begin(), columns.end(), IsPlain)) return absl::OkStatus();
    DL_RETURN_IF_ERROR(CheckWidth(rows_, columns));
    table_.schema.floats().columns = std::move(columns);
    return absl::OkStatus();
  }

  // Called at the first row, when the columns are known.
  Status Begin() {
    Schema& schema = table_.schema;
    const std::vector<int64_t>& features = rows_.columns().features;
    if (options_.training != nullptr) DL_RETURN_IF_ERROR(TakeColumnsOf(*options_.training));
    RememberLabels();
    weights_.Begin(schema);
    columns_ = schema.columns();
    while (columns_.size() < features.size()) columns_.push_back({.name = NameOf(columns_.size())});
    places_.resize(columns_.size());
    for (const FeatureColumn& column : columns_) are_numbers_.push_back(column.IsNumber());
    has_only_numbers_ = std::ranges::find(are_numbers_, 0) == are_numbers_.end();
    schema.feature_shape = {WidthOf(columns_)};
    ReserveRows(rows_.EstimateRows(), memory_, table_);
    rounder_ = FeatureRounder({.origins = options_.origins,
                               .watch = options_.watch,
                               .features = static_cast<size_t>(schema.feature_shape[0])});
    if (source_.header) schema.floats().names = FeatureNamesOf(columns_);
    const bool words = source_.categorical_columns.automatic || !schema.columns().empty() ||
                       !source_.categorical_columns.all.empty();
    return source_.header || words ? absl::OkStatus() : CheckNoHeader();
  }

  // Takes the columns of the training set, so that the columns of a test set have the same meaning.
  Status TakeColumnsOf(const Schema& training) {
    const std::vector<int64_t>& features = rows_.columns().features;
    for (size_t i = 0; i < features.size(); ++i) {
      const auto column = training.columns().empty() ? FeatureColumn() : training.columns()[i];
      if (rows_.columns().categorical[i] && column.IsNumber()) {
        return rows_.Bad(features[i], "the column holds numbers in the training split",
                         "Name it in categorical_columns of the training set too, or nowhere");
      }
      if (const ColumnEncoding date = rows_.columns().dates[i];
          date != ColumnEncoding::kNumber && date != column.encoding)
        return rows_.Bad(features[i], "the column is read in another way in the training split",
                         "Name it among the dates of the training set in the same key, or nowhere");
    }
    table_.schema.floats().columns = training.columns();
    return absl::OkStatus();
  }

  // Stores which columns are the labels, for tables that are read later.
  void RememberLabels() {
    if (options_.training != nullptr) {
      table_.schema.label_columns = options_.training->label_columns;
      return;
    }
    for (const int64_t label : rows_.columns().labels)
      table_.schema.label_columns.all.push_back(rows_.PlaceOf(label));
  }

  // Returns an error if the first row consists only of words.
  Status CheckNoHeader() const {
    const std::vector<int64_t>& features = rows_.columns().features;
    for (size_t i = 0; i < features.size(); ++i) {
      if (missing_.Has(FieldOf(i)) || FloatOf(FieldOf(i)).ok()) return absl::OkStatus();
    }
    return rows_.Bad(
        -1, absl::StrCat("it looks like a header: \"", Excerpt(FieldOf(0)), "\" is not a number"),
        "Set header to true, or remove the row");
  }

  Status ReadRow() {
    if (rows_.index() == 0) DL_RETURN_IF_ERROR(Begin());
    DL_RETURN_IF_ERROR(CheckAsLong());
    if (options_.part && !IsOf(options_.part->part)) return absl::OkStatus();
    DL_RETURN_IF_ERROR(SpillFeatures(memory_, table_));
    if (sequences_) DL_RETURN_IF_ERROR(CountStep());
    DL_RETURN_IF_ERROR(ReadFeatures());
    DL_RETURN_IF_ERROR(BeginsExample() || HasWindows() ? weights_.Read(table_)
                                                       : weights_.ReadEqual(table_));
    ++table_.examples;
    return sequences_ && !LabelsRows() ? ReadLabelOfSequence() : labels_.Read(table_);
  }

  Status ReadFeatures() {
    const CsvRows::Numbers& numbers = rows_.numbers();
    if (numbers.are_all_parsed && has_only_numbers_) {
      const size_t begin = table_.f32.size();
      table_.f32.resize(begin + columns_.size());
      rounder_.NextRow(numbers.values, numbers.nearest, std::span(table_.f32).subspan(begin));
      return absl::OkStatus();
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!numbers.are_parsed.empty() && numbers.are_parsed[i] != 0 && are_numbers_[i]) {
        table_.f32.push_back(rounder_.Next(numbers.values[i], numbers.nearest[i]));
        continue;
      }
      const std::string_view text = FieldOf(i);
      const bool missing = missing_.Has(text);
      const Status put = EncodeField(columns_[i], text, missing, places_[i], rounder_, table_.f32);
      if (!put.ok()) return rows_.Bad(rows_.columns().features[i], put);
      if (options_.unknown != nullptr && !missing) unknown_.Add(i, columns_[i], text, places_[i]);
    }
    return absl::OkStatus();
  }

  Status CountStep() {
    // A sequence that is cut has rows in both parts.
    if (lengths_.empty() || counted_ != sequences_->index()) lengths_.push_back(0);
    counted_ = sequences_->index();
    const int64_t most = source_.sequences->steps;
    if (++lengths_.back() <= most || HasWindows() ||
        source_.sequences->longer != job::LongerSequences::kError)
      return absl::OkStatus();
    return rows_.Bad(rows_.columns().sequence,
                     absl::StrCat("the sequence has more than ", most, " steps"),
                     "Raise sequences.steps, or set sequences.longer to \"keep_first\" or "
                     "\"keep_last\"");
  }

  // Reads the label of a sequence and checks that all of its rows have the same label.
  Status ReadLabelOfSequence() {
    const size_t classes = table_.classes.size(), targets = table_.targets.size();
    DL_RETURN_IF_ERROR(labels_.Read(table_));
    if (BeginsExample()) {
      first_class_ = classes;
      first_target_ = targets;
      return absl::OkStatus();
    }
    const auto as_first = [](const auto& labels, size_t own, size_t first) {
      return std::equal(labels.begin() + static_cast<std::ptrdiff_t>(own), labels.end(),
                        labels.begin() + static_cast<std::ptrdiff_t>(first));
    };
    if (as_first(table_.classes, classes, first_class_) &&
        as_first(table_.targets, targets, first_target_))
      return absl::OkStatus();
    return rows_.Bad(
        rows_.columns().labels.front(), "the label is another one than in the sequence's first row",
        "Give all rows of a sequence its label, or set sequences.label_of to \"step\"");
  }

  const job::CsvSource& source_;
  const ReadOptions& options_;
  RowMemory memory_;
  const MissingTexts missing_;
  CsvRows rows_;
  ExampleTable table_;
  CsvLabels labels_;
  CsvWeights weights_;
  std::optional<RowSequences> sequences_;      // if rows are steps
  std::vector<int64_t> lengths_;               // of the sequences
  int64_t counted_ = -1;                       // sequence whose rows are being counted
  size_t first_class_ = 0, first_target_ = 0;  // labels of the sequence's first row
  std::vector<FeatureColumn> columns_;         // of all features
  std::vector<uint8_t> are_numbers_;           // whether each of columns_ has numbers
  bool has_only_numbers_ = false;              // whether all have
  std::vector<CategoryPlaces> places_;         // of their categories
  FeatureRounder rounder_;
  UnknownCounts unknown_;
  std::vector<Part> parts_;    // of each example, if the source is split
  std::vector<int64_t> cuts_;  // first test row of each sequence, if windows are split
};

}  // namespace

StatusOr<ExampleTable> ReadCsv(const job::CsvSource& source, const ReadOptions& options) {
  DL_RETURN_IF_ERROR(CheckSigns(source));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> paths, SourcePaths(source.path));
  if (options.training != nullptr && options.training->feature_shape.size() == 2 &&
      !source.sequences) {
    return InvalidArgument(
        {.message =
             "the examples of the training split are sequences, but here each row is an example",
         .where = paths.front(),
         .remedy =
             absl::StrCat("Describe in a .json file how rows become sequences, and give that file: "
                          "{\"format\": \"csv\", \"path\": ..., \"sequences\": "
                          "{\"column\": ..., \"steps\": ",
                          options.training->feature_shape[0], "}}")});
  }
  if (source.label_type == job::LabelType::kClass &&
      options.labels == LabelColumns::kAsTheSourceSays)
    DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, paths.front()));
  return CsvReader(source, options, std::move(paths)).Read();
}

}  // namespace dl::dataset
