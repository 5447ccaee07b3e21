// The keys of a cluster: its own CA, and the certificate that the CA issues to the master.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::security {

// Paths of PEM files. The functions below write key files that only their owner can read.
struct KeyFiles {
  std::string ca, ca_key;
  std::string certificate, key;  // of the master; the CA's certificate follows the master's
};
// Returns the paths of the keys in a master's data folder.
KeyFiles KeyFilesIn(const std::string& data_dir);
// Returns true if the folder has the master's certificate and key. `dl-submit cluster init` creates
// them, and so do masters of Slurm and MPI clusters in a folder without keys.
bool HasMasterCertificate(const std::string& data_dir);

// Functions below that return a status also return errors of the file system, and Internal if
// OpenSSL fails.

// Creates a new CA (ECDSA P-256, valid for 20 years) and the folder for it. Returns AlreadyExists
// if the file `ca` exists: tokens of the cluster contain the fingerprint of its CA, so a new CA
// would invalidate them.
Status MakeAuthority(const KeyFiles& files);

// Creates a new key and certificate of the master, valid for 20 years, and replaces existing ones.
// `names` are the host names and IP addresses under which the master is reached, at least one.
// Returns InvalidArgument without names, for a name that is neither a host name nor an IP address,
// and for a damaged CA; NotFound if no CA exists. Replaces the key first. After a crash before the
// certificate is replaced, the two do not match, and the function must be called again.
Status IssueCertificate(const KeyFiles& files, const std::vector<std::string>& names);

// The next three functions examine the first certificate in `path`, a PEM file. They return
// InvalidArgument if the file has none.

// Returns the host names and IP addresses that the certificate lists.
StatusOr<std::vector<std::string>> ReadCertificateNames(const std::string& path);

// Returns the number of days until the certificate expires, rounded down; negative if it has
// expired. Returns DataLoss if its date of expiry cannot be read.
StatusOr<int64_t> ReadCertificateDaysLeft(const std::string& path);

// Returns OK if the certificate lists this host name or IP address, by the rules that a peer
// applies. Does not check when it expires. Returns FailedPrecondition otherwise.
Status CheckCertificateName(const std::string& path, const std::string& name);

// Returns the names of this machine: its host name, the addresses of its interfaces except IPv6
// link-local addresses, localhost, 127.0.0.1 and ::1.
std::vector<std::string> FindMachineNames();

}  // namespace dl::security
