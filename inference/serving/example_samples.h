// Examples of a job's data in a form that people can read.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Returns {"set", "first", "examples", "samples"} for examples in stored order. A sample has:
//
// - "id": its number in the source.
// - "image": a data address of a PNG for images of 1 or 3 channels, whose sides were reduced to at
//   most 256 pixels by leaving out rows and columns. Otherwise "values": an object by column for
//   tables with names, else a list of at most 4,096 numbers. Categories are given by name, dates as
//   DateText (inference/serving/date_text.h), and missing categories as null.
// - "label": the name or number of the class, a list for several labels, or an object or a list of
//   the targets. Absent if the data has no labels.
// - "weight", and "length" of sequences, if the examples have them.
//
// Errors are those of web::ModelService::Samples.
StatusOr<std::string> ExampleSamples(rpc::ClientService& client, const web::SampleRequest& request);

}  // namespace dl::inference
