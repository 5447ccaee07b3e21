#include "master/core/job/told.h"

#include <string>

namespace dl::master {

Json ToJson(const Told& told) {
  return {{"format", 1}, {"last", told.last}, {"others", told.others}};
}

StatusOr<Told> ToldFromJson(const Json& json, std::string_view where) {
  Told told;
  JsonObjectReader reader(json, "");
  for (const char* key : {"format", "last", "others"}) reader.Require(key);
  int64_t format = 1;
  reader.Int("format", format, {1, 1});
  reader.Int("last", told.last, {0, INT64_MAX});
  reader.Int("others", told.others, {0, INT64_MAX});
  if (Status status = reader.Finish(); !status.ok()) {
    return DataLoss(
        {.message = "what is stored of a job's events is damaged: " + std::string(status.message()),
         .where = std::string(where)});
  }
  return told;
}

}  // namespace dl::master
