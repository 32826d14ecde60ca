#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/files/testing/temporary_folder.h"
#include "pods/testing/driven_runtime.h"
#include "ports/cgroups.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "runtimes/process/process_runtime.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

// A pod of one container that runs a shell script.
inline Pod ShellPod(const std::string& uid, const std::string& script) {
  Pod pod;
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].command = {"/bin/sh", "-c", script};
  return pod;
}

// A process runtime over given control groups, in a folder of its own.
class RuntimeBed : public DrivenRuntime {
 public:
  RuntimeBed(Cgroups& cgroups, std::string root) : cgroups_(cgroups), root_(std::move(root)) {}

  [[nodiscard]] ProcessRuntimeOptions Options() {
    return {{.root = root_,
             .written_pods = std::make_shared<kernel::PodsByUid>(known),
             .log_max_bytes = log_max_bytes,
             .log_period = std::chrono::milliseconds(10),
             .path_patience = path_patience,
             .disk_thread = disk_thread,
             .log = [this](std::string_view message) { logged.emplace_back(message); }},
            shim};
  }

  void Open() {
    auto opened = OpenProcessRuntime(Options(), cgroups_, cgroups_, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    runtime_ = std::move(*opened);
  }
  // The log of a run, without the times.
  [[nodiscard]] std::string LogOf(const Pod& pod, int attempt = 0,
                                  const std::string& container = "main") const {
    std::string text;
    std::string rest = kernel::ReadFile(paths().Log(pod, container, attempt)).value_or("no log\n");
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;) {
      text += end > 31 ? rest.substr(31, end - 30) : rest.substr(0, end + 1);
      rest.erase(0, end + 1);
    }
    return text;
  }
  [[nodiscard]] kernel::Paths paths() const { return kernel::Paths(root_); }

  std::string shim = JETTISON_SHIM;
  RealClock clock;
  std::optional<std::int64_t> log_max_bytes;
  Duration path_patience = std::chrono::seconds(10);
  std::shared_ptr<DiskThread> disk_thread;  // null: the disk is fast, and nothing hangs

 private:
  Cgroups& cgroups_;
  std::string root_;
};

// Of the burstable pod "u".
inline const std::string kGroup = "kubepods/burstable/podu";

// The runtime with real processes over control groups in memory, which pass signals on.
class ProcessRuntimeTest : public testing::Test {
 protected:
  explicit ProcessRuntimeTest(
      std::unique_ptr<FakeCgroups> cgroups = std::make_unique<FakeCgroups>())
      : own_cgroups_(std::move(cgroups)) {}
  void SetUp() override {
    cgroups_.OnSignal([](pid_t pid, int signal) { ::kill(pid, signal); });
    bed_.Open();
  }
  void TearDown() override {
    for (const auto& [uid, pod] : bed_.known) EXPECT_TRUE(bed_.Remove(uid));
  }

  const std::unique_ptr<FakeCgroups> own_cgroups_;
  FakeCgroups& cgroups_ = *own_cgroups_;
  kernel::TemporaryFolder folder_;
  RuntimeBed bed_{cgroups_, folder_.path()};
};

}  // namespace jettison::process
