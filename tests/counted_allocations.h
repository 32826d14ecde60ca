#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

// Counts what each thread of a test program allocates, by replacing operator new. One source of a
// program includes this. The functions are not inlined, or the compiler sees malloc paired with
// delete. Where a sanitizer replaces every form of them, it wants every form replaced here that the
// standard library calls.
inline thread_local std::size_t allocations = 0;

// NOLINTBEGIN(misc-definitions-in-headers): only one source of a program includes this
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(misc-definitions-in-headers)
