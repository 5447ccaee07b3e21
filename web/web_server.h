// The web server of a master: pages for people, and the same content as JSON (REST). It reads and
// changes jobs only through rpc::ClientService, which other clients also use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "rpc/service.h"
#include "security/audit_log.h"
#include "security/role.h"
#include "security/tls.h"
#include "security/token_store.h"

namespace dl::web {

class ImportService;
class ModelService;

struct WebServerOptions {
  std::optional<security::MasterTls> tls;  // null: only loopback addresses are allowed
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any free port
  // Names under which browsers reach this machine, besides IP addresses and "localhost".
  std::vector<std::string> host_names;
  std::string shown_host;  // host of Url(); empty: the address
  std::string version;     // of the program, for people
  // No routes that act on jobs, submit them, or receive blocks or files. For a data folder without
  // a master.
  bool read_only = false;
  // How commands on pages name the jobs: the address of a standing master ("dl://host:port"), or
  // the data folder of another server. At least one is empty.
  std::string master_url, data_dir;
};

// The services that the server shows. All must outlive it.
struct WebServices {
  rpc::ClientService* clients = nullptr;   // must not be null
  security::TokenStore* tokens = nullptr;  // null: there are no tokens, only login codes
  security::AuditLog* audit = nullptr;     // null: no audit log
  ModelService* models = nullptr;          // null: no routes of web/api/model_routes.h
  ImportService* imports = nullptr;        // null: files are refused
};

// Methods are thread-safe.
class WebServer {
 public:
  // Opens the port. Errors are those of HttpServer::Listen.
  static StatusOr<std::unique_ptr<WebServer>> Listen(WebServerOptions options);
  ~WebServer();  // calls Stop

  // Starts to answer requests. May be called once.
  void Serve(const WebServices& services);

  int port() const;
  // Returns the address of the first page ("http://127.0.0.1:7080/").
  std::string Url() const;
  // Returns an address that logs one browser in as `caller` and then shows the first page. Its code
  // is valid once, for 30 minutes (BrowserSessions). Returns an error if the system provides no
  // random bits. REQUIRES: Serve was called.
  StatusOr<std::string> LoginUrl(const security::Identity& caller);
  // Serves no connection afterwards. Waits for running calls of the services, which must end. The
  // destructor closes the connections that remain. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit WebServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::web
