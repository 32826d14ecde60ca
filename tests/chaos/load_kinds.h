#pragma once

#include <cstdint>
#include <string>

// What a pod of a chaos run does with the node. Each function returns when it has used up its total
// or the kernel refuses more. A rate is a second's worth; zero means as fast as it goes.
namespace jettison::chaos {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Memory, page by page, which is kept.
void Leak(double mib_per_second, std::int64_t total_mib);
// Memory that grows from `low` to `high` MiB within `seconds` and is given back, again and again.
[[noreturn]] void Wave(std::int64_t low_mib, std::int64_t high_mib, double seconds);
// A file of MiBs in a folder; with the rate 0 its blocks are taken at once.
void Fill(const std::string& folder, double mib_per_second, std::int64_t total_mib);
// Empty files, a thousand a folder.
void TakeInodes(const std::string& folder, double per_second, std::int64_t total);
// Children that share this process' memory and sleep. A child that ends takes nobody along, as in a
// real fork bomb; the group's end is the only end.
void Fork(double per_second, std::int64_t total);
// Children that take 8 MiB each and ignore SIGTERM.
void ForkLeak(double mib_per_second, std::int64_t total_mib);
// Lines on standard output, without end.
[[noreturn]] void FloodLog(double mib_per_second);
// Groups within the own group of the memory hierarchy, one in another, and in the last of them a
// child that leaks.
void LeakInNestedGroups(int depth, double mib_per_second, std::int64_t total_mib);
// Looks a file up; where its file system never answers the process stays uninterruptible.
void LookUp(const std::string& path);

// Sleeps until a signal ends the process, and reaps children.
[[noreturn]] void SleepForever();
void SleepSeconds(double seconds);

}  // namespace jettison::chaos
