#pragma once

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

namespace jettison::http {

// A certificate with its key, made for a test; a CA where nobody signs it.
class TestCertificate {
 public:
  // For the name `name`, and for 127.0.0.1; `purpose` is an OID (GNUTLS_KP_TLS_WWW_SERVER), or
  // null.
  TestCertificate(const std::string& name, const TestCertificate* signer, const char* purpose) {
    gnutls_x509_privkey_init(&key_);
    gnutls_x509_privkey_generate(key_, GNUTLS_PK_ECDSA,
                                 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    gnutls_x509_crt_init(&certificate_);
    gnutls_x509_crt_set_version(certificate_, 3);
    // Positive, which the first bit of the first byte says.
    static std::uint16_t made = 0;
    ++made;
    const unsigned char serial[] = {1, static_cast<unsigned char>(made >> 8U),
                                    static_cast<unsigned char>(made & 0xFFU)};
    gnutls_x509_crt_set_serial(certificate_, serial, sizeof(serial));
    const std::time_t now = std::time(nullptr);
    gnutls_x509_crt_set_activation_time(certificate_, now - 3600);
    gnutls_x509_crt_set_expiration_time(certificate_, now + 3600);
    gnutls_x509_crt_set_dn_by_oid(certificate_, GNUTLS_OID_X520_COMMON_NAME, 0, name.data(),
                                  static_cast<unsigned>(name.size()));
    const unsigned char loopback[] = {127, 0, 0, 1};
    gnutls_x509_crt_set_subject_alt_name(certificate_, GNUTLS_SAN_IPADDRESS, loopback,
                                         sizeof(loopback), GNUTLS_FSAN_SET);
    gnutls_x509_crt_set_basic_constraints(certificate_, signer == nullptr ? 1 : 0, -1);
    if (signer == nullptr) gnutls_x509_crt_set_key_usage(certificate_, GNUTLS_KEY_KEY_CERT_SIGN);
    if (purpose != nullptr) gnutls_x509_crt_set_key_purpose_oid(certificate_, purpose, 0);
    gnutls_x509_crt_set_key(certificate_, key_);
    const TestCertificate& by = signer == nullptr ? *this : *signer;
    gnutls_x509_crt_sign2(certificate_, by.certificate_, by.key_, GNUTLS_DIG_SHA256, 0);
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;
  ~TestCertificate() {
    gnutls_x509_crt_deinit(certificate_);
    gnutls_x509_privkey_deinit(key_);
  }

  // Writes FOLDER/NAME.pem and FOLDER/NAME.key.
  void Write(const std::string& folder, const std::string& name) const {
    gnutls_datum_t pem{};
    gnutls_x509_crt_export2(certificate_, GNUTLS_X509_FMT_PEM, &pem);
    WriteDatum(folder + "/" + name + ".pem", pem);
    gnutls_x509_privkey_export2(key_, GNUTLS_X509_FMT_PEM, &pem);
    WriteDatum(folder + "/" + name + ".key", pem);
  }

 private:
  static void WriteDatum(const std::string& path, gnutls_datum_t& pem) {
    std::ofstream(path).write(reinterpret_cast<const char*>(pem.data),
                              static_cast<std::streamsize>(pem.size));
    gnutls_free(pem.data);
    pem = {};
  }
  gnutls_x509_privkey_t key_ = nullptr;
  gnutls_x509_crt_t certificate_ = nullptr;
};

}  // namespace jettison::http
