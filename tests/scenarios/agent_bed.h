#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/cgroups/host_cgroups.h"
#include "pods/tree_removal.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A node of its own for one test, and the agent's program on it. Everything goes with the object.
class AgentBed {
 public:
  // Sets the node up, with this memory; `error` says why it cannot be.
  explicit AgentBed(std::uint64_t node_bytes = std::uint64_t{256} << 20) {
    if (geteuid() != 0) {
      error_ = "the agent needs root";
      return;
    }
    group_ = fmt::format("jettison-scenario-{}", getpid());
    auto root = OpenHostCgroups({});
    if (!root) {
      error_ = root.error().message;
      return;
    }
    cgroups_ = std::move(*root);
    if (const auto made = cgroups_->Create(group_, {.memory_bytes = node_bytes}); !made) {
      error_ = made.error().message;
      return;
    }
    std::string pattern =
        (std::filesystem::temp_directory_path() / "jettison-scenario-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ + "/manifests");
  }
  AgentBed(const AgentBed&) = delete;
  AgentBed& operator=(const AgentBed&) = delete;
  ~AgentBed() {
    KillAgent();
    if (cgroups_) {
      static_cast<void>(cgroups_->Kill(group_));
      static_cast<void>(cgroups_->Remove(group_));
      static_cast<void>(cgroups_->Kill(OwnGroup()));
      static_cast<void>(cgroups_->Remove(OwnGroup()));
    }
    if (folder_.empty()) return;
    (void)RemoveTrees({folder_});
  }
  [[nodiscard]] const std::string& error() const { return error_; }

  // Lines for the KubeletConfiguration, in front of what every test has; without an evictionHard
  // among them the node watches its memory alone.
  void Configure(std::string_view kubelet_fields) { kubelet_fields_ = kubelet_fields; }
  // The same for the JettisonConfiguration.
  void ConfigureAgent(std::string_view jettison_fields) { jettison_fields_ = jettison_fields; }
  // Where an agent may find itself.
  enum class Place {
    kOrdinary,
    kReadOnlyRoot,       // the file system of its root is read-only
    kHiddenProcesses,    // /proc hides processes of other users (hidepid=2), as from the package's
                         // unit
    kWithoutProcessIds,  // it gets neither threads nor processes, until GiveProcessIds
  };
  void StartAgent(const std::vector<std::string>& flags = {}, Place place = Place::kOrdinary) {
    if (place == Place::kWithoutProcessIds) {
      static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = 1}));
    }
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return;
    log_ = FileDescriptor(pipe_ends[0]);
    const FileDescriptor write_end(pipe_ends[1]);
    Launch(flags, write_end.get(), place);
  }
  // The same as StartAgent, with its log at `log`, which the bed then does not read.
  void StartAgentWithLogAt(int log) {
    log_.Close();
    Launch({}, log);
  }
  // Writes the configuration anew and has the agent read it; `text` stands for all of it.
  void Reload() const {
    static_cast<void>(WriteConfig());
    kill(agent_, SIGHUP);
  }
  void ReloadWith(const std::string& text) const {
    std::ofstream(folder_ + "/config.yaml") << text;
    kill(agent_, SIGHUP);
  }
  // Limits the agent to the threads and processes that it has now, or lifts that limit.
  void LeaveNoProcessIds() {
    static_cast<void>(cgroups_->Create(OwnGroup(), {}));
    MoveAgent();
    const auto tasks = cgroups_->ReadPids(OwnGroup());
    if (!tasks) return;
    const auto most = static_cast<std::int64_t>(*tasks);
    static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = most}));
  }
  void GiveProcessIds() { static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = -1})); }
  // It gets so many more descriptors.
  void LeaveDescriptors(int spare) const {
    rlimit limit{};
    prlimit(agent_, RLIMIT_NOFILE, nullptr, &limit);
    limit.rlim_cur = 0;
    const std::string open = fmt::format("/proc/{}/fd/", agent_);
    for (int unused = 0;; ++limit.rlim_cur) {
      if (std::filesystem::is_symlink(open + fmt::to_string(limit.rlim_cur))) continue;
      if (unused++ == spare) break;
    }
    prlimit(agent_, RLIMIT_NOFILE, &limit, nullptr);
  }
  // As the kernel's OOM killer would end it.
  void KillAgent() {
    if (agent_ <= 0) return;
    kill(agent_, SIGKILL);
    waitpid(agent_, nullptr, 0);
    agent_ = -1;
  }
  // SIGTERM; the exit status.
  int StopAgent() {
    kill(agent_, SIGTERM);
    return AwaitEnd();
  }
  // The exit status of an agent that ends by itself.
  int AwaitEnd() {
    int status = -1;
    waitpid(agent_, &status, 0);
    agent_ = -1;
    ReadLog(std::chrono::milliseconds(0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Writes or removes a manifest. `Manifest` makes one of a pod with one container.
  void Put(const std::string& file, const std::string& text) {
    std::ofstream(folder_ + "/manifests/" + file) << text;
  }
  void Remove(const std::string& file) { std::filesystem::remove(folder_ + "/manifests/" + file); }
  [[nodiscard]] static std::string Manifest(const std::string& name,
                                            const std::vector<std::string>& command,
                                            const std::string& container_fields = "") {
    return fmt::format(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n"
        "  terminationGracePeriodSeconds: 2\n"
        "  containers:\n  - name: main\n    command: [\"{}\"]\n{}",
        name, fmt::join(command, "\", \""), container_fields);
  }

  // Reads the log until a line holds all of these; false when none came in time.
  [[nodiscard]] bool WaitForLine(const std::vector<std::string>& parts,
                                 std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    return WaitForLines({parts}, patience);
  }
  // The same for several lines, whatever their order.
  [[nodiscard]] bool WaitForLines(std::vector<std::vector<std::string>> lines,
                                  std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      for (; looked_at_ < lines_.size() && !lines.empty(); ++looked_at_) {
        const auto found = std::ranges::find_if(lines, [&](const std::vector<std::string>& parts) {
          return HoldsAll(lines_[looked_at_], parts);
        });
        if (found != lines.end()) lines.erase(found);
      }
      if (lines.empty()) return true;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      ReadLog(left);
    }
  }
  // What the agent has said so far.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::vector<std::string> LinesWith(std::string_view part) const {
    std::vector<std::string> found;
    std::ranges::copy_if(lines_, std::back_inserter(found), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
    return found;
  }
  [[nodiscard]] pid_t agent() const { return agent_; }
  // Ids of the processes in the node's group, or in one below it.
  [[nodiscard]] std::vector<pid_t> Processes() { return ProcessesIn(""); }
  [[nodiscard]] std::vector<pid_t> ProcessesIn(const std::string& group) {
    const std::string path = group.empty() ? group_ : group_ + "/" + group;
    return cgroups_->Processes(path).value_or(std::vector<pid_t>{});
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Where the agent answers over HTTP.
  [[nodiscard]] std::string endpoint() const { return "unix://" + folder_ + "/agent.sock"; }
  // The node's control group, without leading slash.
  [[nodiscard]] const std::string& group() const { return group_; }

 private:
  // The kubelet's defaults look at the machine's disks as well, and a test must pass on a full one.
  static constexpr std::string_view kMemoryAlone = "evictionHard: {memory.available: 10Mi}\n";

  static bool HoldsAll(std::string_view line, const std::vector<std::string>& parts) {
    return std::ranges::all_of(
        parts, [&](const std::string& part) { return line.find(part) != std::string_view::npos; });
  }

  // For the calling process and its children.
  static bool MakeReadOnlyHere(const std::string& folder) {
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0 &&
           mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
  }

  // The same. Whoever may trace any process, or is in the group of the mount, sees all.
  static bool HideProcessesHere() {
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("proc", "/proc", "proc", 0, "hidepid=2,gid=54321") == 0 &&
           prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE) == 0;
  }

  [[nodiscard]] std::string WriteConfig() const {
    const std::string file = folder_ + "/config.yaml";
    std::ofstream(file) << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\n"
        "kind: KubeletConfiguration\n"
        "staticPodPath: {0}/manifests\n"
        "kernelMemcgNotification: true\n"
        "{1}{4}"
        "---\n"
        "apiVersion: jettison.io/v1alpha1\n"
        "kind: JettisonConfiguration\n"
        "root: {0}/root\n"
        "nodeCgroup: /{2}\n"
        "http: {{socket: {0}/agent.sock}}\n"
        "{3}",
        folder_, kubelet_fields_, group_, jettison_fields_,
        kubelet_fields_.find("evictionHard:") == std::string::npos ? kMemoryAlone : "");
    return file;
  }
  void Launch(const std::vector<std::string>& flags, int log, Place place = Place::kOrdinary) {
    std::vector<std::string> arguments = {JETTISON_BINARY, "run", "--config", WriteConfig()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    agent_ = fork();
    if (agent_ != 0) return;
    // It holds the output of the test, which would never end with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (place == Place::kWithoutProcessIds) {
      for (const auto places = cgroups_->OpenProcs(OwnGroup()); const ProcsFile& each : *places) {
        dprintf(each.file.get(), "%d", getpid());
      }
    }
    if (place == Place::kReadOnlyRoot && !MakeReadOnlyHere(folder_ + "/root")) _exit(126);
    if (place == Place::kHiddenProcesses && !HideProcessesHere()) _exit(126);
    dup2(log, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  [[nodiscard]] std::string OwnGroup() const { return group_ + "-agent"; }
  // Into its own group.
  void MoveAgent() const {
    const auto files = cgroups_->OpenProcs(OwnGroup());
    if (!files) return;
    for (const ProcsFile& procs : *files) {
      if (procs.name.ends_with("(cpu)")) continue;
      const std::string pid = fmt::to_string(agent_);
      EXPECT_EQ(::write(procs.file.get(), pid.data(), pid.size()), std::ssize(pid)) << procs.name;
    }
  }
  void ReadLog(std::chrono::milliseconds patience) {
    pollfd ready = {.fd = log_.get(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return;
    std::array<char, 8192> buffer;
    const ssize_t got = read(log_.get(), buffer.data(), buffer.size());
    if (got <= 0) return;
    unread_.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos;) {
      lines_.push_back(unread_.substr(0, end));
      unread_.erase(0, end + 1);
    }
  }

  std::string error_;
  std::string folder_;
  std::string group_;
  std::unique_ptr<Cgroups> cgroups_;
  std::string kubelet_fields_;
  std::string jettison_fields_;
  pid_t agent_ = -1;
  FileDescriptor log_;
  std::string unread_;
  std::vector<std::string> lines_;
  std::size_t looked_at_ = 0;  // lines that WaitForLine has passed
};

// A test of the agent on a bed of its own. Where it fails it shows what the agent has said.
class AgentTest : public testing::Test {
 protected:
  explicit AgentTest(std::uint64_t node_bytes = std::uint64_t{256} << 20) : bed_(node_bytes) {}
  // Where there can be no bed the test is skipped.
  void SetUp() final {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    Prepare();
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  virtual void Prepare() {}

  [[nodiscard]] bool IsReady() { return bed_.WaitForLine({"agent is ready"}); }
  // Until the container of this pod runs; without a name: that of any pod.
  [[nodiscard]] bool HasStarted(const std::string& pod = "") {
    return bed_.WaitForLine(
        {"Started container main", "object=default/" + (pod.empty() ? pod : pod + " ")});
  }
  [[nodiscard]] bool IsEvicted(const std::string& pod,
                               std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    return bed_.WaitForLine({"pod is evicted successfully", "pod=default/" + pod + " "}, patience);
  }
  [[nodiscard]] bool IsCleanedUp() { return bed_.WaitForLine({"pods were cleaned up"}); }
  void PutSleeper(const std::string& name) {
    bed_.Put(name + ".yaml", AgentBed::Manifest(name, {"sleep", "1000"}));
  }
  // A pod default/leak, which grows to so many MiB; `flags` are more of its program.
  void PutLeak(const std::string& total = "200", const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {JETTISON_BINARY, "workload", "leak", "--rate",
                                        "200",           "--total",  total};
    command.insert(command.end(), flags.begin(), flags.end());
    bed_.Put("leak.yaml", AgentBed::Manifest("leak", command));
  }

  // The pods that were evicted, a line each.
  [[nodiscard]] std::vector<std::string> Evictions() const {
    return bed_.LinesWith("pod is evicted successfully");
  }

  AgentBed bed_;
};

}  // namespace jettison
