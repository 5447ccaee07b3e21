// import: a dataset into blocks on a master.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/data_output.h"
#include "cli/dataset_document.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/job_query.h"
#include "cli/job_source.h"
#include "cli/json_fields.h"
#include "cli/session.h"
#include "launch/submission.h"

namespace dl::cli {
namespace {

Json SummaryOf(const std::string& split, const std::string& manifest, const Json& json) {
  const Json* schema = Member(json, "schema");
  const Json* blocks = Member(json, "blocks");
  int64_t bytes = 0;
  if (blocks != nullptr) {
    for (const Json& block : *blocks) bytes += IntegerAt(block, "bytes");
  }
  Json summary = {{"split", split},
                  {"manifest_sha256", Sha256Hex(manifest)},
                  {"examples", IntegerAt(json, "examples")},
                  {"blocks", blocks == nullptr ? 0 : blocks->size()},
                  {"bytes", bytes}};
  if (schema != nullptr) summary["schema"] = *schema;
  if (const Json* histogram = Member(json, "class_histogram"))
    summary["class_histogram"] = *histogram;
  if (const Json* normalizer = Member(json, "normalizer")) summary["normalizer"] = *normalizer;
  return summary;
}

std::string ForPeople(const Json& summary) {
  std::string text =
      absl::StrCat(TextAt(summary, "split"), "\n  manifest  ", TextAt(summary, "manifest_sha256"),
                   "\n  examples  ", IntegerAt(summary, "examples"), "\n  blocks    ",
                   IntegerAt(summary, "blocks"), ", ", IntegerAt(summary, "bytes"), " bytes\n");
  for (const char* key : {"schema", "class_histogram", "normalizer"}) {
    if (const Json* value = Member(summary, key)) {
      std::string line = value->dump();
      constexpr size_t kLongest = 160;
      if (line.size() > kLongest) line = line.substr(0, kLongest) + "…";
      absl::StrAppend(&text, "  ", key, "  ", line, "\n");
    }
  }
  return text;
}

class ImportCommand final : public Command {
 public:
  std::string_view name() const override { return "import"; }
  std::string_view summary() const override {
    return "Read a dataset into checksummed blocks and upload what the master lacks";
  }
  std::string_view examples() const override {
    return "  dl-submit import iris.json --normalizer standardize   # {\"format\": \"csv\", "
           "\"path\": \"iris.csv\"}\n"
           "  dl-submit import lenet_fashion_mnist --master dl://127.0.0.1:7077\n"
           "run and submit import by themselves; an unchanged source is read once.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("DATA", data_, "A .json file with a dataset, or a job as run takes it",
                     Flags::Need::kRequired);
    flags.Rest(arguments_);
    cluster_.Declare(flags);
    flags.Choice("--normalizer", "KIND", normalizer_, {"none", "standardize", "min_max"},
                 "none, standardize or min_max, instead of the document's");
    flags.Text("-o,--output", "FILE", output_,
               "Also write the manifest of the (training) set; -: to standard output");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(JobSource source, FindJob(data_, context.program_folder));
    source.arguments = arguments_;
    DL_ASSIGN_OR_RETURN(Json document, ReadJobDocument(source, Spawner::Real(), context.err));
    DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, source.path));
    if (!normalizer_.empty()) {
      DL_ASSIGN_OR_RETURN(datasets.normalizer, ParseNormalizer(normalizer_));
    }
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToStore));
    DL_ASSIGN_OR_RETURN(std::string train,
                        Import(datasets.train, datasets.normalizer, "", session, context, "train"));
    if (!output_.empty()) DL_RETURN_IF_ERROR(WriteOutput(output_, train, context));
    if (datasets.test) {
      DL_RETURN_IF_ERROR(
          Import(*datasets.test, datasets.normalizer, train, session, context, "test").status());
    }
    return kSuccess;
  }

 private:
  StatusOr<std::string> Import(const job::DatasetSpec& dataset, job::NormalizerChoice normalizer,
                               const std::string& training_manifest, Session& session,
                               Context& context, const std::string& split) {
    const Interrupts interrupts;
    launch::ImportOptions options{.stop = &interrupts.stop()};
    if (!session.data_dir.empty()) options.cache_dir = session.data_dir + "/imports";
    if (!json_)
      options.progress = [&](const std::string& line) { context.err << line << std::endl; };
    auto manifest =
        launch::ImportDataset(dataset, normalizer, training_manifest, options, session.client());
    if (!manifest.ok()) return AsDataError(interrupts.WithSignal(manifest.status()));
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(*manifest, "manifest"));
    const Json summary = SummaryOf(split, *manifest, json);
    SummaryStream(output_, context)
        << (json_ ? summary.dump() + "\n" : ForPeople(summary)) << std::flush;
    return *std::move(manifest);
  }

  ClusterFlags cluster_;
  std::string data_, normalizer_, output_;
  std::vector<std::string> arguments_;  // of a job program, behind "--"
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace dl::cli
