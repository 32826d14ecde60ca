// How long the disk use of one tree takes, for scripts/bench-disk.sh, which runs du(1) beside it.
// Prints a line a measurement: "WHAT SECONDS BYTES INODES".
//
//   walk1 TREE       one thread
//   remember TREE    walks and remembers ("remember"), looks again ("unchanged"), writes to 100
//   files
//                    spread over the tree and looks again ("changed100"), and tells what
//                    remembering one directory takes ("memory": bytes each, directories)
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernel/disk_usage/disk_trees.h"
#include "kernel/fs_events/filesystem_events.h"

namespace jettison {
namespace {

using SteadyClock = std::chrono::steady_clock;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

void Print(const char* what, double seconds, const FsUsage& usage) {
  std::printf("%s %.6f %ju %ju\n", what, seconds, static_cast<std::uintmax_t>(*usage.used_bytes),
              static_cast<std::uintmax_t>(*usage.inodes_used));
}

int Walk(const std::string& path, const std::string& mode) {
  DiskTrees walk;
  const auto begin = SteadyClock::now();
  const auto usage = walk.Walk(path);
  const double seconds = SecondsSince(begin);
  if (usage) Print(mode.c_str(), seconds, usage->usage);
  return usage ? 0 : 1;
}

// One file in each of 100 directories, as far apart as they come.
std::vector<std::string> HundredFiles(const std::string& tree) {
  std::vector<std::string> all;
  std::string last;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
    if (!entry.is_regular_file() || entry.path().parent_path() == last) continue;
    last = entry.path().parent_path();
    all.push_back(entry.path());
  }
  std::vector<std::string> files;
  for (std::size_t i = 0; i < 100 && !all.empty(); ++i) files.push_back(all[i * all.size() / 100]);
  return files;
}

bool LookAgain(const char* what, FilesystemEvents& events, DiskTrees& trees,
               const std::string& path) {
  const auto begin = SteadyClock::now();
  const auto changes = events.Take();
  trees.Mark(changes.directories);
  const auto updated = trees.Update(path);
  const auto usage = trees.UsageOf(path);
  const double seconds = SecondsSince(begin);
  if (changes.lost || !updated || !usage) return false;
  Print(what, seconds, *usage);
  return true;
}

int Remember(const std::string& path) {
  const std::vector<std::string> files = HundredFiles(path);
  auto events = FilesystemEvents::Of(path);
  if (!events) {
    std::fprintf(stderr, "%s\n", events.error().message.c_str());
    return 1;
  }
  DiskTrees trees({}, TreeLimits{});
  const std::size_t before = mallinfo2().uordblks;
  const auto begin = SteadyClock::now();
  const auto usage = trees.Walk(path);
  if (!usage) return 1;
  Print("remember", SecondsSince(begin), usage->usage);
  const std::size_t bytes = mallinfo2().uordblks - before;
  std::printf("memory %.1f %zu 0\n",
              static_cast<double>(bytes) / static_cast<double>(trees.directories()),
              trees.directories());
  if (!LookAgain("unchanged", *events, trees, path)) return 1;
  for (const std::string& file : files) std::ofstream(file, std::ios::app) << "more";
  return LookAgain("changed100", *events, trees, path) ? 0 : 1;
}

}  // namespace
}  // namespace jettison

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "walk1") return jettison::Walk(argv[2], mode);
  if (mode == "remember") return jettison::Remember(argv[2]);
  std::fprintf(stderr, "usage: disk_use walk1|remember TREE (remember changes files of TREE)\n");
  return 2;
}
