#include "base/error_json.h"

#include <string>

#include "base/json.h"

namespace dl {

Json ErrorToJson(const Status& error) {
  return {{"code", ErrorCodeName(error.code())},
          {"message", std::string(error.message())},
          {"where", ErrorWhere(error)},
          {"remedy", ErrorRemedy(error)}};
}

Status ErrorFromJson(const Json& json) {
  const auto text = [&](const char* key) {
    const auto found = json.find(key);  // the end, if it is no object
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  absl::StatusCode code = ErrorCodeFromName(text("code"));
  if (code == absl::StatusCode::kOk) code = absl::StatusCode::kUnknown;
  return MakeError(code,
                   {.message = text("message"), .where = text("where"), .remedy = text("remedy")});
}

}  // namespace dl
