// Whether embeddings have an index for each category of the columns that they read.
#pragma once

#include "base/status.h"
#include "dataset/schema.h"
#include "nn/conf/model_config.h"

namespace dl::launch {

// A column of categories under `category_encoding` index is a number below the number of its
// categories. A category that the training set lacks is that number itself, unless the column
// refuses unknown categories. InvalidArgument names the first column for which an embedding has
// too few indices. Looks at embeddings that read features of the table directly or by way of
// `subset`, `flatten` and `reshape`.
Status CheckEmbeddingIndices(const dataset::Schema& training, const nn::ModelConfig& model);

}  // namespace dl::launch
