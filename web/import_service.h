// The service that imports files which clients send. The folder `launch` implements it, because
// `web` reads no datasets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "security/role.h"
#include "web/http/body_sink.h"

namespace dl::web {

struct ImportRequest {
  security::Identity caller;
  std::string client;  // whose share of the uploads it uses (BodyLimit::client)
  std::string file;    // name without a folder; its ending is that of the format
  int64_t bytes = 0;   // length of the file
  // Flags of `dl-submit import` without their dashes, with their values: {"label", "y"}. A switch
  // has the value "".
  std::vector<std::pair<std::string, std::string>> flags;
};

// The parts of a job spec and its manifests that describe the sets of an import.
struct ImportedData {
  std::string data;                           // JSON: the key "data" of the spec
  std::string target_normalizer;              // value of training.target_normalizer
  std::string train_manifest, test_manifest;  // the second is empty without a test set
};

// Keeps an import, with its document, from the last byte of its file on. Later it forgets old ended
// imports, and all when the process ends. Only the owner of an import and admins see it: List
// leaves it out for other callers, and the other methods return NotFound. Thread-safe.
class ImportService {
 public:
  virtual ~ImportService() = default;
  // Returns the greatest length, in bytes, of a file that a client may send.
  virtual int64_t max_file_bytes() const = 0;
  // Reserves an upload, and returns the sink for its bytes. BodySink::Finish starts the import and
  // returns its document ("Import" of web/schemas/rest_shapes.cc). The service must outlive the
  // sink. Does not wait. Returns:
  //
  // - InvalidArgument: a name with other characters than letters, digits, ".", "_" and "-", or an
  //   ending without a format; "example-weights" for a format without columns or arrays. Other
  //   wrong flags fail the import later.
  // - ResourceExhausted: the client has another upload whose import has not ended, or too many
  //   clients have.
  // - Unavailable after the service was stopped.
  virtual StatusOr<std::shared_ptr<BodySink>> Receive(const ImportRequest& request) = 0;
  // Returns {"imports": […]}: the documents of all imports that the caller may see, without the
  // member "sets", the newest first.
  virtual std::string List(const security::Identity& caller) const = 0;
  // Returns the document of an import, or NotFound.
  virtual StatusOr<std::string> Show(const std::string& id,
                                     const security::Identity& caller) const = 0;
  // Forgets an import, and ends it if it waits or runs. Returns its document as it was before, or
  // NotFound.
  virtual StatusOr<std::string> Remove(const std::string& id, const security::Identity& caller) = 0;
  // Returns the sets of an import that has succeeded. Returns NotFound for an unknown import,
  // FailedPrecondition if the import has not ended, and the import's own error if it failed.
  virtual StatusOr<ImportedData> Data(const std::string& id,
                                      const security::Identity& caller) const = 0;
};

}  // namespace dl::web
