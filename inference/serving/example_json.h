// Describes an example of a dataset in a form that people can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "dataset/block.h"
#include "dataset/schema.h"
#include "web/model_service.h"

namespace dl::inference {

// Returns whether examples are shown as pictures: arrays [channels, height, width] of 1 or 3
// channels.
bool IsImage(const dataset::Schema& schema);

// Returns the example as the bytes of a PNG file. Its sides are reduced to at most 256 pixels by
// leaving out rows and columns. Values in float32 are scaled from the range of the example to 0 to
// 255. REQUIRES: IsImage(schema).
std::string ExamplePng(const dataset::Block& block, const dataset::Schema& schema, size_t example);

// Returns an object for the example at this index of the block:
//
// - "id": its number in the source.
// - For images "image": the PNG file of ExamplePng as a data: URL, or "has_image": true with
//   SampleImages::kLeftOut.
// - Otherwise "values": an object by column for tables with names, else a list of at most 4,096
//   numbers. Categories are given by name, and dates as DateText (inference/serving/date_text.h).
//   Missing numbers, dates and categories are null, and so are categories that the training set
//   lacks. Blocks of earlier builds have the value that replaces a missing number or date.
// - Texts have "values" and also "text": the text of at most 1,000 tokens.
// - "label": the name or number of the class, or a list for several labels. A single target is a
//   value; several targets are an object by column if all have names, else a list. null for an
//   unknown class. Absent if the data has no labels.
// - "weight", and "length" of sequences, if the examples have them.
Json ExampleJson(const dataset::Block& block, const dataset::Schema& schema, size_t example,
                 web::SampleImages images);

// Returns the names of the columns of a table in order, as they are in "values" of ExampleJson. An
// empty list if the columns have no names.
Json ColumnNames(const dataset::Schema& schema);

// Returns the name of a class, its number if it has no name, or null for a negative number.
Json ClassJson(int32_t label, const std::vector<std::string>& names);

}  // namespace dl::inference
