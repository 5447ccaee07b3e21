#include "web/pages/embedded_files.h"

#include <algorithm>

namespace dl::web {

std::optional<std::string_view> FindEmbeddedFile(std::string_view name) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  if (found == files.end()) return std::nullopt;
  return found->content;
}

}  // namespace dl::web
