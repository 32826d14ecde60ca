#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison::cgroup_v1 {

// Reads memory figures of groups again and again: the files of a group stay open between readings,
// and a steady-state reading is two system calls and no allocation. A group removed and made again
// under the same name is never mistaken, since reading a removed group's file answers ENODEV
// forever; it is then opened anew. Safe from any thread.
class MemoryFigures {
 public:
  // `node`: the node's directory in the memory hierarchy; must outlive this. At most `keep` groups
  // have their files kept open, any more are opened for each reading.
  MemoryFigures(int node, std::size_t keep) : node_(node), keep_(keep) {}

  // Usage is read last: it is the figure that moves fastest.
  [[nodiscard]] Result<CgroupMemory> Read(std::string_view path);
  // The lowest memory limit of the group and of those above it; absent where none has one.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimit(std::string_view path);
  // Closes what is kept of the group and of those below it.
  void Forget(std::string_view path);
  // Groups whose files are open.
  [[nodiscard]] std::size_t kept() const;

 private:
  struct Files {
    FileDescriptor usage;
    FileDescriptor stat;
  };
  struct Reading {
    CgroupMemory memory;
    std::optional<std::uint64_t> limit;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of the standard
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  [[nodiscard]] static Result<Reading> ReadFiles(const Files& files);
  [[nodiscard]] Result<Files> OpenFiles(std::string_view path) const;
  [[nodiscard]] Result<Reading> ReadKeeping(std::string_view path);
  [[nodiscard]] Result<Reading> ReadNamed(std::string_view path);

  const int node_;
  const std::size_t keep_;
  mutable std::mutex mutex_;  // guards files_
  std::unordered_map<std::string, Files, Hash, std::equal_to<>> files_;
};

}  // namespace jettison::cgroup_v1
