#include "web/api/import_routes.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "web/caller_share.h"

namespace dl::web {
namespace {

constexpr int kAccepted = 202;  // status of HTTP
constexpr char kFileSchema[] = R"({"type": "string", "format": "binary"})";
constexpr char kFile[] = "file";

using namespace std::string_view_literals;
constexpr std::string_view kSwitch[] = {"1"sv}, kChannels[] = {"1"sv, "3"sv},
                           kYesNo[] = {"yes"sv, "no"sv}, kDecimals[] = {"point"sv, "comma"sv},
                           kDateOrders[] = {"day-first"sv, "month-first"sv},
                           kOrders[] = {"shuffled"sv, "source"sv},
                           kNormalizers[] = {"none"sv, "standardize"sv, "min_max"sv};

// The parameters besides kFile are the flags of `dl-submit import`, with _ instead of -.
std::vector<Parameter> Parameters() {
  return {
      {.name = kFile, .about = "Name of the file; its ending is that of the format"},
      {.name = "label", .about = "Label column of a table: its name, otherwise its index from 0"},
      {.name = "regression", .about = "1: labels are numbers to predict", .words = kSwitch},
      {.name = "classes", .about = "1: labels are classes", .words = kSwitch},
      {.name = "example_weights",
       .about = "Weights of examples: a column of a table, or an array of an .npz file"},
      {.name = "header", .about = "Whether the first row has names", .words = kYesNo},
      {.name = "separator", .about = "Field separator of a table"},
      {.name = "decimal", .about = "Decimal separator of a table", .words = kDecimals},
      {.name = "drop", .about = "Columns of a table to leave out, with commas", .repeated = true},
      {.name = "keep",
       .about = "Columns of a table to keep, even if they look like names or row numbers",
       .repeated = true},
      {.name = "categories", .about = "Columns to read as categories", .repeated = true},
      {.name = "dates", .about = "Columns to replace by days since 1970", .repeated = true},
      {.name = "date_parts",
       .about = "Columns to replace by year, month, day, weekday, hour and minute",
       .repeated = true},
      {.name = "date_order", .about = "Order of ambiguous dates", .words = kDateOrders},
      {.name = "missing", .about = "A text that means a missing value", .repeated = true},
      {.name = "image_size", .about = "Size of the examples of an archive of images: HxW"},
      {.name = "image_channels", .about = "1 for gray images, 3 for colors", .words = kChannels},
      {.name = "normalizer", .about = "Normalizer of the features", .words = kNormalizers},
      {.name = "target_normalizer", .about = "Normalizer of the targets", .words = kNormalizers},
      {.name = "order", .about = "Order of the stored training set", .words = kOrders},
      {.name = "test_fraction", .about = "Share of the examples for the test set, such as 0.2"},
  };
}

StatusOr<std::shared_ptr<BodySink>> Receive(ImportService& imports, const Call& call,
                                            int64_t length) {
  ImportRequest request{.caller = call.caller,
                        .client = MemoryShareOf(call.caller, call.request.peer),
                        .file = call.Text(kFile),
                        .bytes = length};
  for (const auto& [name, value] : call.request.target.parameters) {
    if (name == kFile || value.empty()) continue;
    const bool is_switch = name == "regression" || name == "classes";
    request.flags.emplace_back(absl::StrReplaceAll(name, {{"_", "-"}}), is_switch ? "" : value);
  }
  return imports.Receive(request);
}

StatusOr<HttpResponse> AnswerReceived(const Call& call) {
  DL_ASSIGN_OR_RETURN(const std::string document, call.request.sink->Finish());
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(document, "import"));
  HttpResponse response = JsonResponse(document);
  response.status = kAccepted;
  response.headers.emplace_back(
      "Location", absl::StrCat("/api/v1/imports/", json.value("import", std::string())));
  return response;
}

}  // namespace

std::vector<Route> ImportRoutes(ImportService& imports) {
  return {
      {.method = "POST",
       .pattern = "/api/v1/imports",
       .rpc_method = "PutBlocks",
       .about = "Send a file, which the master imports as dl-submit import does",
       .parameters = Parameters(),
       .document = "Import",
       .status = kAccepted,
       .body_bytes = imports.max_file_bytes(),
       .body_type = "application/octet-stream",
       .body_schema = kFileSchema,
       .long_body_remedy = "Import the file by dl-submit import, or start the master with a larger "
                           "--max-upload",
       .receive = [&imports](const Call& call,
                             int64_t length) { return Receive(imports, call, length); },
       .audited = "Import",
       .answer = [](const Call& call) { return AnswerReceived(call); }},
      {.method = "GET",
       .pattern = "/api/v1/imports",
       .rpc_method = "PutBlocks",
       .about = "List the imports of the caller, the newest first",
       .document = "ImportList",
       .answer = [&imports](const Call& call) -> StatusOr<HttpResponse> {
         return JsonResponse(imports.List(call.caller));
       }},
      {.method = "GET",
       .pattern = "/api/v1/imports/{import}",
       .rpc_method = "PutBlocks",
       .about = "Show an import: its state, its sets, and doubts about the data",
       .document = "Import",
       .answer = [&imports](const Call& call) -> StatusOr<HttpResponse> {
         DL_ASSIGN_OR_RETURN(std::string document,
                             imports.Show(call.Variable("import"), call.caller));
         return JsonResponse(std::move(document));
       }},
      {.method = "DELETE",
       .pattern = "/api/v1/imports/{import}",
       .rpc_method = "PutBlocks",
       .about = "Forget an import, and end it if it waits or runs",
       .document = "Import",
       .answer = [&imports](const Call& call) -> StatusOr<HttpResponse> {
         DL_ASSIGN_OR_RETURN(std::string document,
                             imports.Remove(call.Variable("import"), call.caller));
         return JsonResponse(std::move(document));
       }}};
}

}  // namespace dl::web
