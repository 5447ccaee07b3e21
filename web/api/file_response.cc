#include "web/api/file_response.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "web/http/http_error.h"
#include "web/http/text_split.h"

namespace dl::web {
namespace {

// Bytes [first, end) of a file. Empty for a range beyond the end of the file.
struct Range {
  int64_t first = 0, end = 0;
};

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const bool is_number = !text.empty() && std::ranges::all_of(text, [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  }) && absl::SimpleAtoi(std::string(text), &number);
  return is_number ? std::optional(number) : std::nullopt;
}

// Returns the range of "bytes=3-7", "bytes=3-" or "bytes=-5" (the last five). Returns nullopt for
// another form, and for several ranges: the whole file is sent then.
std::optional<Range> RangeOf(std::string_view header, int64_t bytes) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  const std::string_view range = WithoutBlanks(header.substr(kUnit.size()));
  if (range.find('-') == std::string_view::npos) return std::nullopt;
  const auto [from, to] = CutAt(range, '-');
  const std::optional<int64_t> first = NumberOf(from), last = NumberOf(to);
  if (from.empty() && last) return Range{.first = bytes - std::min(bytes, *last), .end = bytes};
  if (!first || (!to.empty() && !last) || (last && *last < *first)) return std::nullopt;
  const int64_t end = last ? std::min(*last, bytes - 1) + 1 : bytes;
  return *first < bytes ? Range{.first = *first, .end = end} : Range{};
}

bool HasTag(std::string_view header, const std::string& tag) {
  for (std::string_view one : PartsOf(header, ',')) {
    one = WithoutBlanks(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

std::string Disposition(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_.@~").find(c) != std::string_view::npos;
  });
  return is_plain ? absl::StrCat("attachment; filename=\"", name, "\"")
                  : absl::StrCat("attachment; filename*=UTF-8''", EscapeForTarget(name));
}

}  // namespace

HttpResponse FileResponse(const HttpRequest& request, ModelFile file) {
  const std::string tag = absl::StrCat("\"", file.version, "\"");
  HttpResponse response{.content_type = "application/octet-stream",
                        .headers = {{"ETag", tag},
                                    {"Accept-Ranges", "bytes"},
                                    {"Cache-Control", "private, no-cache"},
                                    {"Content-Disposition", Disposition(file.name)}}};
  if (HasTag(request.Header("if-none-match"), tag)) {
    response.status = 304;
    return response;
  }
  Range sent{.first = 0, .end = file.bytes};
  const std::string_view condition = request.Header("if-range");
  if (condition.empty() || condition == tag) {
    if (const auto range = RangeOf(request.Header("range"), file.bytes)) {
      if (range->first == range->end) {
        response = ProblemResponse(
            416, InvalidArgument({.message = absl::StrCat("the file has ", file.bytes, " bytes"),
                                  .where = std::string(request.Header("range"))}));
        response.headers.emplace_back("Content-Range", absl::StrCat("bytes */", file.bytes));
        return response;
      }
      sent = *range;
      response.status = 206;
      response.headers.emplace_back(
          "Content-Range", absl::StrCat("bytes ", sent.first, "-", sent.end - 1, "/", file.bytes));
    }
  }
  response.length = sent.end - sent.first;
  response.held_bytes = file.held_bytes;
  response.stream = [write = std::move(file.write), sent](StreamWriter& out) mutable {
    // After an error the body is shorter than its length, so the client sees that it is incomplete.
    const Status written = write(sent.first, sent.end, [&](std::string_view piece) {
      return out.Write(piece) ? absl::OkStatus() : Cancelled({.message = "the client has left"});
    });
    if (!written.ok() && !absl::IsCancelled(written))
      LogWarning("a download ends early: ", DescribeError(written));
    write = nullptr;  // the checkpoint has been read
  };
  return response;
}

}  // namespace dl::web
