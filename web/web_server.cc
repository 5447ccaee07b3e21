#include "web/web_server.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "web/http/http_server.h"
#include "web/site.h"

namespace dl::web {

class WebServer::Impl {
 public:
  explicit Impl(WebServerOptions options) : options_(std::move(options)) {}

  Status Listen() {
    DL_ASSIGN_OR_RETURN(
        http_, HttpServer::Listen(
                   {.tls = options_.tls, .address = options_.address, .port = options_.port}));
    return absl::OkStatus();
  }
  void Serve(const WebServices& services) {
    site_ = std::make_unique<Site>(options_, services, port());
    http_->Serve(*site_);
  }
  int port() const { return http_->port(); }
  std::string Url() const {
    std::string host = options_.shown_host.empty() ? options_.address : options_.shown_host;
    if (host == "0.0.0.0" || host == "::") host = "localhost";
    if (absl::StrContains(host, ':')) host = absl::StrCat("[", host, "]");
    return absl::StrCat(options_.tls ? "https://" : "http://", host, ":", port(), "/");
  }
  StatusOr<std::string> LoginUrl(const security::Identity& caller) {
    DL_ASSIGN_OR_RETURN(const std::string code, site_->sessions().MakeCode(caller));
    return absl::StrCat(Url(), "login?code=", code);
  }
  void Stop() {
    if (site_ != nullptr) site_->Stop();
    http_->Stop();
  }

 private:
  const WebServerOptions options_;
  std::unique_ptr<Site> site_;
  std::unique_ptr<HttpServer> http_;  // destroyed before the site, which it calls
};

StatusOr<std::unique_ptr<WebServer>> WebServer::Listen(WebServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  DL_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<WebServer>(new WebServer(std::move(impl)));
}

WebServer::WebServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebServer::~WebServer() { Stop(); }
void WebServer::Serve(const WebServices& services) { impl_->Serve(services); }
int WebServer::port() const { return impl_->port(); }
std::string WebServer::Url() const { return impl_->Url(); }
StatusOr<std::string> WebServer::LoginUrl(const security::Identity& caller) {
  return impl_->LoginUrl(caller);
}
void WebServer::Stop() { impl_->Stop(); }

}  // namespace dl::web
