#include "cli/jobs/submission_report.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::cli {

void PrintSubmission(const rpc::SubmitReply& submitted, std::ostream& out) {
  out << Json{{"job", submitted.job},
              {"kernel_contract", submitted.contract},
              {"executors", submitted.executors},
              {"slots", submitted.slots},
              {"excluded", submitted.excluded},
              {"too_small", submitted.too_small},
              {"without_labels", submitted.without_labels},
              {"unit_memory_bytes", submitted.unit_bytes}}
             .dump()
      << std::endl;
}

void WarnAboutExecutors(const rpc::SubmitReply& submitted, const std::string& isa,
                        std::ostream& err) {
  if (submitted.too_small > 0) {
    const int64_t needed = (submitted.unit_bytes >> 20) + 1;
    err << "warning: "
        << (submitted.executors > 0
                ? absl::StrCat(submitted.too_small, " of ",
                               submitted.too_small + submitted.executors,
                               " executors get no units of it")
                : "the job waits: no registered executor has enough memory for a unit of it")
        << ", which takes up to " << needed << " MiB; the largest executor "
        << "that is too small has " << (submitted.largest_unit_memory >> 20)
        << " MiB for units; start an executor with --memory " << 2 * needed << "M or more"
        << std::endl;
  }
  if (submitted.without_labels > 0) {
    err << "warning: "
        << (submitted.executors > 0 ? absl::StrCat(submitted.without_labels, " executors")
                                    : "the job waits: all registered executors")
        << " lack labels that it needs; start an executor with --executor-label KEY=VALUE"
        << std::endl;
  }
  if (!isa.empty() && submitted.contract.empty()) {
    err << "warning: the job waits: no registered executor computes with " << isa
        << "; start one with --isa " << isa << ", or submit it with another --isa" << std::endl;
  }
  if (submitted.excluded > 0) {
    err << "warning: " << submitted.excluded << " of " << submitted.excluded + submitted.executors
        << " executors get no units of it: the job computes under kernel contract "
        << submitted.contract << "; --isa chooses another one" << std::endl;
  }
}

}  // namespace dl::cli
