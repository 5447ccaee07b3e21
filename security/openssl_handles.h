// Owning handles for OpenSSL objects, and the text of OpenSSL errors. Private to this folder.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace dl::security {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* held) const {
    Free(held);
  }
};
using BioHandle = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using CertificateHandle = std::unique_ptr<X509, FreeWith<X509_free>>;
using ExtensionHandle = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;
using NumberHandle = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;
using StoreHandle = std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>>;
using StoreContextHandle = std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>>;

using Certificates = STACK_OF(X509);
struct FreeStack {
  void operator()(Certificates* held) const { sk_X509_free(held); }
};
struct FreeStackWithAll {
  void operator()(Certificates* held) const { sk_X509_pop_free(held, X509_free); }
};
using BorrowedCertificates = std::unique_ptr<Certificates, FreeStack>;  // frees only the list
using OwnedCertificates =
    std::unique_ptr<Certificates, FreeStackWithAll>;  // frees the entries also

// Password callback that refuses keys with a password; OpenSSL would ask on the terminal.
inline int NoPassword(char*, int, int, void*) { return -1; }

// Returns the reason of the calling thread's last failed call, and clears the error queue.
inline std::string OpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "it says no reason" : reason;
}

}  // namespace dl::security
