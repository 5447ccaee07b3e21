// Spellings of licenses: as SPDX writes them, and as model cards name them.
#pragma once

#include <string>

namespace dl::inference {

// Returns the license with the letter case of SPDX ("MIT" for "mit"), if it is an identifier that
// is known here. Returns any other text unchanged.
std::string SpdxSpelling(const std::string& license);

// Returns the lines of YAML that state the license in the head of a model card, or "" for "". The
// key `license` of a card is an identifier in lower case from the list of the Hugging Face Hub.
// Other licenses are "other", with the text as `license_name`, or as `license_link` if it is an
// address (https://huggingface.co/docs/hub/repositories-licenses).
std::string LicenseYaml(const std::string& license);

}  // namespace dl::inference
