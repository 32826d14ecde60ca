#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runtimes/process/shim/protocol.h"

namespace jettison::shim {

// An array of plain values with a zeroed one behind the last, so that a list of strings can be
// handed to execve.
template <typename T>
struct List {
  T* items = nullptr;
  std::size_t count = 0;

  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { std::free(static_cast<void*>(items)); }
};

enum class Mode : std::uint8_t { kRun, kHook };

// One volume to be mounted in the container's own mount namespace.
struct MountOrder {
  const char* source = nullptr;    // an absolute path of the host
  const char* sub_path = nullptr;  // below the source; null: the source itself
  const char* target = nullptr;    // an absolute path
  bool read_only = false;
  // The operator keeps the folder that the source is a link to: nothing is made there.
  bool kept_by_operator = false;
};

// What went wrong; `detail` points into the order or at a literal.
struct Failure {
  Stage stage = Stage::kOrder;
  int error = 0;
  const char* detail = "";
};

// What a shim is told to do. Every string points into the order's own memory.
struct Order {
  Mode mode = Mode::kRun;
  List<char*> args;
  List<char*> env;
  // Names of the groups that the process joins: of what descriptor kFirstGroupFile and those behind
  // it are open at.
  List<char*> groups;
  const char* working_dir = nullptr;  // null: the run's own folder for what it writes
  const char* scratch_dir = nullptr;
  const char* run_dir = nullptr;  // where the state files go
  const char* log_path = nullptr;
  const char* boot_id = nullptr;
  std::int64_t oom_kills = 0;  // of the group before the start, kept for whoever adopts the run
  std::int64_t oom_score_adj = 0;
  List<MountOrder> mounts;
};

// Reads an order: NUL-terminated strings in the order of Format (shim_order.cc), each list with its
// length before it. Keeps pointers into `data`. False for anything else.
[[nodiscard]] bool ParseOrder(char* data, std::size_t size, Order& order);

}  // namespace jettison::shim
