// The keys of a cluster: its own CA, and the certificate that the CA issues to the master.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::security {

// Paths of PEM files. Key files can be read only by their owner.
struct KeyFiles {
  std::string ca, ca_key;
  std::string certificate, key;  // of the master; the CA's certificate follows the master's
};
// Returns the paths of the keys in a data folder.
KeyFiles KeysOf(const std::string& data_dir);
// Returns true if the folder has keys, which `dl-submit cluster init` creates.
bool HasKeys(const std::string& data_dir);

// Creates a new CA (ECDSA P-256, valid for 20 years). Returns FailedPrecondition if a CA exists:
// every token contains its fingerprint, so a new CA would invalidate all tokens.
Status MakeAuthority(const KeyFiles& files);

// Creates a new key and certificate of the master, valid for 20 years. `names` are the host names
// and IP addresses under which the master is reached, at least one. Returns InvalidArgument for a
// name that is neither.
Status IssueCertificate(const KeyFiles& files, const std::vector<std::string>& names);

// Returns the host names and addresses in the certificate of a PEM file.
StatusOr<std::vector<std::string>> NamesOfCertificate(const std::string& path);

// Returns the number of days until the certificate expires, rounded down; negative if it has
// expired.
StatusOr<int64_t> DaysLeftOfCertificate(const std::string& path);

// Returns OK if the certificate is valid for this host name or IP address, by the rules that a peer
// applies. Returns FailedPrecondition otherwise.
Status CheckNameOfCertificate(const std::string& path, const std::string& name);

// Returns the names of this machine: localhost, its host name and the addresses of its interfaces.
std::vector<std::string> NamesOfThisMachine();

}  // namespace dl::security
