#include "web/pages/page_renderer.h"

#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "kainjow/mustache.hpp"
#include "web/pages/embedded_files.h"
#include "web/pages/text_format.h"

namespace dl::web {
namespace {

namespace mustache = kainjow::mustache;

constexpr std::string_view kFolder = "templates/";
constexpr std::string_view kSuffix = ".mustache";
constexpr std::string_view kPartial = "part_";  // begins the names of partials
constexpr size_t kShortHash = 12;

mustache::data DataOf(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      if (json.empty()) return mustache::data::type::bool_false;
      mustache::data object{mustache::data::type::object};
      for (const auto& [key, value] : json.items()) object.set(key, DataOf(value));
      return object;
    }
    case Json::value_t::array: {
      mustache::data list{mustache::data::type::list};
      for (const Json& value : json) list.push_back(DataOf(value));
      return list;
    }
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      if (text.empty()) return mustache::data::type::bool_false;
      return text;
    }
    case Json::value_t::boolean:
      return json.get<bool>() ? mustache::data::type::bool_true : mustache::data::type::bool_false;
    case Json::value_t::null:
    case Json::value_t::discarded:
      return mustache::data::type::bool_false;
    default:
      return json.dump();
  }
}

// Returns the beginning of a text of HTML, `most` characters long. A character reference such as
// "&amp;" counts as one character.
std::string Beginning(const std::string& html, size_t most) {
  size_t end = 0;
  for (size_t count = 0; count < most && end < html.size(); ++count) {
    const size_t reference_end = html[end] == '&' ? html.find(';', end) : end;
    end = reference_end == std::string::npos ? html.size() : reference_end + 1;
  }
  return html.substr(0, end);
}

// Returns a section that formats the number in it. Another text stays as it is. Variables in the
// section are escaped when they are rendered, so its result must not be escaped again.
template <typename Format>
mustache::data NumberSection(Format format) {
  return mustache::lambda2{
      [format](const std::string& text, const mustache::renderer& render) -> std::string {
        const std::string rendered = render(text, false);
        double number = 0;
        if (!absl::SimpleAtod(absl::StripAsciiWhitespace(rendered), &number)) return rendered;
        return format(number);
      }};
}

void AddSections(mustache::data& context) {
  context.set("count", NumberSection([](double n) {
                return std::abs(n) < 1e15 ? CountText(std::llround(n)) : NumberText(n);
              }));
  context.set("bytes", NumberSection(BytesText));
  context.set("duration_ms", NumberSection([](double n) { return DurationText(n / 1000); }));
  context.set("seconds", NumberSection(DurationText));
  context.set("time_ms", NumberSection([](double n) {
                return std::abs(n) < 1e15 ? TimeText(std::llround(n)) : NumberText(n);
              }));
  context.set("number", NumberSection(NumberText));
  context.set("percent", NumberSection(PercentText));
  context.set("short",
              mustache::lambda2{[](const std::string& text, const mustache::renderer& render) {
                return Beginning(render(text, false), kShortHash);
              }});
}

void AddPartials(mustache::data& context) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (!file.name.starts_with(kFolder) || !file.name.ends_with(kSuffix)) continue;
    const std::string_view name =
        file.name.substr(kFolder.size(), file.name.size() - kFolder.size() - kSuffix.size());
    // A page is no partial. Otherwise the section of a document that is absent would show the
    // template of the same name.
    if (!name.starts_with(kPartial)) continue;
    context.set(std::string(name),
                mustache::partial{[content = file.content] { return std::string(content); }});
  }
}

}  // namespace

StatusOr<std::string> RenderPage(std::string_view name, const Json& context) {
  const auto text =
      FindEmbeddedFile(absl::StrCat(std::string(kFolder), std::string(name), std::string(kSuffix)));
  if (!text) {
    return Internal({.message = absl::StrCat("there is no template \"", std::string(name), "\"")});
  }
  mustache::data data = DataOf(context);
  if (!data.is_object()) data = mustache::data{mustache::data::type::object};
  AddSections(data);
  AddPartials(data);
  mustache::mustache page{std::string(*text)};
  std::string rendered = page.render(data);
  if (!page.is_valid() || !page.error_message().empty()) {
    return Internal({.message = absl::StrCat("the template \"", std::string(name),
                                             "\" is not valid: ", page.error_message())});
  }
  return rendered;
}

}  // namespace dl::web
