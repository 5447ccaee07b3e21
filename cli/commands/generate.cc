// The command `generate`: continues a text with a language model.
#include "inference/generate.h"

#include <cmath>
#include <ostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "dataset/manifest.h"
#include "inference/checkpoint_reader.h"
#include "inference/language_model.h"

namespace dl::cli {
namespace {

constexpr double kMaxTemperature = 100;

class GenerateCommand final : public Command {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view json_lines() const override { return "GeneratedText"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override { return "Generate text with a language model"; }
  std::string_view examples() const override {
    return "  dl-submit generate shakespeare-1@best --prompt \"To be, \" --length 500\n"
           "  dl-submit generate shakespeare-1 --prompt Once --temperature 0.8 --top-k 40 --seed "
           "7\n"
           "The prompt is split into text tokens like the training set. The model sees the last "
           "tokens, at most as many as\n"
           "a training example has. The same command prints the same text.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--prompt", "TEXT", prompt_, "Text that the model continues");
    flags.Integer("--length", "N", length_,
                  "Number of text tokens to generate: characters, words or bytes. Default: 200.", 1,
                  limits::kMaxTextTokens);
    flags.Text("--temperature", "T", temperature_,
               "Sampling temperature; 0 selects the most probable token. Default: 1.");
    flags.Integer("--top-k", "K", top_k_,
                  "Sample only from the K most probable tokens; 0 samples from all. Default: 0.", 0,
                  limits::kMaxClasses);
    flags.Integer("--seed", "N", seed_, "Seed for sampling. Default: 1.", 0, INT64_MAX);
    flags.Switch("--json", json_, "Print the complete text as JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const double temperature, CheckFlags());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(
        inference::LoadedCheckpoint checkpoint,
        inference::LoadCheckpoint(name, inference::CheckpointContent::kModel, session.client()));
    auto model = Compile(checkpoint, session.client());
    if (absl::IsFailedPrecondition(model.status())) return WithExitCode(model.status(), kFailed);
    DL_RETURN_IF_ERROR(model.status());
    std::string text;
    const auto write = [&](std::string_view piece) {
      text += piece;
      std::ostream& out = context.data == nullptr ? context.out : *context.data;
      if (!json_) out << piece << std::flush;
      return CheckOutput(out);
    };
    const auto tokens =
        inference::GenerateText(**model, {.prompt = prompt_,
                                          .length = length_,
                                          .sampling = {.temperature = temperature, .top_k = top_k_},
                                          .seed = static_cast<uint64_t>(seed_),
                                          .write = write});
    if (absl::IsInvalidArgument(tokens.status())) return WithExitCode(tokens.status(), kUsage);
    if (absl::IsFailedPrecondition(tokens.status())) return WithExitCode(tokens.status(), kFailed);
    DL_RETURN_IF_ERROR(tokens.status());
    if (json_) {
      context.out << JsonText({{"checkpoint", checkpoint.name},
                               {"kernel_contract", (*model)->kernel_contract()},
                               {"prompt", prompt_},
                               {"prompt_tokens", *tokens},
                               {"tokens", length_},
                               {"text", text.substr(prompt_.size())}});
    }
    context.out << std::endl;
    DL_RETURN_IF_ERROR(CheckOutput(context.out));
    return kSuccess;
  }

 private:
  // Checks the flags and returns the temperature.
  StatusOr<double> CheckFlags() const {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    if (prompt_.empty()) {
      return UsageError({.message = "generate needs a text to continue",
                         .remedy = "Give a prompt: --prompt \"Once upon\""});
    }
    double temperature = 1;
    if (!temperature_.empty() && (!absl::SimpleAtod(temperature_, &temperature) ||
                                  !(temperature >= 0 && temperature <= kMaxTemperature))) {
      return UsageError(
          {.message = absl::StrCat("--temperature ", temperature_, " is not a number from 0 to ",
                                   kMaxTemperature),
           .remedy = "Use 0 for the most probable token, 1 for the probabilities of the model"});
    }
    return temperature;
  }

  StatusOr<std::unique_ptr<inference::LanguageModel>> Compile(
      const inference::LoadedCheckpoint& checkpoint, rpc::ClientService& client) const {
    DL_ASSIGN_OR_RETURN(const dataset::Manifest training, QueryTrainingManifest(client, job()));
    DL_ASSIGN_OR_RETURN(const std::string contract, inference::ContractOf(checkpoint, client));
    return inference::LanguageModel::Create(checkpoint, training, contract);
  }

  ClusterFlags cluster_;
  std::string name_, prompt_, temperature_;
  int64_t length_ = 200, top_k_ = 0, seed_ = 1;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeGenerate() { return std::make_unique<GenerateCommand>(); }

}  // namespace dl::cli
