#include "http/gnutls/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace jettison::http {
namespace {

// The soname that the headers stand for.
constexpr const char* kName = "libgnutls.so.30";

Result<void*> Loaded() {
  static const Result<void*> kLibrary = []() -> Result<void*> {
    if (void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL)) return handle;
    return Fail(
        ErrorCode::kUnavailable,
        fmt::format("TLS needs GnuTLS, which cannot be loaded ({}); Debian: apt-get install "
                    "libgnutls30",
                    ::dlerror()));
  }();
  return kLibrary;
}

}  // namespace

Result<void> LoadGnutls() {
  if (auto library = Loaded(); !library) return Fail(library.error());
  return {};
}

void* GnutlsLibrary() {
  const auto library = Loaded();
  if (library) return *library;
  fmt::print(stderr, "jettison: {}\n", library.error().message);
  std::abort();
}

}  // namespace jettison::http
