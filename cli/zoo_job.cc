#include "cli/zoo_job.h"

#include <optional>
#include <ostream>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/own_program.h"
#include "base/process.h"
#include "cli/data_file.h"
#include "cli/dataset_document.h"
#include "cli/exit_code.h"
#include "cli/import_memory.h"
#include "cli/job_source.h"
#include "dataset/job_plan.h"
#include "dataset/readers/source.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::cli {
namespace {

// A text, in windows as long as the model's published ones.
Json TextDocument(const std::string& path, const nn::zoo::ZooModel& zoo) {
  job::TextSource source = data::Text(path, zoo.published.input.Steps());
  if (zoo.reads != nn::zoo::Reads::kCharacters) source.Words(zoo.published.classes);
  if (zoo.reads == nn::zoo::Reads::kMaskedWords) source.Masked();
  return job::ToJson(job::DatasetSpec(source));
}

StatusOr<job::DatasetSpec> DatasetOf(const std::string& text, const nn::zoo::ZooModel& zoo,
                                     std::ostream& err) {
  Json document;
  const bool is_text = zoo.reads != nn::zoo::Reads::kExamples && !text.ends_with(".json");
  if (is_text) {
    document = TextDocument(text, zoo);
    err << text << ": read as " << JsonText(document) << std::endl;
    DL_ASSIGN_OR_RETURN(const std::string folder, WorkingFolder());
    AnchorDataPaths(document, folder);
  } else if (IsDataFile(text)) {
    auto described = IsFolder(text) ? DescribeImageFolder(text, zoo.published.input.Shape())
                                    : DescribeDataFile(text);
    if (!described.ok()) return AsDataError(described.status());
    document = *std::move(described);
    err << text << ": read as " << JsonText(document) << std::endl;
    // A job spec's paths hold wherever it is read.
    DL_ASSIGN_OR_RETURN(const std::string folder, WorkingFolder());
    AnchorDataPaths(document, folder);
  } else if (!text.ends_with(".json")) {
    return InvalidArgument(
        {.message = absl::StrCat("the name of ", text, " does not say what it is"),
         .where = text,
         .remedy = R"(Write a .json file and give that: {"format": "libsvm", "path": ...})"});
  } else {
    DL_ASSIGN_OR_RETURN(document,
                        ReadJobDocument({JobSource::Kind::kFile, text, {}}, Spawner::Real(), err));
  }
  DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, text));
  return std::move(datasets.train);
}

StatusOr<std::optional<job::SplitConfig>> SplitOf(const ZooData& data) {
  if (data.test_fraction.empty()) return std::nullopt;
  job::SplitConfig split{.stratified = true};
  if (data.test.empty() && absl::SimpleAtod(data.test_fraction, &split.test_fraction) &&
      split.test_fraction >= job::SplitConfig::kLeast &&
      split.test_fraction <= job::SplitConfig::kMost) {
    return split;
  }
  return UsageError(
      {.message = data.test.empty() ? absl::StrCat("\"", absl::CHexEscape(data.test_fraction),
                                                   "\" is no share of the examples")
                                    : "--test names a test set, and --test-fraction makes one",
       .where = "--test-fraction",
       .remedy = data.test.empty() ? "Give a number between 0 and 1, as 0.2" : "Give one of them"});
}

// Of files what they hold, of a dataset that was imported what its reference says.
StatusOr<job::DatasetSummary> SummaryOf(const job::DatasetSpec& dataset,
                                        const std::optional<job::SplitConfig>& split,
                                        const std::map<std::string, std::string>& environment) {
  if (const auto* imported = std::get_if<job::ManifestReference>(&dataset))
    return imported->summary;
  DL_ASSIGN_OR_RETURN(const int64_t memory, ImportMemory(0, environment));
  dataset::ReadOptions reading{.memory = {.bytes = memory / 4}};
  // How many features a table has is up to the categories of the training part.
  if (split) reading.part = {.split = *split, .part = dataset::Part::kTraining};
  const auto table = dataset::ReadSource(dataset, reading);
  if (!table.ok()) return AsDataError(table.status());
  return dataset::SummaryOf(table->schema, table->examples);
}

nn::InputType InputOf(const job::DatasetSummary& data) {
  const std::vector<int64_t>& shape = data.feature_shape;
  if (data.variable_length) return nn::VariableSequence(shape[0], shape[1]);
  if (shape.size() == 2) return nn::Sequence(shape[0], shape[1]);
  if (shape.size() == 3) return nn::Image(shape[0], shape[1], shape[2]);
  if (shape.size() == 4) return nn::Volume(shape[0], shape[1], shape[2], shape[3]);
  return nn::FeedForward(shape[0]);
}

// The published task's data, which nobody has: with a label for each row that the model judges.
job::ManifestReference Nowhere(const nn::zoo::Task& task, const nn::ModelConfig& model) {
  return {.sha256 = std::string(64, '0'),
          .summary = {.examples = 1'000'000,
                      .feature_shape = task.input.Shape(),
                      .classes = task.classes,
                      .labels_per_example = model.layers.back().output.Steps()}};
}

// The rate that it begins with is the zoo's: classes of images and tables by Nesterov's rule, all
// else by Adam.
struct Habits {
  bool adam = false;
  job::NormalizerChoice normalizer = job::NormalizerChoice::kStandardize;
};
Habits HabitsOf(const nn::zoo::ZooModel& zoo, const nn::ModelConfig& model) {
  using enum job::NormalizerChoice;
  if (zoo.reads != nn::zoo::Reads::kExamples) return {.adam = true, .normalizer = kNone};
  if (model.output().compared_with == nn::ComparedWith::kInput)
    return {.adam = true, .normalizer = kMinMax};
  return {.adam = model.layers.back().output.Steps() > 1};
}

}  // namespace

std::vector<std::string> ZooNames() {
  std::vector<std::string> names;
  for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) names.emplace_back(model.name);
  return names;
}

StatusOr<job::JobSpec> ZooJob(const nn::zoo::ZooModel& zoo, const ZooData& data,
                              const std::map<std::string, std::string>& environment,
                              std::ostream& err) {
  std::optional<job::DatasetSpec> train;
  nn::zoo::Task task = zoo.published;
  DL_ASSIGN_OR_RETURN(const std::optional<job::SplitConfig> split, SplitOf(data));
  if (!data.train.empty()) {
    DL_ASSIGN_OR_RETURN(train, DatasetOf(data.train, zoo, err));
    DL_ASSIGN_OR_RETURN(const job::DatasetSummary summary, SummaryOf(*train, split, environment));
    task = {InputOf(summary), summary.classes};
  }
  nn::Sequential model = zoo.make(task);
  const auto built = model.Build();
  // What looks at no label takes any.
  if (task.classes == 0 && !built.ok()) {
    return InvalidArgument(
        {.message = absl::StrCat("its labels are numbers, and ", std::string(zoo.name),
                                 " tells classes apart"),
         .where = data.train,
         .remedy =
             "Where they are classes, write a .json file with its \"label_type\": \"class\", and "
             "give that; where they are numbers, write a job program (README.md, Start)"});
  }
  if (!built.ok()) return WithContext(built.status(), std::string(zoo.name));
  const Habits habits = HabitsOf(zoo, *built);
  const nn::Schedule rate = nn::CosineSchedule(zoo.learning_rate);
  if (habits.adam) {
    model.Updater(nn::Adam(rate));
  } else {
    model.Updater(nn::Nesterov(rate).Momentum(0.9));
  }
  job::Job job{std::string(zoo.name)};
  job.Model(model).Train(train ? *std::move(train) : Nowhere(task, *built));
  job.Normalizer(habits.normalizer);
  if (split) job.Split(*split);
  if (nn::IsStateful(*built))
    job.Training(job::ParameterAveraging().Shuffle(job::ShuffleMode::kStream));
  if (!data.test.empty()) {
    DL_ASSIGN_OR_RETURN(job::DatasetSpec test, DatasetOf(data.test, zoo, err));
    job.Test(std::move(test));
  }
  auto spec = job.Build();
  if (!spec.ok()) return WithContext(spec.status(), std::string(zoo.name));
  return spec;
}

}  // namespace dl::cli
