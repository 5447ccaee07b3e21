#include "nn/conf/field.h"

#include "base/json.h"

namespace dl::nn {

void ReadValue(JsonObjectReader& reader, std::string_view key, double& out) {
  reader.Double(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, int64_t& out) {
  reader.Int(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, bool& out) { reader.Bool(key, out); }

Json ToJson(double value) { return value; }
Json ToJson(int64_t value) { return value; }
Json ToJson(bool value) { return value; }

void CheckValue(const Field& field, double value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, field.min, field.max);
}
void CheckValue(const Field& field, int64_t value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, static_cast<int64_t>(field.min),
                 static_cast<int64_t>(field.max));
}

}  // namespace dl::nn
