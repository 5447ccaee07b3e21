#include "tests/tidy/listing_rules.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

// A file that must contain the name between `before` and an alternative of `after`.
struct Listing {
  std::string path;
  std::string before, after;
};

struct Names {
  std::vector<std::string> where;  // files whose paths begin with one of these
  std::regex line;                 // matches a line that defines names
  std::regex name;                 // each match in such a line is a name
  std::vector<Listing> listings;
};

const std::vector<Names>& AllNames() {
  static const auto& names = *new std::vector<Names>{
      {.where = {"rpc/idl/"},
       .line = std::regex(R"(\(1: \w+ request, 2: i64 deadline_ms\))"),
       .name = std::regex(R"((\w+)\(1: )"),
       .listings = {{"docs/protocol.md", "| `", "`"}, {"tests/unit/rpc/methods.h", "(", ","}}},
      {.where = {"cli/commands/"},
       .line = std::regex(R"( name\(\) const override )"),
       .name = std::regex(R"rx("(\w+)")rx"),
       .listings = {{"docs/operations/commands.md", "| `", " `"}}},
      {.where = {"master/core/records/"},
       .line = std::regex(R"rx(\{"type", "\w+"\})rx"),
       .name = std::regex(R"rx(\{"type", "(\w+)"\})rx"),
       .listings = {{"docs/operations/commands.md", "| `", "`"}}},
  };
  return names;
}

bool Lists(const std::string& text, const Listing& listing, const std::string& name) {
  const std::string begin = listing.before + name;
  for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const size_t end = at + begin.size();
    if (end < text.size() && listing.after.find(text[end]) != std::string::npos) return true;
  }
  return false;
}

std::string TextOf(const SourceTree& tree, const std::string& path) {
  const auto file = std::ranges::find(tree, path, &SourceFile::path);
  return file == tree.end() ? "" : file->text;
}

}  // namespace

Violations CheckListings(const SourceTree& tree) {
  Violations found;
  for (const Names& names : AllNames()) {
    for (const SourceFile& file : tree) {
      if (std::ranges::none_of(
              names.where, [&](const std::string& where) { return file.path.starts_with(where); }))
        continue;
      int number = 0;
      for (const std::string_view view : LinesOf(file.text)) {
        ++number;
        const std::string line(view);
        if (!std::regex_search(line, names.line)) continue;
        for (std::sregex_iterator name(line.begin(), line.end(), names.name), end; name != end;
             ++name) {
          for (const Listing& listing : names.listings) {
            if (!Lists(TextOf(tree, listing.path), listing, name->str(1)))
              found.push_back({file.path, number, name->str(1) + " is not in " + listing.path});
          }
        }
      }
    }
  }
  return found;
}

}  // namespace dl::tidy
