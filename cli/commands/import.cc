// The command `import`: stores a dataset as blocks on a master.
#include <optional>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checksum.h"
#include "base/printable.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_file.h"
#include "cli/data/data_output.h"
#include "cli/data/dataset_document.h"
#include "cli/data/image_flags.h"
#include "cli/data/import_memory.h"
#include "cli/data/table_flags.h"
#include "cli/data/test_split.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/job_source.h"
#include "cli/output/json_fields.h"
#include "cli/output/table_report_text.h"
#include "dataset/job_plan.h"
#include "dataset/readers/image/image_archive.h"
#include "inference/unknown_json.h"
#include "launch/submission.h"

namespace dl::cli {
namespace {

Json SummaryOf(const std::string& set, const std::string& manifest, const Json& json) {
  const Json* schema = Member(json, "schema");
  const Json* blocks = Member(json, "blocks");
  int64_t bytes = 0;
  if (blocks != nullptr) {
    for (const Json& block : *blocks) bytes += IntegerAt(block, "bytes");
  }
  Json summary = {{"set", set},
                  {"manifest_sha256", Sha256Hex(manifest)},
                  {"examples", IntegerAt(json, "examples")},
                  {"blocks", blocks == nullptr ? 0 : blocks->size()},
                  {"bytes", bytes},
                  {"order", TextAt(json, "order")}};
  if (schema != nullptr) summary["schema"] = *schema;
  if (const Json* histogram = Member(json, "class_histogram"))
    summary["class_histogram"] = *histogram;
  for (const char* key : {"normalizer", "target_normalizer"}) {
    if (const Json* normalizer = Member(json, key)) summary[key] = *normalizer;
  }
  return summary;
}

// Joins the entries, up to the width of a terminal.
std::string Listed(const std::vector<std::string>& entries) {
  constexpr size_t kWidest = 64;
  std::string text;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string next = absl::StrCat(i == 0 ? "" : ", ", entries[i]);
    if (i > 0 && text.size() + next.size() > kWidest)
      return absl::StrCat(text, ", ... (", entries.size(), " in all)");
    text += next;
  }
  return text;
}

std::vector<std::string> Texts(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& entry : *list)
    texts.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
  return texts;
}

std::string FeaturesText(const Json& schema) {
  const std::vector<std::string> shape = Texts(Member(schema, "feature_shape")),
                                 names = Texts(Member(schema, "feature_names"));
  const bool bytes = TextAt(schema, "feature_type") == "u8";
  if (shape.size() == 2) {
    return absl::StrCat("sequences of ",
                        Member(schema, "variable_length") != nullptr ? "up to " : "", shape[0],
                        shape[0] == "1" ? " step" : " steps", ", ", shape[1],
                        shape[1] == "1" ? " feature" : " features",
                        names.empty() ? "" : absl::StrCat(": ", Listed(names)));
  }
  if (shape.size() == 4)
    return absl::StrCat("volumes ", absl::StrJoin(shape, "x"), bytes ? " of bytes" : " of floats");
  if (shape.size() != 1)
    return absl::StrCat("images ", absl::StrJoin(shape, "x"), bytes ? " of bytes" : " of floats");
  return absl::StrCat(shape[0], shape[0] == "1" ? " column" : " columns",
                      names.empty() ? "" : absl::StrCat(": ", PrintableName(Listed(names))));
}

// "3 classes: setosa 50, versicolor 50, virginica 50"
std::string LabelsText(const Json& summary, const Json& schema) {
  if (TextAt(schema, "label_kind") == "none") return "none";
  if (TextAt(schema, "label_kind") != "class")
    return IntegerAt(schema, "target_size") == 1
               ? "a number to predict"
               : absl::StrCat(IntegerAt(schema, "target_size"), " numbers to predict");
  const std::vector<std::string> names = Texts(Member(schema, "class_names")),
                                 counts = Texts(Member(summary, "class_histogram"));
  std::vector<std::string> classes;
  for (size_t i = 0; i < counts.size(); ++i)
    classes.push_back(
        absl::StrCat(i < names.size() ? VisibleName(names[i]) : absl::StrCat(i), " ", counts[i]));
  const int64_t count = IntegerAt(schema, "classes");
  return absl::StrCat(count, count == 1 ? " class" : " classes",
                      classes.empty() ? "" : absl::StrCat(": ", Listed(classes)));
}

// "of column w, divided by their mean 2.5"
std::string WeightsText(const Json& weights) {
  const Json* const column = Member(weights, "column");
  const std::string name = column == nullptr     ? ""
                           : column->is_string() ? PrintableName(column->get<std::string>())
                                                 : column->dump();
  return absl::StrCat(column == nullptr ? "" : absl::StrCat("of column ", name, ", "),
                      "divided by their mean ", NumberAt(weights, "mean"));
}

std::string ImportText(const Json& summary) {
  const int64_t blocks = IntegerAt(summary, "blocks");
  const Json none = Json::object();
  const Json* schema = Member(summary, "schema");
  const Json* normalizer = Member(summary, "normalizer");
  const Json* of_targets = Member(summary, "target_normalizer");
  if (schema == nullptr) schema = &none;
  const Json* weights = Member(*schema, "weights");
  return absl::StrCat(
      TextAt(summary, "set"), "\n  manifest    ", TextAt(summary, "manifest_sha256"),
      "\n  examples    ", IntegerAt(summary, "examples"), " in ", blocks,
      blocks == 1 ? " block, " : " blocks, ", IntegerAt(summary, "bytes"), " bytes\n  order       ",
      TextAt(summary, "order"), "\n  features    ", FeaturesText(*schema), "\n  labels      ",
      LabelsText(summary, *schema),
      weights == nullptr ? "" : absl::StrCat("\n  weights     ", WeightsText(*weights)),
      "\n  normalizer  ", normalizer == nullptr ? "none" : TextAt(*normalizer, "kind"),
      of_targets == nullptr ? "" : absl::StrCat("\n  targets     ", TextAt(*of_targets, "kind")),
      "\n");
}

class ImportCommand final : public Command {
 public:
  std::string_view name() const override { return "import"; }
  std::string_view json_lines() const override { return "ImportedSet"; }
  std::string_view summary() const override {
    return "Import a dataset: read it, and upload the blocks that the master lacks";
  }
  std::string_view examples() const override {
    return "  dl-submit import iris.csv   # guesses the columns, and prints the guesses\n"
           "  dl-submit import 'part-*.csv.zst'   # all matching files as one dataset\n"
           "  dl-submit import iris.csv --test-fraction 0.2   # also a test set\n"
           "  dl-submit import digits.npz   # arrays x and y; also rows.libsvm\n"
           "  dl-submit import photos.zip --image-size 64x64   # a folder for each class; also a "
           "folder or .tar\n"
           "  dl-submit import iris.json --normalizer standardize   # {\"format\": \"csv\", "
           "\"path\": \"iris.csv\"}\n"
           "  dl-submit import lenet_fashion_mnist --master dl://127.0.0.1:7077\n"
           "run and submit also import. An unchanged source is not read again, except for a "
           "standing master.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("DATA", data_,
                     "Table, libsvm file, .npz file, folder or archive of images, .json file with "
                     "a dataset (docs/job-spec.md, data.train), or a JOB of dl-submit run that "
                     "names its data",
                     Flags::Need::kRequired);
    flags.SetRemainder(arguments_);
    cluster_.Declare(flags);
    flags.Choice(
        "--normalizer", "KIND", normalizer_, {"none", "standardize", "min_max"},
        "Normalize the features: none, standardize or min_max. Default: as the document says.");
    flags.Choice("--order", "KIND", order_, {"shuffled", "source"},
                 "Order of the stored training set: shuffled, or source, which training.shuffle "
                 "\"stream\" needs. Default: source for such a job, otherwise shuffled.");
    flags.Choice(
        "--target-normalizer", "KIND", target_normalizer_, {"none", "standardize", "min_max"},
        "Normalize the targets: none, standardize or min_max. Default: as the document says.");
    table_.Declare(flags, TableFlags::Use::kTraining);
    images_.Declare(flags);
    flags.Text("--test-fraction", "SHARE", test_fraction_,
               "Use this fraction of DATA, which describes a single data set, as test set, for "
               "example 0.2: stratified by class; of a text or a time series the end");
    flags.Bytes("--memory", memory_,
                "Memory for rows, for example 256M or 4G; the rest goes to a temporary file. "
                "Default: a quarter of the memory, at most 1G. Environment: DL_IMPORT_MEMORY.");
    flags.Text("-o,--output", "FILE", output_,
               "Also write the manifest of the training set to FILE; - writes to standard output");
    flags.Text("--test-output", "FILE", test_output_,
               "Also write the manifest of the test set to FILE");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckKeepsData(output_, data_));
    DL_RETURN_IF_ERROR(CheckKeepsData(test_output_, data_));
    if (test_output_ == "-") {
      return UsageError({.message = "--test-output writes to a file only",
                         .where = "--test-output",
                         .remedy = "Give the path of a file"});
    }
    DL_ASSIGN_OR_RETURN(DatasetDocument datasets, Document(context));
    if (!test_fraction_.empty()) DL_RETURN_IF_ERROR(Split(context, datasets));
    if (!test_output_.empty() && !datasets.split && !datasets.test) {
      return UsageError({.message = "the data has no test set",
                         .where = "--test-output",
                         .remedy = "Add --test-fraction, or leave the flag out"});
    }
    if (!normalizer_.empty()) {
      DL_ASSIGN_OR_RETURN(datasets.normalizer, ParseNormalizer(normalizer_));
    }
    if (!order_.empty()) {
      datasets.order = order_ == dataset::CutOrderName(dataset::CutOrder::kSource)
                           ? dataset::CutOrder::kSource
                           : dataset::CutOrder::kShuffled;
    }
    if (!target_normalizer_.empty()) {
      DL_ASSIGN_OR_RETURN(datasets.target_normalizer, ParseNormalizer(target_normalizer_));
    }
    const launch::ImportNormalizers normalizers{.features = datasets.normalizer,
                                                .targets = datasets.target_normalizer};
    DL_ASSIGN_OR_RETURN(memory_, ImportMemory(memory_, context.environment));
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToStore));
    if (!interrupts_) interrupts_.emplace();
    const auto part = [&](dataset::Part of) {
      std::optional<dataset::SplitPart> part;
      if (datasets.split) part = {.split = *datasets.split, .part = of};
      return part;
    };
    DL_ASSIGN_OR_RETURN(
        const std::string train,
        Import({datasets.train, part(dataset::Part::kTraining), "train", datasets.order},
               normalizers, "", session, context));
    if (!output_.empty()) {
      DL_RETURN_IF_ERROR(WriteOutput(
          output_, [&](ByteSink sink) { return sink(train); }, context));
    }
    if (datasets.split) datasets.test = datasets.train;
    if (datasets.test) {
      DL_ASSIGN_OR_RETURN(const std::string test,
                          Import({*datasets.test, part(dataset::Part::kTest), "test"}, normalizers,
                                 train, session, context));
      if (!test_output_.empty()) {
        DL_RETURN_IF_ERROR(WriteOutput(
            test_output_, [&](ByteSink sink) { return sink(test); }, context));
      }
    }
    return kSuccess;
  }

 private:
  // Splits the data set by --test-fraction, as run and submit do.
  Status Split(Context& context, DatasetDocument& datasets) const {
    if (datasets.split || datasets.test) {
      return UsageError({.message = absl::StrCat(data_, " defines its test set itself"),
                         .where = "--test-fraction",
                         .remedy = "Leave the flag out"});
    }
    DL_ASSIGN_OR_RETURN(const double fraction, ParseTestFraction(test_fraction_));
    const auto table = ReadWhole(datasets.train, context.environment);
    if (!table.ok()) return Named(table.status());
    datasets.split.emplace().test_fraction = fraction;
    CompleteSplit(Json::object(), datasets.train,
                  dataset::SummaryOf(table->schema, table->examples), *datasets.split);
    return absl::OkStatus();
  }

  // Returns the error with the path of the archive instead of that of its files.
  Status Named(const Status& status) const {
    return unpacked_ ? unpacked_->WithArchive(status) : status;
  }

  // Describes a folder or an archive of images.
  StatusOr<DatasetDocument> ImageDocument() {
    if (const std::string flag = table_.FirstGivenFlag(); !flag.empty()) {
      return UsageError({.message = absl::StrCat(flag, " is not for images"),
                         .where = flag,
                         .remedy = "Leave the flag out"});
    }
    if (!IsFolder(data_)) {
      if (const Status status = CheckHoldsNoTable(data_); !status.ok()) return AsDataError(status);
    }
    DL_RETURN_IF_ERROR(images_.Check());
    std::string folder = data_;
    if (!IsFolder(data_)) {
      DL_RETURN_IF_ERROR(CheckIsNoStream(data_));
      interrupts_.emplace();  // until the files are deleted
      auto unpacked = UnpackedArchive::Unpack(
          data_, [this] { return launch::CheckStop({.stop = &interrupts_->stop()}); });
      if (!unpacked.ok()) return AsDataError(interrupts_->WithSignal(unpacked.status()));
      unpacked_.emplace(*std::move(unpacked));
      folder = unpacked_->images();
    }
    DL_ASSIGN_OR_RETURN(const Json document, images_.Describe(folder));
    return ReadDatasetDocument(document, data_);
  }

  StatusOr<DatasetDocument> Document(Context& context) {
    if (dataset::IsImageArchive(data_) || IsFolder(data_)) return ImageDocument();
    if (images_.given()) {
      return UsageError({.message = absl::StrCat(data_, " is no folder and no archive of images"),
                         .where = "--image-size",
                         .remedy = "Leave the flag out"});
    }
    if (IsDataFile(data_)) {
      DL_ASSIGN_OR_RETURN(const dataset::TableHints hints, table_.Hints());
      DL_ASSIGN_OR_RETURN(const int64_t memory, ImportMemory(memory_, context.environment));
      auto described = DescribeDataFile(data_, {.hints = hints,
                                                .hint_flag = table_.FirstGivenFlag(),
                                                .weights = hints.weights,
                                                .memory_bytes = memory / 4});
      if (!described.ok()) return AsDataError(described.status());
      if (!json_) ReportSource(*described, data_, context.err);
      if (described->table) report_ = TableReportJson(*described->table);
      notes_ = described->notes;
      return ReadDatasetDocument(described->document, data_);
    }
    if (const std::string flag = table_.FirstGivenFlag(); !flag.empty()) {
      return UsageError(
          {.message = absl::StrCat(flag, " applies only to a data file, not to a document"),
           .where = flag,
           .remedy = "Set the key in the document; docs/job-spec.md lists the keys"});
    }
    auto found = FindJob(data_, context.program_folder);
    // A document may describe a dataset, so it counts as a file of data.
    if (absl::IsNotFound(found.status()) && data_.ends_with(".json"))
      return AsDataError(found.status());
    DL_ASSIGN_OR_RETURN(JobSource source, std::move(found));
    source.arguments = arguments_;
    DL_ASSIGN_OR_RETURN(const Json document, ReadJobDocument(source, Spawner::Real(), context.err));
    return ReadDatasetDocument(document, source.path);
  }

  struct Set {
    job::DatasetSpec source;
    std::optional<dataset::SplitPart> part;
    std::string name;
    dataset::CutOrder order = dataset::CutOrder::kSource;  // always for a test set
  };
  StatusOr<std::string> Import(const Set& set, const launch::ImportNormalizers& normalizers,
                               const std::string& training_manifest, Session& session,
                               Context& context) {
    launch::ImportOptions options{.stop = &interrupts_->stop(),
                                  .memory_bytes = memory_,
                                  .part = set.part,
                                  .order = set.order};
    // The files of an archive are unpacked again each time.
    if (!session.data_dir.empty() && !unpacked_) options.cache_dir = session.data_dir + "/imports";
    const auto named = [this](const std::string& text) {
      return unpacked_ ? unpacked_->WithArchive(text) : text;
    };
    if (!json_)
      options.progress = [&](const std::string& line) { context.err << named(line) << std::endl; };
    Json unknown, warnings;
    if (json_)
      options.on_warning = [&](const std::string& text) { warnings.push_back(named(text)); };
    options.on_unknown = [&](const std::vector<dataset::UnknownCategories>& columns) {
      unknown = inference::UnknownJson(columns);
      if (!json_) ReportUnknown(columns, context.err);
    };
    auto manifest = launch::ImportDataset(set.source, normalizers, training_manifest, options,
                                          session.client());
    if (!manifest.ok()) return AsDataError(interrupts_->WithSignal(Named(manifest.status())));
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(*manifest, "manifest"));
    Json summary = SummaryOf(set.name, *manifest, json);
    if (!unknown.is_null()) summary["unknown_values"] = std::move(unknown);
    if (!warnings.is_null()) summary["warnings"] = std::move(warnings);
    if (json_ && !report_.is_null()) summary["table"] = std::exchange(report_, Json());
    if (json_ && !notes_.empty()) summary["notes"] = std::exchange(notes_, {});
    SummaryStream(output_, context)
        << (json_ ? summary.dump() + "\n" : ImportText(summary)) << std::flush;
    return *std::move(manifest);
  }

  ClusterFlags cluster_;
  TableFlags table_;
  ImageFlags images_;
  std::optional<Interrupts> interrupts_;
  std::optional<UnpackedArchive> unpacked_;
  Json report_;                     // for a table without a document
  std::vector<std::string> notes_;  // about the guess of another format
  std::string data_, normalizer_, target_normalizer_, order_, test_fraction_;
  std::string output_, test_output_;
  std::vector<std::string> arguments_;  // arguments of a job program, after "--"
  int64_t memory_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace dl::cli
