// The imports of a server that takes no files: it answers with an error that says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "web/import_service.h"

namespace dl::web {

// List() returns an empty list, and max_file_bytes() returns 1 GiB. All other calls return
// Unimplemented. Thread-safe.
class NoImports final : public ImportService {
 public:
  int64_t max_file_bytes() const override { return int64_t{1} << 30; }
  StatusOr<std::shared_ptr<BodySink>> Receive(const ImportRequest& request) override;
  std::string List(const security::Identity& caller) const override;
  StatusOr<std::string> Show(const std::string& id,
                             const security::Identity& caller) const override;
  StatusOr<std::string> Remove(const std::string& id, const security::Identity& caller) override;
  StatusOr<ImportedData> Data(const std::string& id,
                              const security::Identity& caller) const override;
};

}  // namespace dl::web
