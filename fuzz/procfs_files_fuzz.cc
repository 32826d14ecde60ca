// links: jettison_procfs
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernel/procfs/parse.h"

// Whatever the text, a figure that comes out is one that can be reckoned with.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto memory = jettison::procfs::ParseMemInfo(text)) {
    if (memory->WithoutHugePages() > memory->total) std::abort();
  }
  if (const auto tasks = jettison::procfs::ParseTaskCount(text); tasks && *tasks < 0) std::abort();
  if (const auto limit = jettison::procfs::ParsePidLimit(text); limit && *limit <= 0) std::abort();
  if (const auto kept = jettison::procfs::ParseMinFree(text); kept && *kept % 1024 != 0) {
    std::abort();
  }
  if (const auto pages = jettison::procfs::ParseStatm(text)) {
    if (pages->all >> 52U > 1 || pages->resident >> 52U > 1) std::abort();
  }
  return 0;
}
