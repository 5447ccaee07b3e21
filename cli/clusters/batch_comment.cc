#include "cli/clusters/batch_comment.h"

#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"

namespace dl::cli {
namespace {

constexpr Duration kInterval = std::chrono::seconds(30);

}  // namespace

std::string BatchCommentText(const Json& job) {
  std::string text = absl::StrCat(TextAt(job, "job"), " ", TextAt(job, "state"));
  for (const auto& [word, done, total] : {std::tuple("epoch", "epochs", "epochs_total"),
                                          std::tuple("round", "rounds", "rounds_total")}) {
    absl::StrAppend(&text, ", ", word, " ", IntegerAt(job, done), "/", IntegerAt(job, total));
  }
  const Json* metrics = Member(job, "metrics");
  const Json* train = metrics == nullptr ? nullptr : Member(*metrics, "train");
  const Json* loss = train == nullptr ? nullptr : Member(*train, "loss");
  if (loss != nullptr && loss->is_number())
    absl::StrAppend(&text, ", loss ", LossText(loss->get<double>(), 4));
  return text;
}

BatchComment::BatchComment(const launch::BatchSystem& system, std::string id,
                           rpc::ClientService& client, std::string job)
    : system_(system), id_(std::move(id)), job_(std::move(job)), client_(client) {
  thread_ = Thread("batch-comment", [this] { Run(); });
}

BatchComment::~BatchComment() {
  pause_.End();
  thread_.Join();
}

void BatchComment::Run() {
  std::string sent;
  do {
    // A master that does not answer is asked again after the pause.
    const StatusOr<Json> job = QueryJob(client_, job_);
    std::string text = job.ok() ? BatchCommentText(*job) : sent;
    if (text != sent) {
      if (const Status set = system_.SetComment(id_, text); !set.ok()) {
        LogWarning(system_.name(), " shows no progress of ", job_, ": ", DescribeError(set));
        return;
      }
      sent = std::move(text);
    }
  } while (pause_.Wait(kInterval));
}

}  // namespace dl::cli
