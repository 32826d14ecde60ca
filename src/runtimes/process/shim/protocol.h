#pragma once

#include <cstddef>
#include <cstdint>

// What a shim says to the agent. Both ends are built together, so the layout in memory is the
// format: one datagram of a SOCK_SEQPACKET pair a message.
namespace jettison::shim {

// Descriptors that a shim is started with, beside /dev/null as 0, 1 and 2.
inline constexpr int kAgentSocket = 3;
inline constexpr int kOrderFile = 4;
inline constexpr int kNamespaceFile = 5;   // of a hook's container; for a hook alone
inline constexpr int kFirstGroupFile = 6;  // cgroup.procs of each group, in the order's order
inline constexpr int kMostGroupFiles = 16;

enum class MessageKind : std::uint32_t {
  // The program of a container runs: `pid`, `at_ns`, and `error` when oom_score_adj was refused. It
  // is the last message, after which the agent hangs up. (0 and 1 are messages of shims before.)
  kStarted = 2,
  kFailed = 3,  // it could not be done: `stage`, `error`, `detail`
};

// Where a start failed.
enum class Stage : std::uint32_t {
  kOrder,           // the order could not be read
  kState,           // a state file of the run could not be written; `detail` is its name
  kLog,             // the log file could not be opened; `detail` is its path
  kFork,            // no process could be made
  kGroup,           // the process could not be moved into a group; `detail` is its name
  kMountNamespace,  // no mount namespace of its own
  kSource,          // what is to be mounted could not be opened; `detail` is its path
  kMountPoint,      // the place to mount at could not be made; `detail` is its path
  kMount,           // the mount itself; `detail` is where
  kWorkingDirectory,
  kExec,  // `detail` is the program
};

struct Message {
  MessageKind kind = MessageKind::kFailed;
  Stage stage = Stage::kOrder;
  std::int32_t pid = 0;
  std::int32_t error = 0;  // an errno value; 0: none
  std::int64_t at_ns = 0;  // since the Unix epoch
  char detail[232] = {};   // NUL-terminated, cut off where it is longer
};
static_assert(sizeof(Message) == 256);
static_assert(offsetof(Message, detail) == 24);

// State files in the folder of a run: `running` is written when the program is let go, and `exit`
// is the last word.
inline constexpr const char* kRunningDraftFile = "running.new";
inline constexpr const char* kRunningFile = "running";
inline constexpr const char* kExitFile = "exit";
inline constexpr const char* kExitDraftFile = "exit.new";

}  // namespace jettison::shim
