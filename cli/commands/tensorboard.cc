// The command `tensorboard`: writes the figures of a job as an event file.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/job_query.h"
#include "cli/tensorboard/live_export.h"
#include "launch/submission.h"

namespace dl::cli {
namespace {

class TensorBoardCommand final : public Command {
 public:
  std::string_view name() const override { return "tensorboard"; }
  std::string_view json_lines() const override { return "TensorBoardFile"; }
  std::string_view summary() const override {
    return "Write the figures of a job's rounds as an event file for TensorBoard";
  }
  std::string_view examples() const override {
    return "  dl-submit tensorboard lenet5-1 -o runs\n"
           "  dl-submit tensorboard --master dl://127.0.0.1:7077 lenet5-1 -o runs --follow\n"
           "Show all jobs in the folder with: tensorboard --logdir runs";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("-o,--output", "DIR", output_,
               "Folder for the runs of TensorBoard. The file is in DIR/JOB; it replaces the file "
               "of an earlier command. Default: tensorboard.");
    flags.Switch("-f,--follow", follow_, "Append new rounds until the job ends");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return job_; }
  bool Computes() const override { return true; }  // a local job is computed while it is followed

  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session,
                        OpenSession(settings, follow_ ? kSessionToFollow : kSessionToRead));
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session.client(), job_));
    LiveExport written(session.client(), job_, output_);
    if (follow_ && !HasEnded(job)) {
      DL_RETURN_IF_ERROR(written.Update());
      DL_RETURN_IF_ERROR(ComputeJob(session, job));
      DL_RETURN_IF_ERROR(Follow(session, written));
    } else {
      DL_RETURN_IF_ERROR(written.Finish());
    }
    if (json_) {
      context.out << JsonText(Json{
                         {"job", job_}, {"file", written.path()}, {"rounds", written.rounds()}})
                  << "\n";
    } else {
      context.out << "Wrote " << written.rounds() << " rounds of " << job_ << " to "
                  << written.path() << "\nShow them with: tensorboard --logdir " << output_ << "\n";
    }
    context.out << std::flush;
    DL_RETURN_IF_ERROR(CheckOutput(context.out));
    return kSuccess;
  }

 private:
  // Appends new rounds until the job ends, and then the last ones.
  Status Follow(Session& session, LiveExport& written) const {
    const Interrupts interrupts;
    DL_ASSIGN_OR_RETURN(const int64_t newest, LatestSequence(session.client(), job_));
    launch::FollowOptions options{.after = newest, .stop = &interrupts.stop()};
    options.health = [&]() -> Status {
      DL_RETURN_IF_ERROR(session.cluster->Health());
      return written.Update();
    };
    if (const auto result = launch::FollowJob(job_, options, session.client()); !result.ok()) {
      if (interrupts.exit_code() == 0 || !absl::IsCancelled(result.status()))
        return result.status();
      return interrupts.WithSignal(
          Cancelled({.message = absl::StrCat("interrupted after round ", written.rounds()),
                     .where = written.path(),
                     .remedy = absl::StrCat("Write the file anew with: dl-submit tensorboard",
                                            session.next.run_flags, " ", job_, " -o ", output_)}));
    }
    return written.Finish();
  }

  ClusterFlags cluster_;
  std::string job_, output_ = "tensorboard";
  bool follow_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeTensorBoard() { return std::make_unique<TensorBoardCommand>(); }

}  // namespace dl::cli
