// links: jettison_procfs

#include "fuzz/fuzz.h"
#include "kernel/procfs/parse.h"

// Whatever the text, a figure that comes out is one that can be reckoned with.
void Fuzz(std::string_view text) {
  if (const auto memory = jettison::procfs::ParseMemInfo(text)) {
    if (memory->WithoutHugePages() > memory->total) std::abort();
    if (const auto available = memory->Available(); available && *available > memory->total) {
      std::abort();
    }
  }
  (void)jettison::procfs::ParseListedPages(text);
  if (const auto tasks = jettison::procfs::ParseTaskCount(text); tasks && *tasks < 0) std::abort();
  if (const auto limit = jettison::procfs::ParsePidLimit(text); limit && *limit <= 0) std::abort();
  if (const auto pages = jettison::procfs::ParseStatm(text)) {
    if (pages->all >> 52U > 1 || pages->resident >> 52U > 1) std::abort();
  }
}
