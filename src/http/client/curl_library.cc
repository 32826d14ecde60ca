#include "http/client/curl_library.h"

#include <fmt/format.h>

#include "ports/late_library.h"

namespace jettison::http {
namespace {

bool FindAll(const LateLibrary& library, CurlLibrary& curl) {
  return library.Find("curl_easy_init", curl.easy_init) &&
         library.Find("curl_easy_setopt", curl.easy_setopt) &&
         library.Find("curl_easy_perform", curl.easy_perform) &&
         library.Find("curl_easy_getinfo", curl.easy_getinfo) &&
         library.Find("curl_easy_strerror", curl.easy_strerror) &&
         library.Find("curl_easy_cleanup", curl.easy_cleanup) &&
         library.Find("curl_multi_init", curl.multi_init) &&
         library.Find("curl_multi_cleanup", curl.multi_cleanup) &&
         library.Find("curl_multi_setopt", curl.multi_setopt) &&
         library.Find("curl_multi_add_handle", curl.multi_add_handle) &&
         library.Find("curl_multi_remove_handle", curl.multi_remove_handle) &&
         library.Find("curl_multi_perform", curl.multi_perform) &&
         library.Find("curl_multi_poll", curl.multi_poll) &&
         library.Find("curl_multi_wakeup", curl.multi_wakeup) &&
         library.Find("curl_multi_info_read", curl.multi_info_read) &&
         library.Find("curl_multi_strerror", curl.multi_strerror) &&
         library.Find("curl_slist_append", curl.slist_append) &&
         library.Find("curl_slist_free_all", curl.slist_free_all);
}

bool MadeReady(const LateLibrary& library) {
  decltype(&::curl_global_init) global_init = nullptr;
  return library.Find("curl_global_init", global_init) &&
         global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

Result<CurlLibrary> Loaded() {
  // Debian's build on GnuTLS, which is loaded for the server as well; other systems have but one
  // build.
  const auto library = LateLibrary::Load({"libcurl-gnutls.so.4", "libcurl.so.4"});
  CurlLibrary curl;
  if (library && FindAll(*library, curl) && MadeReady(*library)) return curl;
  return Fail(ErrorCode::kUnavailable,
              fmt::format("asking over HTTP needs libcurl, which cannot be loaded ({}); Debian: "
                          "apt-get install libcurl3-gnutls",
                          library ? "it cannot be made ready" : library.error().message));
}

}  // namespace

Result<const CurlLibrary*> LoadCurl() {
  static const Result<CurlLibrary> kLibrary = Loaded();
  if (!kLibrary) return Fail(kLibrary.error());
  return &*kLibrary;
}

}  // namespace jettison::http
