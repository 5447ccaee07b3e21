// The command `version`: shows the versions of program, protocol, formats and kernel contracts.
#include "launch/version.h"

#include <ostream>

#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "job/job_spec.h"
#include "launch/kernel_contracts.h"
#include "nn/conf/model_json.h"
#include "rpc/protocol_version.h"

namespace dl::cli {
namespace {

class VersionCommand final : public Command {
 public:
  std::string_view name() const override { return "version"; }
  std::string_view json_lines() const override { return "ProgramVersion"; }
  std::string_view summary() const override {
    return "Print the versions of the program, protocol, formats and kernel contracts";
  }
  std::string_view examples() const override { return "  dl-submit version --json"; }
  void Declare(Flags& flags) override { flags.Switch("--json", json_, "Print JSON"); }
  StatusOr<int> Run(Context& context) override {
    const std::vector<std::string> contracts = launch::KernelContracts();
    if (json_) {
      context.out << Json{{"version", launch::kVersion},
                          {"protocol", rpc::kProtocolVersion},
                          {"formats",
                           {{"job", job::kJobDocument.version()},
                            {"model", nn::kModelDocument.version()}}},
                          {"kernel_contracts", contracts}}
                         .dump()
                  << std::endl;
      return kSuccess;
    }
    context.out << "paravane         " << launch::kVersion << "\nprotocol         "
                << rpc::kProtocolVersion << "\njob format       " << job::kJobDocument.version()
                << "\nmodel format     " << nn::kModelDocument.version() << "\n";
    for (const std::string& contract : contracts)
      context.out << "kernel contract  " << contract << "\n";
    context.out << std::flush;
    return kSuccess;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeVersion() { return std::make_unique<VersionCommand>(); }

}  // namespace dl::cli
