#include "web/no_imports.h"

namespace dl::web {
namespace {

Status NotHere() {
  return MakeError(absl::StatusCode::kUnimplemented,
                   {.message = "this server takes no files",
                    .where = "import",
                    .remedy = "Import the file by dl-submit import, or start the master without "
                              "--max-upload 0"});
}

}  // namespace

StatusOr<std::shared_ptr<BodySink>> NoImports::Receive(const ImportRequest&) { return NotHere(); }

std::string NoImports::List(const security::Identity&) const { return R"({"imports":[]})"; }

StatusOr<std::string> NoImports::Show(const std::string&, const security::Identity&) const {
  return NotHere();
}

StatusOr<std::string> NoImports::Remove(const std::string&, const security::Identity&) {
  return NotHere();
}

StatusOr<ImportedData> NoImports::Data(const std::string&, const security::Identity&) const {
  return NotHere();
}

}  // namespace dl::web
