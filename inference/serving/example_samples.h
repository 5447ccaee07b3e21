// Examples of a job's data in a form that people can read.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Returns {"set", "first", "examples", "columns", "samples"} for examples in stored order. A sample
// has the members of ExampleJson, and its "index" in this order. "columns" is ColumnNames. Errors
// are those of web::ModelService::Samples.
StatusOr<std::string> ExampleSamples(rpc::ClientService& client, const web::SampleRequest& request);

// Returns an example as the bytes of a PNG file. Errors are those of web::ModelService::Picture.
StatusOr<std::string> ExamplePicture(rpc::ClientService& client,
                                     const web::PictureRequest& request);

}  // namespace dl::inference
