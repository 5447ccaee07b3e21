// The command `export`: writes a checkpoint as a file for other programs.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "dataset/manifest.h"
#include "inference/checkpoint_reader.h"
#include "inference/export/checkpoint_tensors.h"
#include "inference/export/model_facts.h"
#include "inference/export/tensors.h"
#include "inference/onnx/onnx_model.h"

namespace dl::cli {
namespace {

constexpr std::string_view kOnnx = "onnx";
constexpr std::array<std::string_view, 3> kFormats = {"safetensors", "npz", kOnnx};

// Ending of the file that describes an ONNX model, after the name of the model's file.
constexpr std::string_view kDescriptionEnding = ".json";
// Ending of the model card, after the name of the safetensors file.
constexpr std::string_view kCardEnding = ".md";
constexpr size_t kMaxLicenseBytes = 1000;
constexpr int64_t kMaxDescriptionBytes = int64_t{64} << 20;

class ExportCommand final : public Command {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view json_lines() const override { return "ExportedFile"; }
  std::string_view summary() const override {
    return "Export a checkpoint as safetensors, npz or ONNX";
  }
  std::string_view examples() const override {
    return "  dl-submit export lenet5-1 -o lenet.safetensors              # also "
           "lenet.safetensors.md\n"
           "  dl-submit export lenet5-1@best -o lenet.safetensors --license Apache-2.0\n"
           "  dl-submit export lenet5-1@470 --format npz -o lenet.npz\n"
           "  dl-submit export lenet5-1@best -o lenet.onnx                # also lenet.onnx.json\n"
           "From Python: numpy.load(\"lenet.npz\")[\"conv1.weight\"]. Shapes: convolutions "
           "[filters, channels, height, width],\n"
           "dense layers [units, inputs]. The metadata holds the model, the spec, the normalizer, "
           "classes, figures, the\n"
           "checkpoint's name and state_sha256. The .md file next to a safetensors file is a model "
           "card with these.\n"
           "An ONNX file computes what dl-submit predict computes, preprocessing included. The "
           ".json file next to it describes\n"
           "its inputs and outputs.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Choice("--format", "FORMAT", format_, {kFormats.begin(), kFormats.end()},
                 "safetensors, npz or onnx. Default: by the file name, otherwise safetensors.");
    flags.Text("-o,--output", "FILE", output_,
               "Output file; - writes to standard output. Default: JOB@ROUND with the ending of "
               "the format.");
    flags.Text(
        "--license", "TEXT", license_,
        "License of the weights, for the metadata and the model card: an identifier of SPDX, "
        "such as Apache-2.0, a name, or an address. Default: none.");
    flags.Switch("--updater-state", updater_state_, "Include the updater state");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ChooseFormat());
    DL_RETURN_IF_ERROR(CheckLicense());
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    if (output_.empty()) output_ = absl::StrCat(name, ".", format_);
    DL_RETURN_IF_ERROR(CheckDescription());
    const auto content =
        updater_state_ ? inference::CheckpointContent::kAll : inference::CheckpointContent::kModel;
    DL_ASSIGN_OR_RETURN(inference::LoadedCheckpoint loaded,
                        inference::LoadCheckpoint(name, content, session.client()));
    DL_ASSIGN_OR_RETURN(const Written written, format_ == kOnnx
                                                   ? WriteOnnx(loaded, session, context)
                                                   : WriteTensors(loaded, session, context));
    Summarize(loaded.name, written, SummaryStream(output_, context));
    return kSuccess;
  }

 private:
  Status CheckLicense() const {
    const bool is_line =
        license_.size() <= kMaxLicenseBytes && IsUtf8(license_) &&
        std::ranges::none_of(license_, [](char c) { return absl::ascii_iscntrl(c); });
    if (is_line) return absl::OkStatus();
    return UsageError({.message = absl::StrCat("a license is one line of at most ",
                                               kMaxLicenseBytes, " bytes of UTF-8"),
                       .where = "--license",
                       .remedy = "Name it, such as Apache-2.0, or give its address"});
  }

  // Chooses the format by the ending of the file. An unknown ending is an error unless --format is
  // given.
  Status ChooseFormat() {
    const std::string ending = std::filesystem::path(output_).extension().string();
    const bool is_format = ending.size() > 1 && absl::ascii_isalpha(ending[1]);
    const bool known = is_format && std::ranges::find(kFormats, ending.substr(1)) != kFormats.end();
    const bool contradicts = known && !format_.empty() && ending != "." + format_;
    if (contradicts || (is_format && !known && format_.empty())) {
      return UsageError(
          {.message = contradicts
                          ? absl::StrCat("the file ends in ", ending, ", and --format is ", format_)
                          : absl::StrCat("a checkpoint is not written as ", ending),
           .where = output_,
           .remedy = "Name a file that ends in .safetensors, .npz or .onnx; with --format, any "
                     "other ending is allowed"});
    }
    if (format_.empty()) format_ = known ? ending.substr(1) : std::string(kFormats.front());
    if (updater_state_ && format_ == kOnnx) {
      return UsageError({.message = "an ONNX file has no place for the updater state",
                         .where = "--updater-state",
                         .remedy = "Leave it out, or export with --format safetensors"});
    }
    return absl::OkStatus();
  }

  // Returns the name of the file that describes the output, or "" if there is none.
  std::string DescriptionName() const {
    if (output_ == "-" || format_ == "npz") return "";
    return absl::StrCat(output_, std::string(format_ == kOnnx ? kDescriptionEnding : kCardEnding));
  }

  // The user names the file of the weights, which is replaced. The file that describes it has a
  // name that the user may not expect, so it is replaced only if it is the work of this command.
  Status CheckDescription() const {
    const std::string path = DescriptionName();
    std::error_code ignored;
    if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxDescriptionBytes));
    bool is_own = false;
    if (format_ == kOnnx) {
      const StatusOr<Json> json = ParseJson(text, path);
      is_own = json.ok() && json->is_object() && json->contains("checkpoint") &&
               json->contains("state_sha256");
    } else {
      is_own = inference::IsUnchangedCard(text);
    }
    if (is_own) return absl::OkStatus();
    return MakeError(absl::StatusCode::kAlreadyExists,
                     {.message = "this file would be replaced, and dl-submit export did not write "
                                 "it, or it was changed since",
                      .where = path,
                      .remedy = "Move it away, or name another file with -o"});
  }

  // What was written: number of tensors, bytes of the file, and the files that describe it.
  struct Written {
    size_t tensors = 0;
    uint64_t bytes = 0;
    std::string description = {};  // of an ONNX file; empty if there is none
    std::string card = {};         // of a safetensors file; empty if there is none
  };

  // Writes the file of -o and returns its size.
  StatusOr<uint64_t> WriteCounted(ByteContent content, Context& context) const {
    uint64_t bytes = 0;
    const auto write = [&](ByteSink sink) {
      return content([&](std::string_view piece) {
        bytes += piece.size();
        return sink(piece);
      });
    };
    DL_RETURN_IF_ERROR(WriteOutput(output_, write, context));
    return bytes;
  }

  StatusOr<Written> WriteTensors(const inference::LoadedCheckpoint& loaded, Session& session,
                                 Context& context) {
    DL_ASSIGN_OR_RETURN(const inference::ModelFacts facts,
                        inference::ReadFacts(loaded, session.client(), license_));
    const inference::TensorFile file = {.tensors = inference::TensorsOf(loaded),
                                        .metadata = inference::MetadataOf(facts)};
    const bool is_npz = format_ == "npz";
    const auto write = [&](ByteSink sink) {
      return is_npz ? inference::WriteNpz(file, sink) : inference::WriteSafetensors(file, sink);
    };
    DL_ASSIGN_OR_RETURN(const uint64_t bytes, WriteCounted(write, context));
    Written written{.tensors = file.tensors.size(), .bytes = bytes};
    written.card = DescriptionName();
    if (written.card.empty()) return written;
    const std::string card =
        inference::ModelCard(facts, file, std::filesystem::path(output_).filename().string());
    DL_RETURN_IF_ERROR(WriteOutput(
        written.card, [&](ByteSink sink) { return sink(card); }, context));
    return written;
  }

  StatusOr<Written> WriteOnnx(const inference::LoadedCheckpoint& loaded, Session& session,
                              Context& context) {
    DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                        QueryTrainingManifest(session.client(), job()));
    const inference::LoadedCheckpoint::Part& part = loaded.model();
    DL_ASSIGN_OR_RETURN(
        const inference::OnnxModel model,
        inference::OnnxModel::Create({.model = loaded.spec.model,
                                      .table = part.layout->table,
                                      .weights = part.values.span(),
                                      .schema = training.schema,
                                      .normalizer = training.normalizer,
                                      .target_normalizer = training.target_normalizer}));
    DL_ASSIGN_OR_RETURN(const inference::ModelFacts facts,
                        inference::ReadFacts(loaded, session.client(), license_));
    std::map<std::string, std::string> metadata = inference::MetadataOf(facts);
    Json description = model.Description();
    metadata["description"] = JsonText(description);
    DL_ASSIGN_OR_RETURN(
        const uint64_t bytes,
        WriteCounted([&](ByteSink sink) { return model.Write(metadata, sink); }, context));
    Written written{.tensors = model.weights(), .bytes = bytes};
    written.description = DescriptionName();
    if (written.description.empty()) return written;
    description["checkpoint"] = loaded.name;
    description["state_sha256"] = loaded.state_sha256;
    DL_RETURN_IF_ERROR(WriteOutput(
        written.description, [&](ByteSink sink) { return sink(JsonText(description) + "\n"); },
        context));
    return written;
  }

  void Summarize(const std::string& checkpoint, const Written& written, std::ostream& out) const {
    if (json_) {
      Json json = {{"checkpoint", checkpoint},
                   {"file", output_},
                   {"format", format_},
                   {"tensors", written.tensors},
                   {"bytes", written.bytes}};
      if (!written.description.empty()) json["description_file"] = written.description;
      if (!written.card.empty()) json["card_file"] = written.card;
      out << json.dump() << std::endl;
      return;
    }
    out << "wrote " << output_ << ": " << checkpoint << ", " << written.tensors << " tensors, "
        << written.bytes << " bytes" << std::endl;
    if (!written.description.empty())
      out << "wrote " << written.description << ": its inputs and outputs" << std::endl;
    if (!written.card.empty()) out << "wrote " << written.card << ": its model card" << std::endl;
  }

  ClusterFlags cluster_;
  std::string name_, format_, output_, license_;
  bool updater_state_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeExport() { return std::make_unique<ExportCommand>(); }

}  // namespace dl::cli
