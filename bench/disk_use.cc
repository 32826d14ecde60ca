// How long disk use of one tree takes, for scripts/bench-disk.sh: prints one line a run,
// "MODE SECONDS BYTES INODES". Modes: walk1, walk2 (two threads).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "platform/disk_usage/tree_walk.h"

namespace jettison {
namespace {

using SteadyClock = std::chrono::steady_clock;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

void Print(const std::string& mode, double seconds, const TreeUsage& usage) {
  std::printf("%s %.6f %ju %ju\n", mode.c_str(), seconds,
              static_cast<std::uintmax_t>(*usage.usage.used_bytes),
              static_cast<std::uintmax_t>(*usage.usage.inodes_used));
}

int WalkTree(const std::string& path, const std::string& mode) {
  TreeWalk walk;
  std::thread helper;
  if (mode == "walk2") helper = std::thread([&walk] { walk.Help(); });
  const auto begin = SteadyClock::now();
  const auto usage = walk.Measure(path);
  const double seconds = SecondsSince(begin);
  walk.Close();
  if (helper.joinable()) helper.join();
  if (!usage) return 1;
  Print(mode, seconds, *usage);
  return 0;
}

}  // namespace
}  // namespace jettison

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: disk_use walk1|walk2 TREE\n");
    return 2;
  }
  return jettison::WalkTree(argv[2], argv[1]);
}
