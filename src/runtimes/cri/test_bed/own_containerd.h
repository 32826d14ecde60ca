#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/choices.h"
#include "core/units/result.h"

namespace jettison::cri {

// The program of that name in $PATH or where administrators' programs are; kNotFound where there is
// none.
[[nodiscard]] Result<std::string> FindProgram(const std::string& name);

// Runs a program (a path and its arguments) to its end, without input, and answers what it printed.
// One that fails, or cannot be started, is an error with its last line.
[[nodiscard]] Result<std::string> RunProgram(const std::vector<std::string>& arguments);

// Starts a program that goes on running, at the longest as long as this thread; what it prints goes
// to the end of a file. It is the caller's to end and to wait for.
[[nodiscard]] Result<pid_t> StartProgram(const std::vector<std::string>& arguments,
                                         const std::string& output_file);

// An image of the test program (see test_program_main.cc), at /test-program in it. Two that differ
// in any of this have different IDs.
struct TestImage {
  std::string reference;                        // with tag: "bed.local/app:1"
  std::vector<std::string> arguments{"pause"};  // when a container names none
  std::size_t padding_bytes = 0;                // of a file in the image that nobody reads
};

// containerd's namespace of what CRI makes.
inline constexpr const char* kCriNamespace = "k8s.io";

// A containerd whose files are all in two folders, but for the sockets of its shims, which are in
// /run/containerd. Pods have no network of their own.
struct OwnContainerd {
  std::string root;         // images and writable layers: their file system is the pods'
  std::string folder;       // all the rest: configuration, socket, log, state, and runc's
  std::string pause_image;  // of sandboxes
  // Who makes containers' groups. With systemd, which must run then.
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;

  [[nodiscard]] std::string Socket() const { return folder + "/containerd.sock"; }
  [[nodiscard]] std::string Log() const { return folder + "/containerd.log"; }

  // Starts it; it answers some 200 ms later. It ends with this thread, or before by the caller, who
  // then takes away what it leaves.
  [[nodiscard]] Result<pid_t> Start() const;
  // Runs the command ctr in one of its namespaces; fails with the last line of what it says.
  [[nodiscard]] Result<void> Ctr(const std::string& in_namespace,
                                 const std::vector<std::string>& words) const;
  // Makes images known in that namespace.
  [[nodiscard]] Result<void> Import(const std::string& in_namespace,
                                    const std::vector<TestImage>& images) const;
};

}  // namespace jettison::cri
