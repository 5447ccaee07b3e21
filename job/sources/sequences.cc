#include "job/sources/sequences.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/members.h"

namespace dl::job {

void ReadValue(JsonObjectReader& reader, std::string_view key, SequenceRows& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  JsonObjectReader own(*json, reader.PathOf(key));
  nn::ReadFields(own, nn::MembersOf(out));
  reader.AddErrors(own.Finish());
}

Json ToJson(const SequenceRows& rows) {
  Json json = Json::object();
  nn::WriteFields(nn::MembersOf(rows), json);
  return json;
}

void CheckValue(const nn::Field&, const SequenceRows& rows, nn::Mistakes& mistakes) {
  nn::CheckFields(nn::MembersOf(rows), mistakes);
}

void DescribeValue(const nn::Field& field, const SequenceRows& rows,
                   std::vector<nn::KeyRow>& table) {
  table.push_back(nn::RowOf(field, nn::KeyType::kObject, ToJson(rows)));
  for (nn::KeyRow& row : nn::RowsOf(nn::MembersOf(rows))) {
    row.path = absl::StrCat(std::string(field.key), ".", row.path);
    table.push_back(std::move(row));
  }
}

}  // namespace dl::job
