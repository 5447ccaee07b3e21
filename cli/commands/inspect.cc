// The command `inspect`: verifies a checkpoint and shows its content.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/compiled_network_text.h"
#include "cli/output/table.h"
#include "inference/checkpoint_reader.h"
#include "inference/round_log_reader.h"
#include "job/describe.h"
#include "nn/conf/layer_table.h"

namespace dl::cli {
namespace {

double Largest(std::span<const float> values) {
  double largest = 0;
  for (float value : values) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

Json SegmentsJson(const SegmentTable& table, std::span<const float> flat) {
  Json list = Json::array();
  for (const Segment& segment : table.segments()) {
    list.push_back({{"name", segment.name},
                    {"kind", SegmentKindName(segment.kind)},
                    {"shape", segment.shape},
                    {"size", segment.size},
                    {"largest", Largest(table.View(segment, flat))}});
  }
  return list;
}

std::string SegmentRows(const SegmentTable& table, std::span<const float> flat) {
  std::vector<std::vector<std::string>> rows = {{"SEGMENT", "KIND", "SHAPE", "VALUES", "LARGEST"}};
  for (const Segment& segment : table.segments()) {
    rows.push_back({segment.name, std::string(SegmentKindName(segment.kind)),
                    absl::StrJoin(segment.shape, "x"), absl::StrCat(segment.size),
                    absl::StrFormat("%.6g", Largest(table.View(segment, flat)))});
  }
  return RenderTable(rows);
}

Json LayersJson(const nn::ModelConfig& model) {
  const auto whole = [](double value) { return static_cast<int64_t>(std::min(value, 9e18)); };
  Json list = Json::array();
  for (const nn::LayerRow& row : nn::LayerTable(model)) {
    list.push_back({{"name", row.name},
                    {"type", row.type},
                    {"output", row.output.Shape()},
                    {"parameters", row.parameters},
                    {"flops", whole(row.flops.nominal)},
                    {"flops_unpadded", whole(row.flops.unpadded)},
                    {"kept_bytes", whole(row.kept_bytes)}});
    if (!row.parameters_of.empty()) list.back()["parameters_of"] = row.parameters_of;
  }
  return list;
}

class InspectCommand final : public Command {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view json_lines() const override { return "CheckpointContent|JobSpec|LogRecord"; }
  std::string_view summary() const override { return "Verify a checkpoint and show its content"; }
  std::string_view examples() const override {
    return "  dl-submit inspect lenet5-1          # its newest checkpoint\n"
           "  dl-submit inspect lenet5-1@470 --json\n"
           "  dl-submit inspect lenet5-1 --spec   # the job spec, to submit it again\n"
           "  dl-submit inspect lenet5-1 --log    # the round log, one record per line";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--spec", spec_, "Print only the frozen job spec");
    flags.Switch("--log", log_, "Print only the round log, as JSON lines");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  bool Computes() const override { return true; }  // compiles the network
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    if (spec_ && log_) {
      return UsageError(
          {.message = "--spec and --log exclude each other", .remedy = "Give one of them"});
    }
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    // --spec and --log refer to the job and need no checkpoint. If a checkpoint is named, it must
    // exist.
    std::string name;
    if ((spec_ || log_) && name_ == job()) {
      DL_RETURN_IF_ERROR(QueryJob(session.client(), job()).status());
    } else {
      DL_ASSIGN_OR_RETURN(name, FindCheckpoint(name_, session.client()));
    }
    if (spec_) {
      DL_ASSIGN_OR_RETURN(Json spec, QueryJson(session.client(), rpc::QueryKind::kSpec, job()));
      context.out << (json_ ? spec.dump() : spec.dump(2)) << std::endl;
      return kSuccess;
    }
    if (log_) {
      DL_RETURN_IF_ERROR(inference::ReadRoundLog(session.client(), job(), [&](const Json& record) {
        context.out << record.dump() << "\n";
      }));
      context.out << std::flush;
      return kSuccess;
    }
    DL_ASSIGN_OR_RETURN(
        inference::LoadedCheckpoint loaded,
        inference::LoadCheckpoint(name, inference::CheckpointContent::kAll, session.client()));
    DL_ASSIGN_OR_RETURN(const std::string contract,
                        inference::ContractOf(loaded, session.client()));
    if (json_) {
      Json json = loaded.info;
      json["checkpoint"] = loaded.name;
      json["state_sha256"] = loaded.state_sha256;
      json["verified"] = true;
      json["kernel_contract"] = contract;
      json["layers"] = LayersJson(loaded.spec.model);
      const CompiledNetworkReport network = ReportCompiledNetwork(loaded.spec);
      json["memory"] = network.memory_json;
      json["kernels"] = network.kernels_json;
      Json& parts = json["parts"] = Json::object();
      for (const inference::LoadedCheckpoint::Part& part : loaded.parts) {
        parts[part.key] = {{"sha256", part.sha256},
                           {"segments", SegmentsJson(part.layout->table, part.values.span())}};
      }
      context.out << json.dump() << std::endl;
      return kSuccess;
    }
    context.out << "checkpoint    " << loaded.name << "\nstate_sha256  " << loaded.state_sha256
                << "\nverified      yes\ncontract      " << contract << "\n";
    for (const inference::LoadedCheckpoint::Part& part : loaded.parts) {
      context.out << "\n"
                  << "part          " << part.key << ", " << part.layout->table.size()
                  << " values\nsha256        " << part.sha256 << "\n"
                  << SegmentRows(part.layout->table, part.values.span());
    }
    const CompiledNetworkReport network = ReportCompiledNetwork(loaded.spec);
    context.out << "\n"
                << job::Describe(loaded.spec) << network.memory << network.kernels << std::flush;
    return kSuccess;
  }

 private:
  ClusterFlags cluster_;
  std::string name_;
  bool spec_ = false, log_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeInspect() { return std::make_unique<InspectCommand>(); }

}  // namespace dl::cli
