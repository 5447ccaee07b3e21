// The documents that each test of schemas_test.cc makes commands print.
#pragma once

#include <map>
#include <set>
#include <string>

namespace dl::test {

// Returns lines "COMMAND DOCUMENT" by the name of the test. The test may print others, too.
const std::map<std::string, std::set<std::string>>& PrintedDocuments();

// Returns the documents that no test makes a command print.
const std::set<std::string>& NotPrinted();

}  // namespace dl::test
