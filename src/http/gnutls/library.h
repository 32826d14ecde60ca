#pragma once

#include "core/units/result.h"

namespace jettison::http {

// Loads libgnutls, once; to be called before anything of it is. With it come ten more libraries and
// over 2 MiB of resident memory, which an agent without TLS does not pay: no program links it, and
// late_calls.cc hands each call on. Fails where it is not installed, and says how to get it.
[[nodiscard]] Result<void> LoadGnutls();

// What is loaded, for dlsym. Ends the process where that cannot be, as a missing library does.
[[nodiscard]] void* GnutlsLibrary();

}  // namespace jettison::http
