// links: jettison_cgroup_v2
#include <algorithm>
#include <string>

#include "fuzz/fuzz.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"

// Whatever the text, a value that comes out is one that stands in it.
void Fuzz(std::string_view text) {
  namespace host = jettison::kernel;
  namespace v2 = jettison::cgroup_v2;
  if (const auto memory = v2::MemoryOf(text)) {
    Require(text.find(std::to_string(memory->inactive_file).substr(0, 1)) != text.npos);
    Require(host::RowNumber(text, "anon").has_value());
  }
  if (const auto limit = host::ParseMax(text)) {
    Require(*limit ? host::CpuWeight(**limit) >= 1 && host::CpuWeight(**limit) <= 10'000
                   : text.starts_with("max"));
  }
  if (host::RowNumber(text, "oom_kill")) Require(text.find("oom_kill ") != text.npos);
  if (const auto quota = v2::ParseCpuQuota(text)) {
    Require(text.starts_with(*quota) && quota->find(' ') == text.npos);
  }
  Require(!v2::HasController(text, "memory") || text.find("memory") != text.npos);
  const auto mounts = host::ParseMounts(text);
  Require(v2::FindUnified(mounts).has_value() ==
          std::any_of(mounts.begin(), mounts.end(),
                      [](const host::Mount& mount) { return mount.type == "cgroup2"; }));
}
