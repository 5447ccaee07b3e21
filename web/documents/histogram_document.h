// The newest histograms of a job's layers as the page of the model shows them.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Returns {"round","rows":[{"name","layer","of","values","quantiles":[{"value","is_inner"}]}]} of
// the newest recorded round. Layers are in the order of `model`, a ModelDocument(); layers that it
// does not have come last. "name" is that of the histogram (docs/formats.md), and "layer" and "of"
// are its parts. "values" is the number of values in the histogram. "quantiles" are the values
// below which 5, 25, 50, 75 and 95 % lie; those of 25 and 75 % are "is_inner". Returns the JSON
// null if the job has no recorded histogram. Errors are those of rpc::ClientService::Query.
StatusOr<Json> ReadNewestHistograms(rpc::ClientService& master, const std::string& job,
                                    const Json& model);

}  // namespace dl::web
