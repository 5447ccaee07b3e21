#include "web/documents/submission_document.h"

#include "base/json.h"
#include "rpc/client_messages.h"

namespace dl::web {

Json SubmissionDocument(const rpc::SubmitReply& submitted) {
  return {{"job", submitted.job},
          {"kernel_contract", submitted.contract},
          {"executor_count", submitted.executors},
          {"slots", submitted.slots},
          {"excluded_count", submitted.excluded},
          {"excluded_for_memory_count", submitted.too_small},
          {"excluded_for_labels_count", submitted.without_labels},
          {"unit_memory_bytes", submitted.unit_bytes}};
}

}  // namespace dl::web
