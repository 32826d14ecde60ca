#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "core/units/result.h"

namespace jettison {

// A shared library that no program links: it is loaded when it is wanted, so that an agent that
// never wants it pays neither the memory nor the time of its start. It stays loaded.
class LateLibrary {
 public:
  // Loads the first of these that is there, by soname. kUnavailable: none of them can be loaded.
  [[nodiscard]] static Result<LateLibrary> Load(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return LateLibrary(handle);
    }
    const char* why = ::dlerror();
    return Fail(ErrorCode::kUnavailable, why == nullptr ? "no library is named" : why);
  }

  // Looks the function up. Returns false if the library does not have it.
  template <typename Function>
  [[nodiscard]] bool Find(const char* name, Function& found) const {
    found = reinterpret_cast<Function>(::dlsym(handle_, name));
    return found != nullptr;
  }

 private:
  explicit LateLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace jettison
