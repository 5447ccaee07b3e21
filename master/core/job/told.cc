#include "master/core/job/told.h"

#include "base/document_version.h"
#include "master/core/job/stored_documents.h"

namespace dl::master {

Json ToJson(const Told& told) {
  return {{"format", kToldDocument.version()}, {"last", told.last}, {"others", told.others}};
}

StatusOr<Told> ToldFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kToldDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kToldDocument, document.status(), where);
  Told told;
  JsonObjectReader reader = document->Reader();
  for (const char* key : {"last", "others"}) reader.Require(key);
  reader.Int("last", told.last, {0, INT64_MAX});
  reader.Int("others", told.others, {0, INT64_MAX});
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kToldDocument, status, where);
  return told;
}

}  // namespace dl::master
