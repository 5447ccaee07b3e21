#include "cli/clusters/doctor.h"

#include "base/json.h"
#include "cli/output/json_fields.h"

namespace dl::cli {
namespace {

constexpr const char* kStates[] = {"ok", "warning", "failed"};

}  // namespace

Check Good(std::string subject, std::string message) {
  return {.subject = std::move(subject), .message = std::move(message)};
}

Check Warning(std::string subject, std::string message, std::string remedy) {
  return {.subject = std::move(subject),
          .state = Check::State::kWarning,
          .message = std::move(message),
          .remedy = std::move(remedy)};
}

Check Failed(std::string subject, const Status& status) {
  std::string message(status.message());
  if (const std::string where = ErrorWhere(status); !where.empty()) message += " (" + where + ")";
  return {.subject = std::move(subject),
          .state = Check::State::kFailed,
          .message = std::move(message),
          .remedy = ErrorRemedy(status)};
}

Json ToJson(const Check& check) {
  return {{"check", check.subject},
          {"state", kStates[static_cast<int>(check.state)]},
          {"message", check.message},
          {"remedy", check.remedy}};
}

Check CheckFromJson(const Json& json) {
  Check check{.subject = TextAt(json, "check"),
              .message = TextAt(json, "message"),
              .remedy = TextAt(json, "remedy")};
  const std::string state = TextAt(json, "state");
  for (const auto each : {Check::State::kWarning, Check::State::kFailed}) {
    if (state == kStates[static_cast<int>(each)]) check.state = each;
  }
  return check;
}

}  // namespace dl::cli
