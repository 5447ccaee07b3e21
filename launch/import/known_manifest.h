// References of job specs to manifests. The manifest that a reference names is found by its hash,
// so that the output of `inspect --spec` can be submitted again.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::launch {

// Returns the reference to a manifest (canonical JSON). Errors are those of
// dataset::ManifestFromJson; `place` names the manifest in them.
StatusOr<job::ManifestReference> ReferenceTo(const std::string& manifest, std::string_view place);

// Returns the manifest (canonical JSON) with which a job of this master was submitted. Returns
// NotFound if no job has it, errors of the queries, and errors of JobFromText for the spec of a job
// that this program cannot read.
StatusOr<std::string> KnownManifest(const job::ManifestReference& reference,
                                    rpc::ClientService& client);

}  // namespace dl::launch
