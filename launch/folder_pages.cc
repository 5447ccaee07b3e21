#include "launch/folder_pages.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "launch/folder_view.h"
#include "launch/user.h"
#include "launch/version.h"
#include "web/web_server.h"

namespace dl::launch {
namespace {

class Pages final : public FolderPages {
 public:
  Status Start(const Options& options) {
    std::error_code ignored;
    // The port is opened first, because reading a large folder takes a while.
    DL_ASSIGN_OR_RETURN(
        server_, web::WebServer::Listen(
                     {.port = options.port,
                      .version = kVersion,
                      .read_only = true,
                      .data_dir = std::filesystem::absolute(options.data_dir, ignored).string()}));
    DL_ASSIGN_OR_RETURN(view_, FolderView::Open(options.data_dir));
    server_->Serve({.clients = view_.get(), .models = options.models});
    DL_ASSIGN_OR_RETURN(page_, server_->LoginUrl(OwnIdentity()));
    return absl::OkStatus();
  }
  std::string page() const override { return page_; }

 private:
  std::string page_;
  std::unique_ptr<FolderView> view_;
  std::unique_ptr<web::WebServer> server_;  // destroyed before the view, which it asks
};

}  // namespace

StatusOr<std::unique_ptr<FolderPages>> FolderPages::Open(const Options& options) {
  auto pages = std::make_unique<Pages>();
  DL_RETURN_IF_ERROR(pages->Start(options));
  return pages;
}

}  // namespace dl::launch
