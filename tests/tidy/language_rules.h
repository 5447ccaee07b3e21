// Counts signs of sentences that are hard to read, in comments and documents. The signs are a help:
// a sentence without a sign may still be unclear.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Returns the sentences of a source file's comments, or of a document without its code blocks.
// Leaves out sentences of fewer than four words.
std::vector<std::string> SentencesOf(const SourceFile& file);

struct Signs {
  bool opening = false;  // begins with a word such as "Of", "Who", "Those" that is no question
  bool people = false;   // speaks of a process as of a person: "nobody", "whoever"
  bool behind = false;   // says "behind", which means "after" nearly always
  bool length = false;   // has more than 32 words
};
Signs SignsOf(std::string_view sentence);

// Numbers of sentences with a sign in one top-level folder.
struct SignCounts {
  int openings = 0, people = 0, behind = 0, lengths = 0;
  bool operator==(const SignCounts&) const = default;
};
// Returns the counts by top-level folder; "." has the files of the root.
std::map<std::string, SignCounts> CountSigns(const SourceTree& tree);

// Compares the counts of the tree with the permitted ones. A folder must not have more sentences
// with a sign than permitted. With fewer, the permitted number must be lowered. A folder that is
// not listed may have none.
Violations CheckSigns(const std::map<std::string, SignCounts>& counts,
                      const std::map<std::string, SignCounts>& permitted);

// Checks that lines of prose have at most 120 columns and cells of tables at most 200.
Violations CheckDocumentWidths(const SourceFile& file);

}  // namespace dl::tidy
