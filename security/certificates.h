// The keys of a cluster: a CA of its own, and the certificate that it gives the master.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::security {

// All PEM; keys are for their owner alone.
struct KeyFiles {
  std::string ca, ca_key;
  std::string certificate, key;  // the master's; the CA's certificate stands behind its own
};
// Where they are in a data folder.
KeyFiles KeysOf(const std::string& data_dir);
// Whether the folder has them: `dl-submit cluster init` was here.
bool HasKeys(const std::string& data_dir);

// A new CA (ECDSA P-256, for 20 years). FailedPrecondition where there is one: every token names
// it, and a new one would lock them all out.
Status MakeAuthority(const KeyFiles& files);

// A new key and certificate of the master, for as long. `names`: host names and IP addresses under
// which it is reached, at least one. InvalidArgument for one that is neither.
Status IssueCertificate(const KeyFiles& files, const std::vector<std::string>& names);

// The names for which the certificate in a PEM file stands.
StatusOr<std::vector<std::string>> NamesOfCertificate(const std::string& path);

// Until it ends, rounded down; below 0 for one that has.
StatusOr<int64_t> DaysLeftOfCertificate(const std::string& path);

// OK when the certificate stands for that host name or IP address, as a peer will look at it;
// FailedPrecondition otherwise.
Status CheckNameOfCertificate(const std::string& path, const std::string& name);

// Names that this machine has, as far as it knows: localhost, its host name, the addresses of its
// interfaces.
std::vector<std::string> NamesOfThisMachine();

}  // namespace dl::security
