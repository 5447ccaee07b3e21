// A connection of an HTTP server: reads requests, calls the service, and writes the responses, one
// request at a time. All of it runs on the server's thread, except HttpService::Answer,
// BodySink::Write and the functions HttpResponse::stream.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "web/http/held_memory.h"
#include "web/http/http_server.h"
#include "web/http/stream_threads.h"
#include "web/http/worker_pool.h"

namespace dl::web {

// Shared by the connections of a server, and outlives them. Any thread may use the members, except
// connections_of_address, which only the server's thread uses.
struct ConnectionContext {
  const HttpOptions& options;
  HttpService& service;
  WorkerPool& pool;
  WorkerPool& computing;  // for requests with BodyLimit::computes
  WorkerPool& writing;    // for BodySink::Write
  HeldMemory& memory;
  StreamThreads& streams;
  const std::atomic<bool>& stopping;
  std::atomic<int64_t>& connections;  // number of open connections
  std::map<std::string, int64_t> connections_of_address;
};

// Starts to serve a connection and returns. The connection is served until it is closed. If it is
// beyond a limit of HttpOptions, closes it at once without an answer. `tls` is null for a
// connection that is not encrypted. Must be called on the server's thread.
void ServeConnection(ConnectionContext& context, boost::asio::ip::tcp::socket socket,
                     boost::asio::ssl::context* tls);

}  // namespace dl::web
