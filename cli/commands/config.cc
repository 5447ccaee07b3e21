// The command `config`: shows all settings and their origins.
#include <ostream>

#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_flags.h"
#include "cli/output/table.h"
#include "launch/daemons/state_dir.h"

namespace dl::cli {
namespace {

class ConfigCommand final : public Command {
 public:
  std::string_view name() const override { return "config"; }
  std::string_view json_lines() const override { return "Setting"; }
  std::string_view summary() const override {
    return "Show all settings in force and their origins";
  }
  std::string_view examples() const override {
    return "  dl-submit config show --origin\n"
           "  dl-submit config show lenet_fashion_mnist --epochs 1 --origin\n"
           "Precedence: flag > --set > DL_* environment > --config file > "
           "~/.config/paravane/config.json > job > built-in.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("ACTION", action_, "show", Flags::Need::kRequired);
    flags.SetCompletions("ACTION", {"show"});
    job_.Declare(flags, Flags::Need::kOptional);
    cluster_.Declare(flags);
    flags.Switch("--origin", origin_, "Show the origin of each setting");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  StatusOr<int> Run(Context& context) override {
    if (action_ != "show") {
      return UsageError({.message = "config has the action show, not \"" + action_ + "\"",
                         .where = "dl-submit config",
                         .remedy = "dl-submit config show --origin"});
    }
    DL_ASSIGN_OR_RETURN(Settings settings, job_.Resolve(context, cluster_));
    DL_ASSIGN_OR_RETURN(std::string data_dir, launch::StateDir(settings.data_dir.value));
    std::vector<ShownSetting> shown;
    for (const PlaceKey& place : PlaceKeys()) {
      const Setting& setting = settings.*place.setting;
      const std::string& value = place.key == "data_dir" ? data_dir : setting.value;
      shown.push_back({std::string(place.key), value, setting.origin});
    }
    if (job_.job.empty()) {
      // The last value of a key wins, as when settings are applied.
      std::map<std::string, Setting> last;
      for (const JobSetting& job : settings.job) last[job.path] = job.setting;
      for (const auto& [path, setting] : last)
        shown.push_back({path, setting.value, setting.origin});
    } else {
      DL_ASSIGN_OR_RETURN(PreparedJob prepared, PrepareJob(context, job_, settings));
      for (ShownSetting& setting :
           ExplainJob(settings, job::ToJson(prepared.spec), prepared.written, prepared.author)) {
        shown.push_back(std::move(setting));
      }
    }
    Print(shown, context);
    return kSuccess;
  }

 private:
  void Print(const std::vector<ShownSetting>& shown, Context& context) {
    std::vector<std::vector<std::string>> rows = {{"KEY", "VALUE"}};
    if (origin_) rows.front().push_back("ORIGIN");
    for (const ShownSetting& setting : shown) {
      if (json_) {
        context.out << Json{{"key", setting.key},
                            {"value", setting.value},
                            {"origin", setting.origin}}
                           .dump()
                    << "\n";
        continue;
      }
      rows.push_back({setting.key, setting.value});
      if (origin_) rows.back().push_back(setting.origin);
    }
    if (!json_) context.out << RenderTable(rows);
    context.out << std::flush;
  }

  ClusterFlags cluster_;
  JobFlags job_;
  std::string action_;
  bool origin_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeConfig() { return std::make_unique<ConfigCommand>(); }

}  // namespace dl::cli
