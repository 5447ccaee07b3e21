// The wire format between executors and the master, and an executor whose messages are altered
// while they are encoded: one field per message, any field of any message (rpc/executor_fields.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "rpc/messages.h"

namespace dl::sim {

// Returns the names of all fields that executors send: "AnnounceRequest.unit.round", or
// "RegisterRequest.crashed[]" for a list itself.
std::set<std::string> FieldsOfExecutors();

class Liar {
 public:
  struct Options {
    RandomStream random{{}};
    std::string field;             // the only field that is altered; empty: any
    std::set<std::string> spared;  // never altered
    std::function<void(const std::string& field)> altered;
  };
  explicit Liar(Options options) : options_(std::move(options)) {}

 private:
  template <typename Message>
  friend StatusOr<Message> Received(const Message&, Liar*);
  template <typename Wire, typename Message>
  void Alter(std::string_view name, Message message, Wire& wire);

  // Earlier values of the fields, because a lie may be a value that was true before or elsewhere.
  class Past;
  class Alteration;
  std::map<std::string, std::vector<int64_t>> numbers_;
  std::map<std::string, std::vector<std::string>> texts_;
  Options options_;
};

// Returns the message as the master's server reads it, after `liar` altered it; null alters
// nothing. Errors are those of rpc/convert.h. Defined for the requests of executors and
// some requests of users.
template <typename Message>
StatusOr<Message> Received(const Message& sent, Liar* liar);

}  // namespace dl::sim
