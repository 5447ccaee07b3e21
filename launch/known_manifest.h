// The manifest behind a reference of a job spec: what `inspect --spec` prints can be submitted
// again.
#pragma once

#include <string>

#include "base/status.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::launch {

// The manifest (canonical JSON) that some job of this master was submitted with. NotFound when no
// job has it.
StatusOr<std::string> KnownManifest(const job::ManifestReference& reference,
                                    rpc::ClientService& client);

}  // namespace dl::launch
