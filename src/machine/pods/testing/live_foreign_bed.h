#pragma once

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {

// An agent's runtime that looks after foreign pods, on a containerd of its own.
class LiveForeignBed : public LiveCriRuntime {
 protected:
  LiveForeignBed() { adopt_foreign_ = true; }

  // Whether a process of the group handles or ignores TERM, which is waited for: process 1 of a
  // container does not get a signal that it has no handler for.
  [[nodiscard]] bool HandlesTerm(const std::string& group) {
    for (int i = 0; i < 2000; ++i) {
      for (const pid_t pid : cgroups_->Processes(group).value_or(std::vector<pid_t>{})) {
        const std::string folder = "/proc/" + std::to_string(pid);
        const auto status = kernel::ReadFile(folder + "/status");
        const std::size_t ignored_at = status ? status->find("SigIgn:") : std::string::npos;
        const std::size_t at = status ? status->find("SigCgt:") : std::string::npos;
        // What runs before the program handles every signal, and does nothing with it.
        const bool is_program = !IsPrepared(kernel::ReadFile(folder + "/stat").value_or(""));
        if (ignored_at == std::string::npos || at == std::string::npos || !is_program) continue;
        const auto handled = std::stoull(status->substr(at + 7), nullptr, 16) |
                             std::stoull(status->substr(ignored_at + 7), nullptr, 16);
        if ((handled >> (SIGTERM - 1) & 1U) != 0) return true;
      }
      ::usleep(10'000);
    }
    return false;
  }
};

}  // namespace jettison::cri
