#include "http/client/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace jettison::http {
namespace {

// Debian's build on GnuTLS, which is loaded for the server as well; other systems have but one
// build.
constexpr const char* kNames[] = {"libcurl-gnutls.so.4", "libcurl.so.4"};

void* Opened() {
  for (const char* name : kNames) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <typename Function>
bool Find(void* library, const char* name, Function& found) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  return found != nullptr;
}

bool FindAll(void* library, CurlLibrary& curl) {
  return Find(library, "curl_easy_init", curl.easy_init) &&
         Find(library, "curl_easy_setopt", curl.easy_setopt) &&
         Find(library, "curl_easy_perform", curl.easy_perform) &&
         Find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
         Find(library, "curl_easy_strerror", curl.easy_strerror) &&
         Find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
         Find(library, "curl_multi_init", curl.multi_init) &&
         Find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
         Find(library, "curl_multi_setopt", curl.multi_setopt) &&
         Find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
         Find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
         Find(library, "curl_multi_perform", curl.multi_perform) &&
         Find(library, "curl_multi_poll", curl.multi_poll) &&
         Find(library, "curl_multi_wakeup", curl.multi_wakeup) &&
         Find(library, "curl_multi_info_read", curl.multi_info_read) &&
         Find(library, "curl_multi_strerror", curl.multi_strerror) &&
         Find(library, "curl_slist_append", curl.slist_append) &&
         Find(library, "curl_slist_free_all", curl.slist_free_all);
}

bool MadeReady(void* library) {
  decltype(&::curl_global_init) global_init = nullptr;
  return Find(library, "curl_global_init", global_init) &&
         global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

Result<CurlLibrary> Loaded() {
  CurlLibrary curl;
  void* library = Opened();
  if (library != nullptr && FindAll(library, curl) && MadeReady(library)) return curl;
  const char* why = ::dlerror();
  return Fail(ErrorCode::kUnavailable,
              fmt::format("asking over HTTP needs libcurl, which cannot be loaded ({}); Debian: "
                          "apt-get install libcurl3-gnutls",
                          why == nullptr ? "it cannot be made ready" : why));
}

}  // namespace

Result<const CurlLibrary*> LoadCurl() {
  static const Result<CurlLibrary> kLibrary = Loaded();
  if (!kLibrary) return Fail(kLibrary.error());
  return &*kLibrary;
}

}  // namespace jettison::http
