// Reads and writes documents that are stored, by a description of their keys
// (base/document_keys.h).
#pragma once

#include <string>
#include <string_view>

#include "base/document_keys.h"
#include "base/document_kind.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/status.h"

namespace dl {

// Returns an error as DataLoss without its remedy, and unchanged if a newer build wrote the
// document. Returns OK for OK. `where` names the document.
inline Status StoredDocumentError(const DocumentKind& kind, const Status& status,
                                  std::string_view where) {
  if (status.ok() || absl::IsUnimplemented(status)) return status;
  return DataLoss({.message = "the " + std::string(kind.name()) +
                              " is damaged: " + std::string(status.message()),
                   .where = std::string(where)});
}

// Returns the record in a document, whose keys `describe` names. Returns DataLoss for a damaged
// document, and VersionMismatch if a newer build wrote it.
template <typename Record, typename Describe>
StatusOr<Record> ReadDocument(const DocumentKind& kind, const Json& json, std::string_view where,
                              Describe describe) {
  const auto document = UpgradeToCurrent(kind, json, where);
  if (!document.ok()) return StoredDocumentError(kind, document.status(), where);
  JsonObjectReader reader = document->Reader();
  KeyReader keys(reader);
  Record record;
  describe(keys, record);
  if (const Status status = keys.Finish(); !status.ok())
    return StoredDocumentError(kind, status, where);
  return record;
}

// Returns the document of a record, in the current version of its kind.
template <typename Record, typename Describe>
Json WriteDocument(const DocumentKind& kind, const Record& record, Describe describe) {
  Json json = {{std::string(kind.key()), kind.version()}};
  KeyWriter keys(json);
  describe(keys, record);
  return json;
}

}  // namespace dl
