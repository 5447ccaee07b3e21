// The kinds of documents that are stored or written by users, with their readers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/document_kind.h"
#include "base/json.h"
#include "base/status.h"

namespace dl::golden {

struct KindRow {
  std::string constant;  // name of the constant in the code
  const DocumentKind* kind;
  // Reads a document with the reader of its kind and writes it again.
  std::function<StatusOr<Json>(const Json&)> read;
};

const std::vector<KindRow>& Kinds();

}  // namespace dl::golden
