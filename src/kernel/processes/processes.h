#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What the kernel tells of the processes that a container runtime has started for us.
class Processes {
 public:
  virtual ~Processes() = default;

  // A handle of the process, readable when it has ended; kNotFound where there is no such process.
  [[nodiscard]] virtual Result<FileDescriptor> Open(pid_t pid) = 0;
  // Sends a signal through the handle; nothing happens where the process has ended.
  virtual void Signal(const FileDescriptor& process, int signal) = 0;
  // How a process has ended, as wait(2) reports it. Absent until its parent has reaped it, and on
  // kernels before 6.15.
  [[nodiscard]] virtual std::optional<int> WaitStatus(const FileDescriptor& process) = 0;
  // The text of /proc/PID/NAME.
  [[nodiscard]] virtual Result<std::string> ReadFile(pid_t pid, std::string_view name) = 0;
};

// The processes of this machine.
class HostProcesses : public Processes {
 public:
  [[nodiscard]] Result<FileDescriptor> Open(pid_t pid) override;
  void Signal(const FileDescriptor& process, int signal) override;
  [[nodiscard]] std::optional<int> WaitStatus(const FileDescriptor& process) override;
  [[nodiscard]] Result<std::string> ReadFile(pid_t pid, std::string_view name) override;
};

// The name of the group directly below `parent` that is the container's, by the ID in it.
// kNotFound: there is none.
[[nodiscard]] Result<std::string> GroupOfContainer(Cgroups& cgroups, const std::string& parent,
                                                   std::string_view id);

// Which processes in a container's group count.
enum class Counts : std::uint8_t {
  kAll,
  kStarted,  // not those with which runc makes the container, or that it keeps in one until it is
             // started
};

struct FirstProcess {
  pid_t pid = 0;
  std::uint64_t began = 0;  // in ticks since the boot; 0: /proc does not show the process
};

// The first process of a container, by its group: among those whose parent is not in the group (the
// container's own, and processes of later execs), the one that began first. A process that /proc
// hides (hidepid) counts where it shows none. Absent: nothing runs in the group, or there is none.
[[nodiscard]] Result<std::optional<FirstProcess>> FirstProcessIn(Processes& processes,
                                                                 Cgroups& cgroups,
                                                                 std::string_view group,
                                                                 Counts counts = Counts::kAll);

// The control group that a process is charged to for memory, from the root of its hierarchy: that
// of the memory controller, without one that of the unified hierarchy. Empty where neither is told.
[[nodiscard]] std::string MemoryGroupIn(std::string_view proc_cgroup);

// The folder that takes what a container writes: the upper folder of the overlay that is its root,
// by its /proc/PID/mountinfo; empty where its root is something else.
[[nodiscard]] std::string UpperFolderOf(std::string_view mountinfo);

// Whether a group of this name, without a slash, is that of the container: named by its ID, maybe
// with what a runtime puts before it ("cri-containerd-ID.scope"). An ID that is but a part of
// another one is not enough, and neither is conmon's group.
[[nodiscard]] bool IsGroupOfContainer(std::string_view name, std::string_view id);

// Whether a group of this name is that of conmon, which CRI-O runs beside each container and, with
// conmon_cgroup = "pod", in the pod's group ("crio-conmon-ID.scope"). It is no container.
[[nodiscard]] bool IsGroupOfConmon(std::string_view name);

// Whether a process is what runc keeps in a container that is made and not started yet, by its
// /proc/PID/stat.
[[nodiscard]] bool IsPrepared(std::string_view proc_stat);

// The process that a process is a child of, by its /proc/PID/stat; 0 where that does not say.
[[nodiscard]] pid_t ParentOf(std::string_view proc_stat);

// Whether a process, or only its first thread, is about to end or has ended, by its
// /proc/PID/stat. Cgroup v1 tells "/" as its group then, although other threads may run on in its
// own.
[[nodiscard]] bool IsEnding(std::string_view proc_stat);

// When a process began, in the kernel's ticks since the boot, by its /proc/PID/stat; absent where
// it does not say. With its number it names a process for good.
[[nodiscard]] std::optional<std::uint64_t> StartOf(std::string_view proc_stat);

}  // namespace jettison
