#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/choices.h"
#include "core/units/result.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"
#include "rpc/calls.h"

namespace jettison::cri {

// An image of the test program (see test_program_main.cc), at /test-program in it. Two that differ
// in any of this have different IDs.
struct TestImage {
  std::string reference;                        // with tag: "bed.local/app:1"
  std::vector<std::string> arguments{"pause"};  // when a container names none
  std::size_t padding_bytes = 0;                // of a file in the image that nobody reads
};

// What a containerd whose files are all below one folder has on the machine besides them, its own
// process apart.

// Its shims, its runcs and the processes in its containers.
[[nodiscard]] std::vector<pid_t> ProcessesOf(const std::string& folder);
// The paths of a control group in every hierarchy that has it, with what is below, deepest first.
[[nodiscard]] std::vector<std::string> GroupsNamed(const std::string& group);

struct LiveContainerdOptions {
  // Imported before Start returns, besides the image of sandboxes.
  std::vector<TestImage> images;
  // Where images and writable layers are kept: a folder that exists, maybe the mount of a small
  // filesystem. Empty: in the folder of the bed.
  std::string root;
  // Who makes containers' groups. With systemd, which must run then, the bed's group is not used.
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;
};

// A containerd of its own for live tests: root, state, socket and runc's state in a temporary
// folder, no network plug-in. It is ready when it has started, some 200 ms, and when it goes
// everything goes: its containers, shims, mounts and sockets, and the control group that it gives
// to pods in every hierarchy.
class LiveContainerd {
 public:
  static constexpr const char* kPauseImage = "bed.local/pause:1";  // of sandboxes
  static constexpr const char* kTestImage = "bed.local/test:1";    // the test program, pausing

  // Why there can be none on this machine, for GTEST_SKIP; nullopt: there can.
  [[nodiscard]] static std::optional<std::string> Obstacle();
  // With the pause image, the test image and those of the options.
  [[nodiscard]] static Result<std::unique_ptr<LiveContainerd>> Start(
      LiveContainerdOptions options = {});
  ~LiveContainerd();
  LiveContainerd(const LiveContainerd&) = delete;
  LiveContainerd& operator=(const LiveContainerd&) = delete;

  [[nodiscard]] std::string endpoint() const { return "unix://" + socket(); }
  [[nodiscard]] std::string socket() const { return folder() + "/containerd.sock"; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }
  [[nodiscard]] const std::string& root() const { return root_; }
  // A group of its own for pods, below the root of every hierarchy, without leading slash. It comes
  // into being with the first pod in it.
  [[nodiscard]] const std::string& group() const { return group_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  // A client of its own, for the test to look and act by.
  [[nodiscard]] Calls& calls() { return *calls_; }
  // Makes a call and waits for its answer:
  //   Await<api::VersionResponse>([&](auto answer) { bed.calls().Make(kVersion, {}, kSpan, answer);
  //   })
  template <typename Response>
  [[nodiscard]] Result<Response> Await(const std::function<void(Answer<Response>)>& start);

  // Makes images known to the runtime.
  [[nodiscard]] Result<void> Import(const std::vector<TestImage>& images);
  // Has somebody run a container in a namespace of containerd, past CRI, as
  // `ctr run [options] IMAGE ID [argument...]` does, with what the bed needs on top. Its image is
  // the test image.
  struct StrayContainer {
    std::string in_namespace = "default";
    std::string id;
    std::string group;                 // its control group, without leading slash
    std::vector<std::string> options;  // of ctr run
    std::vector<std::string> arguments{"pause"};
  };
  [[nodiscard]] Result<void> RunStray(const StrayContainer& container);
  // Ends the daemon at once, as a crash does; containers go on.
  void Kill();
  // Starts it after Kill and waits until it answers.
  [[nodiscard]] Result<void> StartAgain();
  // The same with images and writable layers in another folder, where it has the test image alone.
  [[nodiscard]] Result<void> StartAgainAt(const std::string& root);
  // Stops it (SIGSTOP), so that it listens and does not answer, and lets it go on.
  void Freeze();
  void Thaw();

  // Runs the command ctr in one of its namespaces; fails with the last line of what it says.
  [[nodiscard]] Result<void> Ctr(const std::string& in_namespace,
                                 const std::vector<std::string>& words) const;

 private:
  LiveContainerd();
  [[nodiscard]] Result<void> Spawn();
  [[nodiscard]] Result<void> AwaitReady();
  [[nodiscard]] Result<void> AwaitImage(const std::string& reference);
  [[nodiscard]] bool HasEnded() const;
  [[nodiscard]] Result<void> ImportInto(const std::string& in_namespace,
                                        const std::vector<TestImage>& images) const;
  [[nodiscard]] std::string log() const { return folder() + "/containerd.log"; }

  kernel::TemporaryFolder folder_;
  std::string root_;
  CgroupDriver cgroup_driver_ = CgroupDriver::kCgroupfs;
  std::string group_;
  pid_t pid_ = -1;
  FileDescriptor process_;  // readable when it has ended
  std::unique_ptr<Calls> calls_;
  std::set<std::string> stray_;  // namespaces that have the test image, besides CRI's
};

template <typename Response>
Result<Response> LiveContainerd::Await(const std::function<void(Answer<Response>)>& start) {
  return AwaitAnswer<Response>(*calls_, std::chrono::minutes(1), start);
}

}  // namespace jettison::cri
