// The model of a checkpoint as a file that is read from the master while it is written.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Opens the file that `dl-submit export` writes for checkpoint `name` (LoadCheckpoint). Its parts
// are fetched and verified while it is written. Errors are those of DescribeCheckpoint,
// PartReader::Open and ReadFacts. `client` must outlive the result.
StatusOr<web::ModelFile> OpenSafetensors(rpc::ClientService& client, const std::string& name);

}  // namespace dl::inference
