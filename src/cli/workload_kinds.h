#pragma once

#include <cstdint>
#include <string>

// What a workload does with its resource. Each function returns when it has used up its total, or
// when the kernel refuses more; refusals are told on standard error and are not a failure, since
// running into a limit is what a workload is for.
namespace jettison::workload {

// How fast, and until when. `rate` is a second's worth; zero or less means as fast as it goes.
struct Growth {
  double rate = 0;
  std::int64_t total = 0;
};

// What every kind has in common.
struct Conduct {
  bool ignore_term = false;  // SIGTERM does nothing; otherwise the process exits at once with 0
  double delay_seconds = 0;  // before anything else
  std::string gate;          // wait until this file exists; empty: do not wait
};

// Sets up the signals, then waits for the delay and the gate. Clears the mask of blocked signals,
// which the process may have inherited.
void Begin(const Conduct& conduct);
// Waits for the gate alone; returns at once where there is none.
void WaitForGate(const std::string& gate);

// Touches `start_mib` at once, then after the gate grows by `growth` (MiB) page by page, in small
// pages, and keeps everything.
void Leak(std::int64_t start_mib, const std::string& gate, Growth growth);
// Writes a new file of MiBs that do not compress.
void Fill(const std::string& path, Growth growth);
// Creates empty files in a directory, which is made if need be.
void TakeInodes(const std::string& directory, Growth growth);
// Forks children that sleep, and that end with their parent.
void Fork(Growth growth);

// Sleeps until a signal ends the process.
[[noreturn]] void SleepForever();

}  // namespace jettison::workload
