#include "cli/jobs/zoo_job.h"

#include <optional>
#include <ostream>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/own_program.h"
#include "base/process.h"
#include "cli/data/data_file.h"
#include "cli/data/dataset_document.h"
#include "cli/data/test_split.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_source.h"
#include "cli/jobs/source_text.h"
#include "cli/output/json_fields.h"
#include "cli/output/table_report_text.h"
#include "dataset/job_plan.h"
#include "dataset/readers/source.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::cli {
namespace {

// Returns the document of a text, in windows as long as in the published form of the model.
Json TextDocument(const std::string& path, const nn::zoo::ZooModel& zoo) {
  job::TextSource source = data::Text(path, zoo.published.input.Steps());
  if (zoo.reads == nn::zoo::Reads::kCharacters) {
    source.UnknownCharactersAreAToken();
  } else {
    source.Words(zoo.published.classes);
  }
  if (zoo.reads == nn::zoo::Reads::kMaskedWords) source.Masked();
  return job::ToJson(job::DatasetSpec(source));
}

// Adds settings about the labels of the training set to the hints, so that the guess follows them.
DataFileOptions WithSettings(DataFileOptions options, const Settings& settings) {
  const bool any_label = !options.hints.label.empty();
  const bool any_type = options.hints.labels_are_numbers || options.hints.labels_are_classes;
  for (const JobSetting& setting : settings.job) {
    const std::string& value = setting.setting.value;
    if (setting.path == "data.train.label_column" && !any_label) {
      options.hints.label = value;
    } else if (setting.path == "data.train.label_type" && !any_type) {
      options.hints.labels_are_numbers = value == "number";
      options.hints.labels_are_classes = value == "class";
    } else {
      continue;
    }
    if (options.hint_flag.empty())
      options.hint_flag = absl::StrCat(setting.setting.origin, ", ", setting.path);
  }
  return options;
}

// The data that flags name, and the weights of its examples (DataFileOptions::weights).
struct NamedData {
  const std::string& text;
  const std::string& weights;
};

// The columns of a training table, and what its test set lacks.
struct TableOfTraining {
  std::optional<dataset::Schema> expected;
  bool test_lacks_numbers = false, test_lacks_categories = false;
};

// Describes a data file and reports on `err` how it is read. The training table sets
// `tables.expected`, its test set the other members.
StatusOr<Json> DescribeBareFile(const NamedData& named, const nn::zoo::ZooModel& zoo,
                                const ZooJobOptions& job, TableOfTraining& tables,
                                std::ostream& err) {
  const auto& [text, weights] = named;
  const ZooData& data = job.data;
  const DataFileOptions options =
      WithSettings({.hints = data.hints,
                    .hint_flag = data.hint_flag,
                    .weights = weights,
                    .known = tables.expected ? &*tables.expected : nullptr},
                   *job.settings);
  DescribedFile described;
  if (IsFolder(text)) {
    auto document = DescribeImageFolder(text, zoo.published.input.Shape());
    if (!document.ok()) return AsDataError(document.status());
    described.document = *std::move(document);
    DL_RETURN_IF_ERROR(ApplyHints(options, text, described.document));
  } else {
    auto file = DescribeDataFile(text, options);
    if (!file.ok()) return AsDataError(file.status());
    described = *std::move(file);
  }
  ReportSource(described, text, err);
  if (!described.has_labels) {
    return AsDataError(InvalidArgument(
        {.message = absl::StrCat(
             text, " has no labels: the label column is missing, or the column is empty"),
         .where = text,
         .remedy = "Add the label column of the training set"}));
  }
  if (described.table && data.tables != nullptr)
    data.tables->push_back(TableReportJson(*described.table));
  tables.test_lacks_numbers = described.lacks_numbers;
  tables.test_lacks_categories = described.lacks_categories;
  if (described.table) tables.expected = std::move(described.expected);
  return std::move(described.document);
}

// Returns the document of the dataset that a flag names. `tables` is used as in DescribeBareFile.
StatusOr<Json> DatasetDocumentOf(const NamedData& named, const nn::zoo::ZooModel& zoo,
                                 const ZooJobOptions& job, TableOfTraining& tables,
                                 std::ostream& err) {
  const std::string& text = named.text;
  const DataFileOptions options{
      .hints = job.data.hints, .hint_flag = job.data.hint_flag, .weights = named.weights};
  DL_RETURN_IF_ERROR(CheckIsNoStream(text));
  Json document;
  const bool is_text = zoo.reads != nn::zoo::Reads::kExamples && !text.ends_with(".json");
  if (is_text) {
    document = TextDocument(text, zoo);
    DL_RETURN_IF_ERROR(ApplyHints(options, text, document));
    err << text << ": read as " << SourceText(document) << std::endl;
  } else if (IsDataFile(text)) {
    DL_ASSIGN_OR_RETURN(document, DescribeBareFile(named, zoo, job, tables, err));
  } else if (!text.ends_with(".json")) {
    return NoDataFileError(text);
  } else {
    DL_ASSIGN_OR_RETURN(document, ReadDataDocument(text, err));
    DL_ASSIGN_OR_RETURN(const DatasetDocument datasets, ReadDatasetDocument(document, text));
    document = job::ToJson(datasets.train);
    DL_RETURN_IF_ERROR(ApplyHints(options, text, document));
  }
  // Paths in a job spec must be valid wherever it is read.
  DL_ASSIGN_OR_RETURN(const std::string folder, WorkingFolder());
  AnchorDataPaths(document, folder);
  return document;
}

StatusOr<Json> SplitDocumentOf(const ZooData& data) {
  if (data.test_fraction.empty()) return Json();
  if (data.test.empty()) {
    DL_ASSIGN_OR_RETURN(const double fraction, ParseTestFraction(data.test_fraction));
    return Json{{"test_fraction", fraction}};
  }
  return UsageError({.message = "--test and --test-fraction both define the test set",
                     .where = "--test-fraction",
                     .remedy = "Give one of them"});
}

// Copies what a libsvm test file does not show from its training set: whether labels are numbers,
// and the first feature index.
void TakeFromTraining(const Json& train, Json& test) {
  if (TextAt(train, "format") != "libsvm" || TextAt(test, "format") != "libsvm") return;
  for (const char* key : {"label_type", "index_base"}) test[key] = train[key];
}

// If values are missing only in the test set, they are filled in from the training set.
void FillForTest(const TableOfTraining& tables, Json& train, std::ostream& err) {
  const auto fill = [&](const char* key, const char* rule, const char* sentence) {
    if (TextAt(train, key) != "error") return;
    train[key] = rule;
    err << sentence << std::endl;
  };
  if (tables.test_lacks_numbers) {
    fill("missing_number", "mean",
         "numbers are missing in the test set alone: the mean of the training set stands for them");
  }
  if (tables.test_lacks_categories) {
    fill("missing_category", "most_frequent",
         "categories are missing in the test set alone: the most frequent one of the training set "
         "stands for them");
  }
}

// Returns "data" of the job as flags and settings give it, without properties of the examples.
StatusOr<Json> DataDocumentOf(const nn::zoo::ZooModel& zoo, const ZooJobOptions& options,
                              std::ostream& err) {
  Json data = Json::object();
  DL_ASSIGN_OR_RETURN(Json split, SplitDocumentOf(options.data));
  if (!split.is_null()) data["split"] = std::move(split);
  TableOfTraining tables;
  const ZooData& sets = options.data;
  for (const auto& [key, named] : {std::pair("train", NamedData{sets.train, sets.hints.weights}),
                                   std::pair("test", NamedData{sets.test, sets.test_weights})}) {
    if (named.text.empty()) continue;
    DL_ASSIGN_OR_RETURN(data[key], DatasetDocumentOf(named, zoo, options, tables, err));
  }
  if (data.contains("train") && data.contains("test") && IsDataFile(options.data.test))
    TakeFromTraining(data["train"], data["test"]);
  if (data.contains("train")) FillForTest(tables, data["train"], err);
  Json document = {{"data", std::move(data)}};
  Settings of_data;
  for (const JobSetting& setting : options.settings->job) {
    if (setting.path == "data" || setting.path.starts_with("data.")) of_data.job.push_back(setting);
  }
  DL_RETURN_IF_ERROR(ApplyJobSettings(of_data, document));
  return document;
}

// Reads the training set, or takes the summary of an imported dataset. Completes `split`; `stated`
// is its document.
StatusOr<job::DatasetSummary> Summarize(const job::DatasetSpec& dataset, const Json& stated,
                                        std::optional<job::SplitConfig>& split,
                                        const std::map<std::string, std::string>& environment) {
  if (const auto* imported = std::get_if<job::ManifestReference>(&dataset))
    return imported->summary;
  DL_ASSIGN_OR_RETURN(const dataset::ExampleTable table, ReadWhole(dataset, environment));
  const job::DatasetSummary whole = dataset::SummaryOf(table.schema, table.examples);
  if (!split) return whole;
  CompleteSplit(stated, dataset, whole, *split);
  if (!std::holds_alternative<job::CsvSource>(dataset)) return whole;
  // The number of features of a table depends on the categories of the training part.
  DL_ASSIGN_OR_RETURN(
      const dataset::ExampleTable training,
      ReadTable(dataset, dataset::SplitPart{.split = *split, .part = dataset::Part::kTraining},
                environment));
  return dataset::SummaryOf(training.schema, training.examples);
}

// Returns the input type for the data. `published` is the input type for which the network was
// published.
nn::InputType InputOf(const job::DatasetSummary& data, const nn::InputType& published) {
  const std::vector<int64_t>& shape = data.feature_shape;
  // A window with one label is one row if the network expects rows.
  if (shape.size() == 2 && !data.variable_length && data.labels_per_example == 1 &&
      published.Shape().size() == 1)
    return nn::FeedForward(shape[0] * shape[1]);
  if (data.variable_length) return nn::VariableSequence(shape[0], shape[1]);
  if (shape.size() == 2) return nn::Sequence(shape[0], shape[1]);
  if (shape.size() == 3) return nn::Image(shape[0], shape[1], shape[2]);
  if (shape.size() == 4) return nn::Volume(shape[0], shape[1], shape[2], shape[3]);
  return nn::FeedForward(shape[0]);
}

// Returns a reference to the data of the published task, which does not exist here. It has a label
// for each row of the model's output.
job::ManifestReference MissingDataset(const nn::zoo::Task& task, const nn::ModelConfig& model) {
  return {.sha256 = std::string(64, '0'),
          .summary = {.examples = 1'000'000,
                      .feature_shape = task.input.Shape(),
                      .classes = task.classes,
                      .labels_per_example = model.layers.back().output.Steps()}};
}

// Defaults of a job. Classes of images and tables are trained with Nesterov momentum, all other
// models with Adam.
struct TrainingDefaults {
  bool adam = false;
  double rate = 0;
  job::NormalizerChoice normalizer = job::NormalizerChoice::kStandardize;
  job::NormalizerChoice target_normalizer = job::NormalizerChoice::kNone;
};
TrainingDefaults TrainingDefaultsOf(const nn::zoo::ZooModel& zoo, const nn::zoo::Task& task,
                                    const nn::ModelConfig& model) {
  using enum job::NormalizerChoice;
  TrainingDefaults habits{.rate = zoo.learning_rate};
  if (zoo.reads != nn::zoo::Reads::kExamples) {
    habits.adam = true;
    habits.normalizer = kNone;
  } else if (model.output().compared_with == nn::ComparedWith::kInput) {
    habits.adam = true;
    habits.normalizer = kMinMax;
  } else if (task.targets > 0) {
    habits = {.adam = true, .rate = nn::zoo::kRegressionRate, .target_normalizer = kStandardize};
  } else {
    habits.adam = model.layers.back().output.Steps() > 1;
  }
  return habits;
}

std::string NamesOfRegressions() {
  std::vector<std::string> names;
  for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) {
    if (model.predicts_numbers) names.emplace_back(model.name);
  }
  return absl::StrJoin(names, ", ");
}

// Builds the network for the task. Returns InvalidArgument if the task has numbers to predict and
// the network does not predict numbers.
StatusOr<nn::ModelConfig> BuildFor(const nn::zoo::ZooModel& zoo, const nn::zoo::Task& task,
                                   const std::string& data) {
  const auto built = zoo.make(task).Build();
  if (built.ok()) {
    const bool reads_labels = built->output().compared_with == nn::ComparedWith::kLabels;
    if (task.targets == 0 || zoo.predicts_numbers || !reads_labels) return built;
  } else if (task.targets == 0 || zoo.predicts_numbers) {
    return WithContext(built.status(), std::string(zoo.name));
  }
  return InvalidArgument(
      {.message =
           absl::StrCat("its labels are numbers, and ", std::string(zoo.name), " predicts classes"),
       .where = data,
       .remedy = absl::StrCat(
           "If they are classes, give --classes. Zoo networks that predict numbers are ",
           NamesOfRegressions())});
}

}  // namespace

std::vector<std::string> ZooNames() {
  std::vector<std::string> names;
  for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) names.emplace_back(model.name);
  return names;
}

StatusOr<ZooJob> MakeZooJob(const nn::zoo::ZooModel& zoo, const ZooJobOptions& options,
                            std::ostream& err) {
  DL_ASSIGN_OR_RETURN(const Json document, DataDocumentOf(zoo, options, err));
  const bool has_data = document["data"].contains("train");
  DatasetDocument datasets;
  nn::zoo::Task task = zoo.published;
  if (has_data) {
    DL_ASSIGN_OR_RETURN(datasets, ReadDatasetDocument(document, std::string(zoo.name)));
    DL_ASSIGN_OR_RETURN(const job::DatasetSummary summary,
                        Summarize(datasets.train, document["data"].value("split", Json()),
                                  datasets.split, *options.environment));
    if (summary.classes == 1 && summary.labels_per_example == 1 && !summary.label_sequences) {
      return AsDataError(InvalidArgument(
          {.message = "all labels have one class, but a classifier needs two",
           .where = options.data.train,
           .remedy = IsFolder(options.data.train)
                         ? "Put the images of each class into a folder with its name; labels in a "
                           "table are not read"
                         : "Check which column has the labels (--label COLUMN). If labels are "
                           "numbers to predict, give --regression"}));
    }
    task = {InputOf(summary, zoo.published.input), summary.classes, summary.targets};
  }
  DL_ASSIGN_OR_RETURN(const nn::ModelConfig built, BuildFor(zoo, task, options.data.train));
  nn::Sequential model = zoo.make(task);
  const TrainingDefaults habits = TrainingDefaultsOf(zoo, task, built);
  const nn::Schedule rate = nn::CosineSchedule(habits.rate);
  if (habits.adam) {
    model.Updater(nn::Adam(rate));
  } else {
    model.Updater(nn::Nesterov(rate).Momentum(0.9));
    if (zoo.clip_norm > 0) model.ClipGradientsByNorm(zoo.clip_norm);
  }
  job::ParameterAveraging training;
  training.TargetNormalizer(habits.target_normalizer);
  if (nn::IsStateful(built)) training.Shuffle(job::ShuffleMode::kStream);
  job::Job job{std::string(zoo.name)};
  job.Model(model).Training(training).Normalizer(habits.normalizer);
  job.Train(has_data ? datasets.train : MissingDataset(task, built));
  if (datasets.split) job.Split(*datasets.split);
  if (datasets.test) job.Test(*datasets.test);
  auto spec = job.Build();
  if (!spec.ok()) return WithContext(spec.status(), std::string(zoo.name));
  return ZooJob{.spec = *std::move(spec), .has_data = has_data};
}

}  // namespace dl::cli
