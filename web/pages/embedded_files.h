// Files that are compiled into the program: templates of pages, scripts, styles and pictures. Their
// bytes stay valid until the process ends.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dl::web {

struct EmbeddedFile {
  std::string_view name;  // path in web/pages: "templates/jobs.mustache", "dist/pages.js"
  std::string_view content;
};

// Returns all files, ordered by name. web/CMakeLists.txt generates the definition.
std::span<const EmbeddedFile> EmbeddedFiles();

// Returns the content of the file with this name, or nullopt if the file does not exist.
std::optional<std::string_view> FindEmbeddedFile(std::string_view name);

// Returns a hash of all scripts, styles and pictures. Pages have it in the addresses of these
// files, so that a browser can keep them.
const std::string& AssetVersion();

}  // namespace dl::web
