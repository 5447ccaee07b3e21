#include "nn/conf/members.h"

#include <utility>

namespace dl::nn {

void ReadFields(JsonObjectReader& reader, const Members& members) {
  for (const Member& member : members) {
    if (member.field.presence == Field::Presence::kRequired) reader.Require(member.field.key);
    member.type->read(reader, member.field.key, member.value);
  }
}

void WriteFields(const Members& members, Json& json) {
  for (const Member& member : members)
    json[std::string(member.field.key)] = member.type->write(member.value);
}

void CheckFields(const Members& members, Mistakes& mistakes) {
  for (const Member& member : members) member.type->check(member.field, member.value, mistakes);
}

void CheckFieldsByKey(const std::string& prefix, const Members& members, Mistakes& mistakes) {
  for (const Member& member : members) {
    const std::string name = prefix + std::string(member.field.key);
    Field named = member.field;
    named.what = name;
    member.type->check(named, member.value, mistakes);
  }
}

std::vector<KeyRow> RowsOf(const Members& members) {
  std::vector<KeyRow> rows;
  for (const Member& member : members) member.type->describe(member.field, member.value, rows);
  return rows;
}

void AppendBelow(const std::string& prefix, std::vector<KeyRow> below, std::vector<KeyRow>& rows) {
  for (KeyRow& row : below) {
    row.path = prefix + row.path;
    rows.push_back(std::move(row));
  }
}

void AddForeignKeys(JsonObjectReader& reader, std::string_view type, const Members& members,
                    std::string_view type_key) {
  for (const Member& member : members)
    reader.Foreign({.key = member.field.key, .type = type, .type_key = type_key});
}

}  // namespace dl::nn
