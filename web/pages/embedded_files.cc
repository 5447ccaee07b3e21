#include "web/pages/embedded_files.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"

namespace dl::web {

std::optional<std::string_view> FindEmbeddedFile(std::string_view name) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  if (found == files.end()) return std::nullopt;
  return found->content;
}

const std::string& AssetVersion() {
  static const auto* const version = [] {
    uint64_t hash = 0;
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      if (file.name.starts_with("dist/")) hash = hash * 31 + Xxh3(file.content);
    }
    return new std::string(absl::StrCat(absl::Hex(hash)));
  }();
  return *version;
}

}  // namespace dl::web
