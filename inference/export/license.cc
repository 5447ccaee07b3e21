#include "inference/export/license.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::inference {
namespace {

// The identifiers of the Hub whose letters are those of an identifier of SPDX, as SPDX writes them.
constexpr std::string_view kSpdx[] = {"AFL-3.0",
                                      "AGPL-3.0",
                                      "Apache-2.0",
                                      "Artistic-2.0",
                                      "BSD-2-Clause",
                                      "BSD-3-Clause",
                                      "BSD-3-Clause-Clear",
                                      "BSL-1.0",
                                      "C-UDA",
                                      "CC-BY-2.0",
                                      "CC-BY-2.5",
                                      "CC-BY-3.0",
                                      "CC-BY-4.0",
                                      "CC-BY-NC-2.0",
                                      "CC-BY-NC-3.0",
                                      "CC-BY-NC-4.0",
                                      "CC-BY-NC-ND-3.0",
                                      "CC-BY-NC-ND-4.0",
                                      "CC-BY-NC-SA-2.0",
                                      "CC-BY-NC-SA-3.0",
                                      "CC-BY-NC-SA-4.0",
                                      "CC-BY-ND-4.0",
                                      "CC-BY-SA-3.0",
                                      "CC-BY-SA-4.0",
                                      "CC0-1.0",
                                      "CDLA-Permissive-1.0",
                                      "CDLA-Permissive-2.0",
                                      "CDLA-Sharing-1.0",
                                      "ECL-2.0",
                                      "EPL-1.0",
                                      "EPL-2.0",
                                      "etalab-2.0",
                                      "EUPL-1.1",
                                      "EUPL-1.2",
                                      "GPL-2.0",
                                      "GPL-3.0",
                                      "ISC",
                                      "LGPL-2.1",
                                      "LGPL-3.0",
                                      "LPPL-1.3c",
                                      "MIT",
                                      "MPL-2.0",
                                      "MS-PL",
                                      "NCSA",
                                      "OFL-1.1",
                                      "OSL-3.0",
                                      "PostgreSQL",
                                      "Unlicense",
                                      "WTFPL",
                                      "Zlib"};
// Other identifiers of the Hub.
constexpr std::string_view kHub[] = {"bigcode-openrail-m",
                                     "bigscience-bloom-rail-1.0",
                                     "bigscience-openrail-m",
                                     "bsd",
                                     "cc",
                                     "creativeml-openrail-m",
                                     "gemma",
                                     "gfdl",
                                     "gpl",
                                     "lgpl",
                                     "llama2",
                                     "llama3",
                                     "llama3.1",
                                     "odbl",
                                     "odc-by",
                                     "openrail",
                                     "openrail++",
                                     "other",
                                     "pddl",
                                     "unknown"};
// Identifiers of SPDX that are not on the Hub's list, but often written in lower case.
constexpr std::string_view kSpdxOnly[] = {"0BSD",
                                          "AGPL-3.0-only",
                                          "AGPL-3.0-or-later",
                                          "GPL-2.0-only",
                                          "GPL-2.0-or-later",
                                          "GPL-3.0-only",
                                          "GPL-3.0-or-later",
                                          "LGPL-2.1-only",
                                          "LGPL-2.1-or-later",
                                          "LGPL-3.0-only",
                                          "LGPL-3.0-or-later",
                                          "ODbL-1.0",
                                          "ODC-By-1.0",
                                          "PDDL-1.0"};

// Returns the entry that equals the text except for the case of letters, or "".
template <size_t count>
std::string FindIn(const std::string_view (&list)[count], const std::string& text) {
  const auto found = std::ranges::find_if(list, [&](std::string_view entry) {
    return absl::EqualsIgnoreCase(std::string(entry), text);
  });
  return found == std::end(list) ? "" : std::string(*found);
}

}  // namespace

std::string SpdxSpelling(const std::string& license) {
  for (const std::string& found : {FindIn(kSpdx, license), FindIn(kSpdxOnly, license)})
    if (!found.empty()) return found;
  return license;
}

std::string LicenseYaml(const std::string& license) {
  if (license.empty()) return "";
  std::string id = FindIn(kSpdx, license);
  if (id.empty()) id = FindIn(kHub, license);
  if (!id.empty()) return absl::StrCat("license: ", absl::AsciiStrToLower(id), "\n");
  const bool is_address = license.starts_with("https://") || license.starts_with("http://");
  // A text of JSON is YAML too.
  return absl::StrCat("license: other\n",
                      is_address ? "license_link: " : "license_name: ", JsonText(license), "\n");
}

}  // namespace dl::inference
