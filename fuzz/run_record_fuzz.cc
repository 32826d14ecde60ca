// links: jettison_process
//
// Any bytes, read as the state files of a run: what is accepted as an exit record is written so
// that it reads back the same.

#include "fuzz/fuzz.h"
#include "runtimes/process/runs/run_record.h"

void Fuzz(std::string_view text) {
  namespace process = jettison::process;
  if (const auto exit = process::ParseExitRecord(text)) {
    const auto again = process::ParseExitRecord(process::FormatExitRecord(*exit));
    if (!again || *again != *exit) std::abort();
  }
  if (const auto run = process::ParseRunRecord(text); run && run->shim.pid <= 1) std::abort();
}
