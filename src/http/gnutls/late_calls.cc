// The functions of GnuTLS that libmicrohttpd and this room call, under their own names: each hands
// its call on to the library, which LoadGnutls brings in. The headers of GnuTLS check every one;
// one that is missing here is a fault when the program is linked.
#include <dlfcn.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <cstdlib>

#include "http/gnutls/library.h"

namespace {

template <typename Function>
Function* Find(const char* name) {
  void* found = ::dlsym(jettison::http::GnutlsLibrary(), name);
  if (found == nullptr) std::abort();  // every libgnutls.so.30 has them all
  return reinterpret_cast<Function*>(found);
}

}  // namespace

#define HAND_ON(name, ...)                                 \
  {                                                        \
    static auto* const call = Find<decltype(name)>(#name); \
    return call(__VA_ARGS__);                              \
  }
// What it returns, its name, the types of what it takes.
#define LATE1(R, name, A) R name(A a) HAND_ON(name, a)
#define LATE2(R, name, A, B) R name(A a, B b) HAND_ON(name, a, b)
#define LATE3(R, name, A, B, C) R name(A a, B b, C c) HAND_ON(name, a, b, c)
#define LATE4(R, name, A, B, C, D) R name(A a, B b, C c, D d) HAND_ON(name, a, b, c, d)
#define LATE6(R, name, A, B, C, D, E, F) \
  R name(A a, B b, C c, D d, E e, F f) HAND_ON(name, a, b, c, d, e, f)

extern "C" {

// GnuTLS makes itself ready when it is loaded; libmicrohttpd asks for it before anybody wants TLS.
int gnutls_global_init() {
  return GNUTLS_E_SUCCESS;
}
void gnutls_global_deinit() {}

// Its memory is the C library's.
gnutls_alloc_function gnutls_malloc = &std::malloc;

LATE4(int, gnutls_alpn_set_protocols, gnutls_session_t, const gnutls_datum_t*, unsigned, unsigned)
LATE2(int, gnutls_bye, gnutls_session_t, gnutls_close_request_t)
LATE1(int, gnutls_certificate_allocate_credentials, gnutls_certificate_credentials_t*)
LATE1(void, gnutls_certificate_free_credentials, gnutls_certificate_credentials_t)
LATE2(void, gnutls_certificate_server_set_request, gnutls_session_t, gnutls_certificate_request_t)
LATE2(void, gnutls_certificate_set_dh_params, gnutls_certificate_credentials_t, gnutls_dh_params_t)
LATE2(void, gnutls_certificate_set_retrieve_function2, gnutls_certificate_credentials_t,
      gnutls_certificate_retrieve_function2*)
LATE2(void, gnutls_certificate_set_retrieve_function3, gnutls_certificate_credentials_t,
      gnutls_certificate_retrieve_function3*)
LATE4(int, gnutls_certificate_set_x509_key_mem, gnutls_certificate_credentials_t,
      const gnutls_datum_t*, const gnutls_datum_t*, gnutls_x509_crt_fmt_t)
LATE6(int, gnutls_certificate_set_x509_key_mem2, gnutls_certificate_credentials_t,
      const gnutls_datum_t*, const gnutls_datum_t*, gnutls_x509_crt_fmt_t, const char*,
      unsigned int)
LATE3(int, gnutls_certificate_set_x509_trust_mem, gnutls_certificate_credentials_t,
      const gnutls_datum_t*, gnutls_x509_crt_fmt_t)
LATE4(int, gnutls_certificate_verify_peers, gnutls_session_t, gnutls_typed_vdata_st*, unsigned int,
      unsigned int*)
LATE1(gnutls_cipher_algorithm_t, gnutls_cipher_get, gnutls_session_t)
LATE3(int, gnutls_credentials_set, gnutls_session_t, gnutls_credentials_type_t, void*)
LATE1(void, gnutls_deinit, gnutls_session_t)
LATE1(void, gnutls_dh_params_deinit, gnutls_dh_params_t)
LATE3(int, gnutls_dh_params_import_pkcs3, gnutls_dh_params_t, const gnutls_datum_t*,
      gnutls_x509_crt_fmt_t)
LATE1(int, gnutls_dh_params_init, gnutls_dh_params_t*)
LATE1(int, gnutls_handshake, gnutls_session_t)
LATE2(int, gnutls_init, gnutls_session_t*, unsigned int)
LATE1(void, gnutls_priority_deinit, gnutls_priority_t)
LATE3(int, gnutls_priority_init, gnutls_priority_t*, const char*, const char**)
LATE2(int, gnutls_priority_set, gnutls_session_t, gnutls_priority_t)
LATE1(gnutls_protocol_t, gnutls_protocol_get_version, gnutls_session_t)
LATE1(int, gnutls_psk_allocate_server_credentials, gnutls_psk_server_credentials_t*)
LATE1(void, gnutls_psk_free_server_credentials, gnutls_psk_server_credentials_t)
LATE2(void, gnutls_psk_set_server_credentials_function, gnutls_psk_server_credentials_t,
      gnutls_psk_server_credentials_function*)
LATE1(size_t, gnutls_record_check_pending, gnutls_session_t)
LATE1(int, gnutls_record_get_direction, gnutls_session_t)
LATE3(ssize_t, gnutls_record_recv, gnutls_session_t, void*, size_t)
LATE3(ssize_t, gnutls_record_send, gnutls_session_t, const void*, size_t)
LATE1(void*, gnutls_session_get_ptr, gnutls_session_t)
LATE2(void, gnutls_session_set_ptr, gnutls_session_t, void*)
LATE1(const char*, gnutls_strerror, int)
LATE3(void, gnutls_transport_set_int2, gnutls_session_t, int, int)

}  // extern "C"
