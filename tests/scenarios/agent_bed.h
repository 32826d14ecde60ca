#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A node of its own for one test, and the agent's program on it. Everything goes with the object.
class AgentBed {
 public:
  // Sets the node up, with this memory; `error` says why it cannot be.
  explicit AgentBed(std::uint64_t node_bytes = std::uint64_t{256} << 20);
  AgentBed(const AgentBed&) = delete;
  AgentBed& operator=(const AgentBed&) = delete;
  ~AgentBed();
  [[nodiscard]] const std::string& error() const { return error_; }

  // Lines for the KubeletConfiguration, in front of what every test has; without an evictionHard
  // among them the node watches its memory alone.
  void Configure(std::string_view kubelet_fields) { kubelet_fields_ = kubelet_fields; }
  // The same for the JettisonConfiguration.
  void ConfigureAgent(std::string_view jettison_fields) { jettison_fields_ = jettison_fields; }
  void StartAgent(const std::vector<std::string>& flags = {});
  // The same where the file system of its root is read-only.
  void StartAgentOnReadOnlyRoot();
  // The same where /proc hides processes of other users from it (hidepid=2), as from the unit that
  // the package installs.
  void StartAgentWithHiddenProcesses();
  // The same as StartAgent, with its log at `log`, which the bed then does not read.
  void StartAgentWithLogAt(int log);
  // Writes the configuration anew and has the agent read it; `text` stands for all of it.
  void Reload() const;
  void ReloadWith(const std::string& text) const;
  // Limits the agent to the threads and processes that it has now, or lifts that limit.
  void LeaveNoProcessIds();
  // Starts an agent under that limit from the beginning.
  void StartAgentWithoutProcessIds(const std::vector<std::string>& flags);
  void GiveProcessIds();
  // It gets so many more descriptors.
  void LeaveDescriptors(int spare) const;
  // As the kernel's OOM killer would end it.
  void KillAgent();
  // SIGTERM; the exit status.
  int StopAgent();
  // The exit status of an agent that ends by itself.
  int AwaitEnd();

  // Writes or removes a manifest. `Manifest` makes one of a pod with one container.
  void Put(const std::string& file, const std::string& text);
  void Remove(const std::string& file);
  [[nodiscard]] static std::string Manifest(const std::string& name,
                                            const std::vector<std::string>& command,
                                            const std::string& container_fields = "");

  // Reads the log until a line holds all of these; false when none came in time.
  [[nodiscard]] bool WaitForLine(const std::vector<std::string>& parts,
                                 std::chrono::milliseconds patience = std::chrono::seconds(20));
  // The same for several lines, whatever their order.
  [[nodiscard]] bool WaitForLines(std::vector<std::vector<std::string>> lines,
                                  std::chrono::milliseconds patience = std::chrono::seconds(20));
  // Reads the log until there is such a file; false when there is none in time.
  [[nodiscard]] bool WaitForFile(const std::string& path,
                                 std::chrono::milliseconds patience = std::chrono::seconds(20));
  // What the agent has said so far.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::vector<std::string> LinesWith(std::string_view part) const;
  [[nodiscard]] pid_t agent() const { return agent_; }
  // Ids of the processes in the node's group, or in one below it.
  [[nodiscard]] std::vector<pid_t> Processes() { return ProcessesIn(""); }
  [[nodiscard]] std::vector<pid_t> ProcessesIn(const std::string& group);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Where the agent answers over HTTP.
  [[nodiscard]] std::string endpoint() const { return "unix://" + folder_ + "/agent.sock"; }
  // The node's control group, without leading slash.
  [[nodiscard]] const std::string& group() const { return group_; }

 private:
  [[nodiscard]] std::string WriteConfig() const;
  void Launch(const std::vector<std::string>& flags, int log);
  bool starved_ = false;
  bool read_only_root_ = false;
  bool hidden_processes_ = false;
  [[nodiscard]] std::string OwnGroup() const { return group_ + "-agent"; }
  // Into its own group.
  void MoveAgent() const;
  void ReadLog(std::chrono::milliseconds patience);

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

}  // namespace jettison
