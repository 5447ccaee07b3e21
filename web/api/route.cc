#include "web/api/route.h"

#include "absl/strings/numbers.h"

namespace dl::web {

std::string Call::Text(std::string_view name, std::string_view absent) const {
  const std::string* const value = request.target.Find(name);
  return value == nullptr ? std::string(absent) : *value;
}

int64_t Call::Integer(std::string_view name, int64_t absent) const {
  int64_t value = absent;
  const std::string* const text = request.target.Find(name);
  if (text != nullptr) (void)absl::SimpleAtoi(*text, &value);
  return value;
}

HttpResponse JsonResponse(std::string text) {
  text += '\n';
  return {.content_type = "application/json", .body = std::move(text)};
}

}  // namespace dl::web
