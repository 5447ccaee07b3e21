// Certificates as a site's own CA may issue them, with any subject, purpose and period of validity.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "security/certificates.h"

namespace dl::security {

struct PairFiles {
  std::string certificate, key;
};
// Returns the CA that MakeAuthority created, as an issuer.
inline PairFiles IssuerOf(const KeyFiles& files) {
  return {.certificate = files.ca, .key = files.ca_key};
}

struct SiteCertificate {
  PairFiles issuer;  // empty: self-signed
  // For example {"CN", "ada"}. Values are written as raw bytes of any length.
  std::vector<std::pair<std::string, std::string>> subject;
  // As in OpenSSL's configuration, for example {"extendedKeyUsage", "clientAuth"}.
  std::vector<std::pair<std::string, std::string>> extensions;
  // Period of validity, relative to now.
  std::chrono::seconds from = -std::chrono::hours(1);
  std::chrono::seconds until = std::chrono::hours(1);
};

// Writes STEM.pem and STEM.key. Ends the test program on failure.
PairFiles Issue(const SiteCertificate& wanted, const std::string& stem);

// Returns the SHA-256 of the first certificate in a PEM file, in the form that tokens contain.
std::string DigestOfFile(const std::string& path);

}  // namespace dl::security
