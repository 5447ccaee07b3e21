// Certificates as a site's own CA may issue them: with any subject, purpose and time.
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
// A CA of MakeAuthority as an issuer.
inline PairFiles IssuerOf(const KeyFiles& files) {
  return {.certificate = files.ca, .key = files.ca_key};
}

struct SiteCertificate {
  PairFiles issuer;  // empty: it signs itself
  // {"CN", "ada"}: taken as the bytes that they are, of any length.
  std::vector<std::pair<std::string, std::string>> subject;
  // As in OpenSSL's configuration: {"extendedKeyUsage", "clientAuth"}.
  std::vector<std::pair<std::string, std::string>> extensions;
  // Its time of validity, from now.
  std::chrono::seconds from = -std::chrono::hours(1);
  std::chrono::seconds until = std::chrono::hours(1);
};

// STEM.pem and STEM.key. Ends the test program when it cannot make them.
PairFiles Issue(const SiteCertificate& wanted, const std::string& stem);

// The SHA-256 of the first certificate in a PEM file, as tokens have it.
std::string DigestOfFile(const std::string& path);

}  // namespace dl::security
