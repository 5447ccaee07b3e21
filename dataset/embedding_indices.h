// Checks that embeddings read indices, and have an index for each category of the columns that they
// read.
#pragma once

#include "base/status.h"
#include "dataset/manifest.h"
#include "dataset/schema.h"
#include "nn/conf/model_config.h"

namespace dl::dataset {

// With `category_encoding` index, a value is the number of its category. A category that the
// training set lacks has the next number after the last category, unless the column refuses unknown
// categories. Returns InvalidArgument for the first column for which an embedding has too few
// indices. Checks only embeddings that read features of the table directly or through `subset`,
// `flatten` and `reshape`.
Status CheckEmbeddingIndices(const Schema& training, const nn::ModelConfig& model);

// Returns InvalidArgument if the normalizer of the training set changes features that an embedding
// reads as indices. Normalizers leave columns of categories unchanged. Checks the same embeddings
// as CheckEmbeddingIndices.
Status CheckIndicesAreNotNormalized(const Manifest& training, const nn::ModelConfig& model);

}  // namespace dl::dataset
