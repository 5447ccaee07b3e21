#include "inference/unknown_json.h"

#include "base/json.h"
#include "base/utf8.h"

namespace dl::inference {

Json UnknownJson(const std::vector<dataset::UnknownCategories>& unknown) {
  Json list = Json::array();
  for (const dataset::UnknownCategories& column : unknown) {
    list.push_back({{"column", RepairUtf8(column.column)},
                    {"unknown", column.unknown},
                    {"values", column.values},
                    {"example", RepairUtf8(column.example)}});
  }
  return list;
}

}  // namespace dl::inference
