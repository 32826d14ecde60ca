#include "machine/own_process/late_libraries.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

namespace jettison {
namespace {

constexpr std::size_t kPage = 4096;
// Nothing is linked with it, and every Debian has it.
constexpr const char* kLibrary = "libBrokenLocale.so.1";

// The segments of a library that nothing writes to.
struct Late {
  std::uint64_t sum = 0;
  bool was_locked = true;
};

// Reads a byte of each page.
int Touch(dl_phdr_info* object, std::size_t /*size*/, void* into) {
  if (std::strstr(object->dlpi_name, kLibrary) == nullptr) return 0;
  auto& late = *static_cast<Late*>(into);
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    auto* const bytes = reinterpret_cast<unsigned char*>(object->dlpi_addr + segment.p_vaddr);
    late.was_locked = ::mlock(bytes, segment.p_memsz) == 0 && late.was_locked;
    for (std::size_t at = 0; at < segment.p_memsz; at += kPage) late.sum += bytes[at];
  }
  return 1;
}

// KiB of the library's code.
std::uint64_t ResidentKib() {
  std::ifstream maps("/proc/self/smaps");
  std::uint64_t resident = 0;
  bool is_ours = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) {
      is_ours =
          line.find(kLibrary) != std::string::npos && line.find(" r-xp ") != std::string::npos;
    } else if (is_ours && line.starts_with("Rss:")) {
      resident += std::stoull(line.substr(4));
    }
  }
  return resident;
}

TEST(LateLibraries, TheirPagesAreGivenBackAndStillThere) {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  Late before;
  ::dl_iterate_phdr(Touch, &before);
  ASSERT_GT(ResidentKib(), 0U);
  GiveBackLateLibraries();
  EXPECT_EQ(ResidentKib(), 0U);
  Late after;
  ::dl_iterate_phdr(Touch, &after);
  EXPECT_EQ(after.sum, before.sum);
  EXPECT_GT(ResidentKib(), 0U);
  if (!before.was_locked) GTEST_SKIP() << "memory cannot be locked here: tried without";
}

}  // namespace
}  // namespace jettison
