#include "cli/jobs/submission_report.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/conf/contract_id.h"
#include "web/documents/submission_document.h"

namespace dl::cli {

void PrintSubmission(const rpc::SubmitReply& submitted, std::ostream& out) {
  Json line = web::SubmissionDocument(submitted);
  line["type"] = "submission";
  out << JsonText(line) << std::endl;
}

std::vector<std::string> ExecutorWarnings(const rpc::SubmitReply& submitted,
                                          const job::TrainingConfig& training) {
  std::vector<std::string> warnings;
  if (submitted.too_small > 0) {
    const int64_t needed = (submitted.unit_bytes >> 20) + 1;
    warnings.push_back(absl::StrCat(
        submitted.executors > 0
            ? absl::StrCat(submitted.too_small, " of ", submitted.too_small + submitted.executors,
                           " executors get no units of it")
            : "the job waits: no registered executor has enough memory for a unit of it",
        ", which takes up to ", needed, " MiB; the largest executor that is too small has ",
        submitted.largest_unit_memory >> 20, " MiB for units; start an executor with --memory ",
        2 * needed, "M or more"));
  }
  if (submitted.without_labels > 0) {
    warnings.push_back(absl::StrCat(
        submitted.executors > 0 ? absl::StrCat(submitted.without_labels, " executors")
                                : "the job waits: all registered executors",
        " lack labels that it needs; start an executor with --executor-label KEY=VALUE"));
  }
  const std::string& isa = training.isa;
  if (isa.empty() && training.precision != nn::Precision::kFloat32 && submitted.contract.empty()) {
    const std::string precision(nn::WordOf(training.precision));
    warnings.push_back(absl::StrCat("the job waits: no registered executor computes in ", precision,
                                    "; start one on a machine with ",
                                    nn::IsasOf(training.precision),
                                    ", or submit the job with --precision float32"));
  }
  if (!isa.empty() && submitted.contract.empty()) {
    warnings.push_back(absl::StrCat("the job waits: no registered executor computes with ", isa,
                                    "; start one with --isa ", isa,
                                    ", or submit it with another --isa"));
  }
  if (submitted.excluded > 0) {
    warnings.push_back(
        absl::StrCat(submitted.excluded, " of ", submitted.excluded + submitted.executors,
                     " executors get no units of it: the job computes under kernel contract ",
                     submitted.contract,
                     training.kernels == nn::KernelSet::kPortable
                         ? "; executors of other versions do not offer it"
                         : "; --isa chooses another one"));
  }
  return warnings;
}

void WarnAboutExecutors(const rpc::SubmitReply& submitted, const job::TrainingConfig& training,
                        std::ostream& err) {
  for (const std::string& warning : ExecutorWarnings(submitted, training))
    err << "warning: " << warning << std::endl;
}

}  // namespace dl::cli
