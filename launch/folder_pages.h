// Pages and REST of a data folder without a master (`dl-submit ui`).
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace dl::web {
class ModelService;
}  // namespace dl::web

namespace dl::launch {

// Serves until it is destroyed. There are no tokens: a browser logs in, as this user, only with the
// code in page().
class FolderPages {
 public:
  virtual ~FolderPages() = default;
  struct Options {
    std::string data_dir;
    int port = 0;  // 0: any free port
    // Models for the web server (inference/serving/served_models.h). Null: it has no predictions
    // and no downloads. Must outlive the pages.
    web::ModelService* models = nullptr;
  };
  // Errors are those of FolderView::Open and web::WebServer::Listen.
  static StatusOr<std::unique_ptr<FolderPages>> Open(const Options& options);

  // Returns the address of the first page, with a code that logs one browser in.
  virtual std::string page() const = 0;
};

}  // namespace dl::launch
