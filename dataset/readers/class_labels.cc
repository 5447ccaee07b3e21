#include "dataset/readers/class_labels.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"

namespace dl::dataset {

Status AssignClasses(ExampleTable& table, const std::vector<std::string>& class_names,
                     const Schema* training, const std::string& path) {
  Schema& schema = table.schema;
  schema.label_kind = LabelKind::kClass;
  schema.class_names = class_names;
  schema.classes = static_cast<int64_t>(class_names.size());
  if (training != nullptr) {
    schema.class_names = training->class_names;
    schema.classes = training->classes;
  } else if (class_names.empty() && !table.classes.empty()) {
    schema.classes = int64_t{*std::max_element(table.classes.begin(), table.classes.end())} + 1;
  }
  const int64_t most = std::min(schema.classes, limits::kMaxClasses);
  for (size_t i = 0; i < table.classes.size(); ++i) {
    if (table.classes[i] >= 0 && table.classes[i] < most) continue;
    return InvalidArgument(
        {.message = absl::StrCat("label ", table.classes[i], " of example ", i,
                                 " is not from 0 to ", most - 1),
         .where = path,
         .remedy = training != nullptr    ? "Use classes that the training split has"
                   : !class_names.empty() ? "State a name for every class in class_names"
                                          : "Number the classes from 0 without large gaps"});
  }
  return absl::OkStatus();
}

Status CheckSameSchema(const Schema& schema, const Schema& training, const std::string& path) {
  if (schema.feature_shape == training.feature_shape &&
      schema.feature_type == training.feature_type && schema.label_kind == training.label_kind &&
      schema.target_size == training.target_size &&
      schema.feature_names == training.feature_names) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      {.message =
           absl::StrCat("features of shape (", absl::StrJoin(schema.feature_shape, ", "),
                        "), or their type, names or labels, differ from the training split's (",
                        absl::StrJoin(training.feature_shape, ", "), ")"),
       .where = path,
       .remedy = "Use splits of one dataset"});
}

}  // namespace dl::dataset
