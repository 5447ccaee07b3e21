// Writes the body of an upload into a file of the data folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "base/status.h"
#include "launch/import/upload_space.h"
#include "web/http/body_sink.h"

namespace dl::launch {

class ReceivedBody final : public web::BodySink {
 public:
  struct Options {
    std::string folder;                      // is created by the first Write
    std::string name;                        // of the file
    int64_t bytes = 0;                       // announced length
    int64_t left_free = kReservedForStores;  // bytes that must stay free on the disk
    // Called by Finish if a byte was written. Finish returns what it returns.
    std::function<StatusOr<std::string>()> received;
    // Called by the destructor unless `received` was called.
    std::function<void()> discarded;
  };
  explicit ReceivedBody(Options options) : options_(std::move(options)) {}
  ~ReceivedBody() override {
    if (!finished_) options_.discarded();
  }

  // Returns ResourceExhausted if the disk has too little space for the file and its import, or if
  // others have used this space meanwhile. Returns errors of the file system.
  Status Write(std::string_view piece) override;
  // Returns InvalidArgument if no byte was written, else the result of `received`.
  StatusOr<std::string> Finish() override;

 private:
  Status Open();

  const Options options_;
  FileDescriptor file_;
  int64_t written_ = 0;
  bool finished_ = false;
};

}  // namespace dl::launch
