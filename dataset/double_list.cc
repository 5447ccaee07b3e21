#include "dataset/double_list.h"

#include "base/json.h"

namespace dl::dataset {

void ReadDoubles(JsonObjectReader& reader, std::string_view key, std::vector<double>& out) {
  const Json* list = reader.Child(key);
  if (list == nullptr) return;
  if (!list->is_array()) return reader.AddError(key, "must be a list of numbers");
  for (const Json& item : *list) {
    if (!item.is_number()) return reader.AddError(key, "must be a list of numbers");
    out.push_back(item.get<double>());
  }
}

}  // namespace dl::dataset
