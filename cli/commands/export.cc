// The command `export`: writes a checkpoint as a file for other programs.
#include <filesystem>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "inference/checkpoint_reader.h"
#include "inference/export/tensors.h"
#include "nn/conf/model_json.h"

namespace dl::cli {
namespace {

void AddSegments(const SegmentTable& table, std::span<const float> flat, const std::string& prefix,
                 inference::TensorFile& file) {
  for (const Segment& segment : table.segments()) {
    file.tensors.push_back({prefix + segment.name, segment.shape, table.View(segment, flat)});
  }
}

class ExportCommand final : public Command {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override { return "Export a checkpoint as safetensors or npz"; }
  std::string_view examples() const override {
    return "  dl-submit export lenet5-1 -o lenet.safetensors\n"
           "  dl-submit export lenet5-1@470 --format npz -o lenet.npz\n"
           "From Python: numpy.load(\"lenet.npz\")[\"conv1.weight\"]. Shapes: convolutions "
           "[filters, channels, height, width],\n"
           "dense layers [units, inputs]. The metadata holds the model, the normalizer, the "
           "checkpoint's name and state_sha256.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Choice("--format", "FORMAT", format_, {"safetensors", "npz"},
                 "safetensors or npz. Default: by the file name, otherwise safetensors.");
    flags.Text("-o,--output", "FILE", output_,
               "Output file; - writes to standard output. Default: JOB@ROUND with the ending of "
               "the format.");
    flags.Switch("--updater-state", updater_state_, "Include the updater state");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ChooseFormat());
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    const auto content =
        updater_state_ ? inference::CheckpointContent::kAll : inference::CheckpointContent::kModel;
    DL_ASSIGN_OR_RETURN(inference::LoadedCheckpoint loaded,
                        inference::LoadCheckpoint(name, content, session.client()));
    const inference::TensorFile file = FileOf(loaded, session);
    if (output_.empty()) output_ = absl::StrCat(loaded.name, ".", format_);
    uint64_t bytes = 0;
    const auto write = [&](ByteSink sink) {
      const auto counted = [&](std::string_view piece) {
        bytes += piece.size();
        return sink(piece);
      };
      return format_ == "npz" ? inference::WriteNpz(file, counted)
                              : inference::WriteSafetensors(file, counted);
    };
    DL_RETURN_IF_ERROR(WriteOutput(output_, write, context));
    std::ostream& summary = SummaryStream(output_, context);
    if (json_) {
      summary << Json{{"checkpoint", loaded.name},
                      {"file", output_},
                      {"format", format_},
                      {"tensors", file.tensors.size()},
                      {"bytes", bytes}}
                     .dump()
              << std::endl;
    } else {
      summary << "wrote " << output_ << ": " << loaded.name << ", " << file.tensors.size()
              << " tensors, " << bytes << " bytes" << std::endl;
    }
    return kSuccess;
  }

 private:
  // Chooses the format by the ending of the file. An unknown ending is an error unless --format is
  // given.
  Status ChooseFormat() {
    const std::string ending = std::filesystem::path(output_).extension().string();
    const bool is_format = ending.size() > 1 && absl::ascii_isalpha(ending[1]);
    const bool known = ending == ".npz" || ending == ".safetensors";
    const bool contradicts = known && !format_.empty() && ending != "." + format_;
    if (contradicts || (is_format && !known && format_.empty())) {
      return UsageError(
          {.message = contradicts
                          ? absl::StrCat("the file ends in ", ending, ", and --format is ", format_)
                          : absl::StrCat("a checkpoint is not written as ", ending),
           .where = output_,
           .remedy = "Name a file that ends in .safetensors or .npz; with --format, any other "
                     "ending is allowed"});
    }
    if (format_.empty()) format_ = ending == ".npz" ? "npz" : "safetensors";
    return absl::OkStatus();
  }

  inference::TensorFile FileOf(const inference::LoadedCheckpoint& loaded, Session& session) {
    inference::TensorFile file;
    for (const inference::LoadedCheckpoint::Part& part : loaded.parts) {
      const averaging::StateLayout& layout = loaded.strategy->layout();
      // The tensors get a prefix if other parts have the same names: parts of workers, and a model
      // that also has a moving average.
      const bool prefixed = part.layout->scope == averaging::PartScope::kWorker ||
                            (part.layout == &layout.model() && part.layout != &layout.evaluated());
      AddSegments(part.layout->table, part.values.span(),
                  prefixed ? absl::StrCat(part.key, "/") : "", file);
    }
    file.metadata = {{"checkpoint", loaded.name},
                     {"state_sha256", loaded.state_sha256},
                     {"model", nn::ToJson(loaded.spec.model).dump()}};
    // Inputs must be shifted by their origins and normalized before the weights can be used.
    auto manifest = QueryJson(session.client(), rpc::QueryKind::kTrainManifest, job());
    if (manifest.ok()) {
      for (const char* key : {"normalizer", "target_normalizer"}) {
        if (const Json* normalizer = Member(*manifest, key))
          file.metadata[key] = normalizer->dump();
      }
      for (const char* key : {"origins", "target_origins"}) {
        if (const Json* origins = Member(manifest->at("schema"), key))
          file.metadata[key] = origins->dump();
      }
    }
    return file;
  }

  ClusterFlags cluster_;
  std::string name_, format_, output_;
  bool updater_state_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeExport() { return std::make_unique<ExportCommand>(); }

}  // namespace dl::cli
