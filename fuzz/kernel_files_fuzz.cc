// links: jettison_cgroup_v1 jettison_cgroup_v2 jettison_psi jettison_procfs jettison_fs_events
//
// Any bytes, read as each of the kernel's files: a value that comes out is one that stands in the
// text, and is safe to act on.

#include <algorithm>
#include <span>
#include <string>

#include "fuzz/fuzz.h"
#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/fs_events/filesystem_events.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/procfs/parse.h"
#include "kernel/psi/pressure.h"

namespace {

using namespace jettison;
using kernel::RowNumber;

void ReadGroups(std::string_view text) {
  if (const auto counter = kernel::ParseCounter(text)) {
    Require(kernel::ParseCounter(std::to_string(*counter)) == counter);
  }
  if (const auto pids = kernel::ParseProcs(text)) {
    Require(std::ranges::all_of(*pids, [](pid_t pid) { return pid > 0; }));
  }
  if (kernel::CheckPath(text)) Require(!text.starts_with('/') && text.find("/../") == text.npos);
  (void)cgroup_v1::MemoryOf(text, text.size());
  if (cgroup_v2::MemoryOf(text)) Require(RowNumber(text, "anon").has_value());
  if (const auto limit = kernel::ParseMax(text)) {
    Require(*limit ? kernel::CpuWeight(**limit) >= 1 && kernel::CpuWeight(**limit) <= 10'000
                   : text.starts_with("max"));
  }
  if (RowNumber(text, "oom_kill")) Require(text.find("oom_kill ") != text.npos);
  if (const auto quota = cgroup_v2::ParseCpuQuota(text)) {
    Require(text.starts_with(*quota) && quota->find(' ') == text.npos);
  }
  Require(!cgroup_v2::HasController(text, "memory") || text.find("memory") != text.npos);
  const auto mounts = kernel::ParseMounts(text);
  (void)cgroup_v1::FindHierarchies(mounts);
  Require(cgroup_v2::FindUnified(mounts).has_value() ==
          std::ranges::any_of(mounts, [](const auto& mount) { return mount.type == "cgroup2"; }));
}

void ReadProc(std::string_view text) {
  if (const auto memory = procfs::ParseMemInfo(text)) {
    Require(memory->WithoutHugePages() <= memory->total);
    Require(memory->Available().value_or(0) <= memory->total);
  }
  (void)procfs::ParseListedPages(text);
  Require(procfs::ParseTaskCount(text).value_or(0) >= 0);
  Require(procfs::ParsePidLimit(text).value_or(1) > 0);
  if (const auto pages = procfs::ParseStatm(text)) {
    Require(pages->all >> 52U <= 1 && pages->resident >> 52U <= 1);
  }
}

void ReadPressure(std::string_view text) {
  const auto pressure = psi::ParsePressure(text);
  if (!pressure) return;
  for (const psi::StallLine& line : {pressure->some, pressure->full.value_or(psi::StallLine())}) {
    for (const std::int32_t share : {line.avg10, line.avg60, line.avg300}) {
      Require(share >= 0 && share <= 10'000);
    }
  }
}

// Nothing outside the buffer is read, and every handle fits.
void ReadEvents(std::string_view text) {
  fs_events::EventRecords records;
  fs_events::ParseEvents(std::as_bytes(std::span(text)), records);
  for (const DirectoryChange& change : records.changes) {
    Require(change.directory.size <= FileHandle::kMaxBytes && KeyOf(change.directory) != 0);
  }
}

}  // namespace

void Fuzz(std::string_view text) {
  ReadGroups(text);
  ReadProc(text);
  ReadPressure(text);
  ReadEvents(text);
}
