// links: jettison_process
//
// Any bytes, read as the state files of a run and as notes on mount points: what is accepted as an
// exit record is written so that it reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtimes/process/mount_points.h"
#include "runtimes/process/runs/process_identity.h"
#include "runtimes/process/runs/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace process = jettison::process;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto exit = process::ParseExitRecord(text)) {
    const auto again = process::ParseExitRecord(process::FormatExitRecord(*exit));
    if (!again || *again != *exit) std::abort();
  }
  if (const auto run = process::ParseRunRecord(text); run && run->shim.pid <= 1) std::abort();
  for (const auto& point : process::ParseMountPoints(text)) {
    if (!point.path.starts_with('/')) std::abort();
  }
  (void)process::ParseProcessStat(text);
  return 0;
}
