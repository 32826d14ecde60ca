#pragma once

// What every target of libFuzzer has: its only source includes this and says what is done with
// bytes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

void Fuzz(std::string_view text);

// What must hold of every text.
inline void Require(bool holds) {
  if (!holds) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
