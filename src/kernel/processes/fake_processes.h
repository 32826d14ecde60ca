#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "kernel/processes/processes.h"
#include "ports/system_error.h"

namespace jettison {

// Processes that a test starts and ends.
class FakeProcesses : public Processes {
 public:
  [[nodiscard]] Result<FileDescriptor> Open(pid_t pid) override {
    const auto it = processes_.find(pid);
    if (it == processes_.end() || it->second.reaped) return Fail(SystemError(ESRCH, "open"));
    if (!has_descriptors) return Fail(SystemError(EMFILE, "open"));
    FileDescriptor handle(::dup(it->second.end.get()));
    handles_[handle.get()] = pid;
    return handle;
  }
  void Signal(const FileDescriptor& process, int signal) override {
    const pid_t pid = handles_.at(process.get());
    if (on_signal && !processes_.at(pid).ended) on_signal(pid, signal);
  }
  [[nodiscard]] std::optional<int> WaitStatus(const FileDescriptor& process) override {
    return tells_wait_status ? processes_.at(handles_.at(process.get())).ended : std::nullopt;
  }
  [[nodiscard]] Result<std::string> ReadFile(pid_t pid, std::string_view name) override {
    if (!reads_own && pid == ::getpid()) return Fail(SystemError(EMFILE, name));
    const auto it = processes_.find(pid);
    if (it == processes_.end() && pid == ::getpid() && name == "cgroup") return "0::/agent\n";
    if (it == processes_.end() || it->second.hidden) return Fail(SystemError(ENOENT, name));
    if (name == "stat") {
      return std::to_string(pid) + " (" + it->second.name + ") S 1 2 3 4 5 " +
             (it->second.first_thread_ended ? "4194308" : "4194304") +
             " 7 8 9 10 11 12 13 14 15 16 17 18 " + std::to_string(it->second.start) + " 20\n";
    }
    if (name == "cmdline") return it->second.command_line;
    return name == "cgroup" ? it->second.cgroup : it->second.mountinfo;
  }

  void Add(pid_t pid, std::string cgroup, std::string mountinfo) {
    processes_[pid] = {.end = FileDescriptor(::eventfd(0, EFD_CLOEXEC)),
                       .cgroup = std::move(cgroup),
                       .mountinfo = std::move(mountinfo),
                       .start = next_start_++,
                       .ended = std::nullopt};
  }
  void SetName(pid_t pid, std::string name) { processes_.at(pid).name = std::move(name); }
  // Each argument ends with a null byte.
  void SetCommandLine(pid_t pid, std::string text) {
    processes_.at(pid).command_line = std::move(text);
  }
  // Ends the process: its open handles become readable, and it cannot be opened any more.
  void End(pid_t pid, int wait_status) {
    Process& process = processes_.at(pid);
    process.ended = wait_status;
    process.reaped = true;
    const std::uint64_t one = 1;
    (void)!::write(process.end.get(), &one, sizeof one);
  }
  // Its other threads run on; cgroup v1 tells of another group.
  void EndFirstThread(pid_t pid) {
    processes_.at(pid).first_thread_ended = true;
    processes_.at(pid).cgroup = "4:memory:/\n";
  }
  // /proc does not show it to the agent (hidepid=2).
  void Hide(pid_t pid) { processes_.at(pid).hidden = true; }
  [[nodiscard]] bool Runs(pid_t pid) const { return !processes_.at(pid).ended; }

  // What a signal does.
  std::function<void(pid_t, int)> on_signal;
  bool tells_wait_status = true;
  bool has_descriptors = true;  // for handles
  bool reads_own = true;        // files of this process; its group is "/agent" unless it is added

 private:
  struct Process {
    FileDescriptor end;
    std::string cgroup;
    std::string mountinfo;
    std::uint64_t start = 0;
    std::string name = "program";
    std::string command_line = std::string("program\0", 8);
    std::optional<int> ended;
    bool reaped = false;
    bool first_thread_ended = false;
    bool hidden = false;
  };
  std::uint64_t next_start_ = 100;
  std::map<pid_t, Process> processes_;
  std::map<int, pid_t> handles_;
};

}  // namespace jettison
