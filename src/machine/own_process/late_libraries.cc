#include "machine/own_process/late_libraries.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <set>

namespace jettison {
namespace {

using Bases = std::set<std::uintptr_t>;

int Note(dl_phdr_info* object, std::size_t /*size*/, void* into) {
  static_cast<Bases*>(into)->insert(object->dlpi_addr);
  return 0;
}

Bases LoadedObjects() {
  Bases bases;
  ::dl_iterate_phdr(Note, &bases);
  return bases;
}

// What the program is linked with: nothing else is loaded before main().
const Bases kLinked = LoadedObjects();

// Segments that may be written to have been relocated, so the file does not hold what is in them.
bool IsAsInFile(const ElfW(Phdr) & segment) {
  return segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0;
}

void GiveBack(std::uintptr_t begin, std::uintptr_t end) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  begin &= ~(page - 1);
  // Where the kernel does not know it, the pages stay.
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED_LOCKED);
}

int GiveBackIfLate(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  if (kLinked.contains(object->dlpi_addr)) return 0;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (!IsAsInFile(segment)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    GiveBack(begin, begin + segment.p_memsz);
  }
  return 0;
}

}  // namespace

void GiveBackLateLibraries() {
  ::dl_iterate_phdr(GiveBackIfLate, nullptr);
}

}  // namespace jettison
