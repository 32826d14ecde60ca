#include "tests/scenarios/agent_bed.h"

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
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "machine/cgroups/host_cgroups.h"
#include "pods/tree_removal.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// The kubelet's defaults look at the machine's disks as well, and a test must pass on a full one.
constexpr std::string_view kMemoryAlone = "evictionHard: {memory.available: 10Mi}\n";

bool HoldsAll(std::string_view line, const std::vector<std::string>& parts) {
  return std::ranges::all_of(
      parts, [&](const std::string& part) { return line.find(part) != std::string_view::npos; });
}

// For the calling process and its children.
bool MakeReadOnlyHere(const std::string& folder) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0 &&
         mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
}

// The same. Whoever may trace any process, or is in the group of the mount, sees all.
bool HideProcessesHere() {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", 0, "hidepid=2,gid=54321") == 0 &&
         prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE) == 0;
}

}  // namespace

AgentBed::AgentBed(std::uint64_t node_bytes) {
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
  std::string pattern = (fs::temp_directory_path() / "jettison-scenario-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  fs::create_directories(folder_ + "/manifests");
}

AgentBed::~AgentBed() {
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

std::string AgentBed::WriteConfig() const {
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

void AgentBed::StartAgent(const std::vector<std::string>& flags) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return;
  log_ = FileDescriptor(pipe_ends[0]);
  const FileDescriptor write_end(pipe_ends[1]);
  Launch(flags, write_end.get());
}

void AgentBed::StartAgentOnReadOnlyRoot() {
  read_only_root_ = true;
  StartAgent();
  read_only_root_ = false;
}

void AgentBed::StartAgentWithHiddenProcesses() {
  hidden_processes_ = true;
  StartAgent();
  hidden_processes_ = false;
}

void AgentBed::StartAgentWithLogAt(int log) {
  log_.Close();
  Launch({}, log);
}

void AgentBed::Launch(const std::vector<std::string>& flags, int log) {
  std::vector<std::string> arguments = {JETTISON_BINARY, "run", "--config", WriteConfig()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  agent_ = fork();
  if (agent_ != 0) return;
  // It holds the output of the test, which would never end with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (starved_) {
    for (const auto places = cgroups_->OpenProcs(OwnGroup()); const ProcsFile& place : *places) {
      dprintf(place.file.get(), "%d", getpid());
    }
  }
  if (read_only_root_ && !MakeReadOnlyHere(folder_ + "/root")) _exit(126);
  if (hidden_processes_ && !HideProcessesHere()) _exit(126);
  dup2(log, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

void AgentBed::Reload() const {
  static_cast<void>(WriteConfig());
  kill(agent_, SIGHUP);
}

void AgentBed::ReloadWith(const std::string& text) const {
  std::ofstream(folder_ + "/config.yaml") << text;
  kill(agent_, SIGHUP);
}

void AgentBed::StartAgentWithoutProcessIds(const std::vector<std::string>& flags) {
  static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = 1}));
  starved_ = true;
  StartAgent(flags);
  starved_ = false;
}

// Not in the hierarchy of the cpu controller: kernels with CONFIG_RT_GROUP_SCHED take no real-time
// thread into a group there.
void AgentBed::MoveAgent() const {
  const auto files = cgroups_->OpenProcs(OwnGroup());
  if (!files) return;
  for (const ProcsFile& procs : *files) {
    if (procs.name.ends_with("(cpu)")) continue;
    const std::string pid = fmt::to_string(agent_);
    EXPECT_EQ(::write(procs.file.get(), pid.data(), pid.size()), std::ssize(pid)) << procs.name;
  }
}

void AgentBed::LeaveNoProcessIds() {
  static_cast<void>(cgroups_->Create(OwnGroup(), {}));
  MoveAgent();
  const auto tasks = cgroups_->ReadPids(OwnGroup());
  if (!tasks) return;
  const auto most = static_cast<std::int64_t>(*tasks);
  static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = most}));
}

void AgentBed::GiveProcessIds() {
  static_cast<void>(cgroups_->Create(OwnGroup(), {.pids_max = -1}));
}

void AgentBed::LeaveDescriptors(int spare) const {
  rlimit limit{};
  prlimit(agent_, RLIMIT_NOFILE, nullptr, &limit);
  limit.rlim_cur = 0;
  const std::string open = fmt::format("/proc/{}/fd/", agent_);
  for (int unused = 0;; ++limit.rlim_cur) {
    if (fs::is_symlink(open + fmt::to_string(limit.rlim_cur))) continue;
    if (unused++ == spare) break;
  }
  prlimit(agent_, RLIMIT_NOFILE, &limit, nullptr);
}

void AgentBed::KillAgent() {
  if (agent_ <= 0) return;
  kill(agent_, SIGKILL);
  waitpid(agent_, nullptr, 0);
  agent_ = -1;
}

int AgentBed::StopAgent() {
  kill(agent_, SIGTERM);
  return AwaitEnd();
}

int AgentBed::AwaitEnd() {
  int status = -1;
  waitpid(agent_, &status, 0);
  agent_ = -1;
  ReadLog(std::chrono::milliseconds(0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void AgentBed::Put(const std::string& file, const std::string& text) {
  std::ofstream(folder_ + "/manifests/" + file) << text;
}

void AgentBed::Remove(const std::string& file) {
  fs::remove(folder_ + "/manifests/" + file);
}

std::string AgentBed::Manifest(const std::string& name, const std::vector<std::string>& command,
                               const std::string& container_fields) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n"
      "  terminationGracePeriodSeconds: 2\n"
      "  containers:\n  - name: main\n    command: [\"{}\"]\n{}",
      name, fmt::join(command, "\", \""), container_fields);
}

void AgentBed::ReadLog(std::chrono::milliseconds patience) {
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

bool AgentBed::WaitForFile(const std::string& path, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!fs::exists(path)) {
    if (std::chrono::steady_clock::now() > until) return false;
    ReadLog(std::chrono::milliseconds(10));
  }
  return true;
}

bool AgentBed::WaitForLine(const std::vector<std::string>& parts,
                           std::chrono::milliseconds patience) {
  return WaitForLines({parts}, patience);
}

bool AgentBed::WaitForLines(std::vector<std::vector<std::string>> lines,
                            std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    for (; looked_at_ < lines_.size() && !lines.empty(); ++looked_at_) {
      const auto found = std::ranges::find_if(lines, [&](const std::vector<std::string>& parts) {
        return HoldsAll(lines_[looked_at_], parts);
      });
      if (found != lines.end()) lines.erase(found);
    }
    if (lines.empty()) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    ReadLog(left);
  }
}

std::vector<std::string> AgentBed::LinesWith(std::string_view part) const {
  std::vector<std::string> found;
  std::ranges::copy_if(lines_, std::back_inserter(found), [&](const std::string& line) {
    return line.find(part) != std::string::npos;
  });
  return found;
}

std::vector<pid_t> AgentBed::ProcessesIn(const std::string& group) {
  const std::string path = group.empty() ? group_ : group_ + "/" + group;
  return cgroups_->Processes(path).value_or(std::vector<pid_t>{});
}

}  // namespace jettison
