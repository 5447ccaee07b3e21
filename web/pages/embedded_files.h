// Files that are part of the program: templates of pages, scripts, styles.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace dl::web {

struct EmbeddedFile {
  std::string_view name;  // path in web/pages: "templates/jobs.mustache", "dist/pages.js"
  std::string_view content;
};

// All files, in the order of their names. Made by web/CMakeLists.txt.
std::span<const EmbeddedFile> EmbeddedFiles();

// Returns the content of a file, or nullopt.
std::optional<std::string_view> FindEmbeddedFile(std::string_view name);

}  // namespace dl::web
