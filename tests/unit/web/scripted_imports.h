// Imports for tests of routes: they take any file, and show the request.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "web/import_service.h"

namespace dl::web {

class ScriptedImports final : public ImportService {
 public:
  int64_t max_file_bytes() const override { return int64_t{1} << 30; }
  StatusOr<std::shared_ptr<BodySink>> Receive(const ImportRequest& request) override {
    DL_RETURN_IF_ERROR(refusal);
    last = request;
    return std::make_shared<Sink>(*this);
  }
  std::string List(const security::Identity&) const override { return R"({"imports":[]})"; }
  StatusOr<std::string> Show(const std::string& id, const security::Identity&) const override {
    if (id != "i1") return NotFound({.message = "no such import", .where = id});
    return std::string(R"({"import":"i1"})");
  }
  StatusOr<std::string> Remove(const std::string& id, const security::Identity& who) override {
    return Show(id, who);
  }
  StatusOr<ImportedData> Data(const std::string& id,
                              const security::Identity& caller) const override {
    DL_RETURN_IF_ERROR(Show(id, caller).status());
    return ImportedData{.data = data,
                        .target_normalizer = "standardize",
                        .train_manifest = "{\"train\":1}",
                        .test_manifest = ""};
  }

  Status refusal;        // of files
  ImportRequest last;    // the request of the last file
  std::string received;  // bytes of all files
  std::string data = "{}";

 private:
  class Sink final : public BodySink {
   public:
    explicit Sink(ScriptedImports& imports) : imports_(imports) {}
    Status Write(std::string_view piece) override {
      imports_.received += piece;
      return absl::OkStatus();
    }
    StatusOr<std::string> Finish() override { return std::string(R"({"import":"i1"})"); }

   private:
    ScriptedImports& imports_;
  };
};

}  // namespace dl::web
