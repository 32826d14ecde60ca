#include "kernel/cgroup_v2/cgroup_v2.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel/cgroup_v2/tree.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/open_files.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using namespace cgroup_v2;
using testing::HasSubstr;

constexpr const char* kStat = "anon 40\nfile 60\ninactive_file 30\n";

template <typename... Results>
bool AllFailWith(ErrorCode code, const Results&... results) {
  return (... && (!results && results.error().code == code));
}

class CgroupV2Tree : public testing::Test {
 protected:
  CgroupV2Tree() { MakeGroup(""); }

  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(top_.string() + "/" + file) << text;
  }
  [[nodiscard]] std::string Text(const std::string& file) const {
    std::ifstream stream(top_.string() + "/" + file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // A group as the kernel makes it below a group with all controllers enabled.
  void MakeGroup(const std::string& path) const {
    fs::create_directories(top_ / path);
    Write(path + "/cgroup.controllers", "cpuset cpu io memory pids\n");
    Write(path + "/cgroup.subtree_control", "memory cpu pids\n");
    Write(path + "/memory.stat", kStat);
    if (path.empty()) return;
    Write(path + "/memory.current", "110\n");
    Write(path + "/memory.max", "max\n");
    Write(path + "/pids.current", "3\n");
  }
  [[nodiscard]] Result<std::unique_ptr<CgroupV2>> OpenWith(const std::string& mountinfo,
                                                           const std::string& node = "") const {
    std::ofstream(folder_.path() + "/mountinfo") << mountinfo;
    return CgroupV2::Open({.node_cgroup = node, .mountinfo_file = folder_.path() + "/mountinfo"});
  }
  [[nodiscard]] std::string Mount() const {
    return "1 1 0:1 / " + top_.string() + " rw - cgroup2 cgroup2 rw\n";
  }
  [[nodiscard]] std::unique_ptr<CgroupV2> Open(const std::string& node = "") const {
    auto opened = OpenWith(Mount(), node);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }

  const kernel::TemporaryFolder folder_;
  const fs::path top_ = folder_.path() + "/cgroup";
};

TEST_F(CgroupV2Tree, WhatCannotBeEnteredSaysWhatToDo) {
  const auto none = OpenWith("1 1 0:1 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n");
  EXPECT_TRUE(AllFailWith(ErrorCode::kUnavailable, none));
  EXPECT_THAT(none.error().message, HasSubstr("mount -t cgroup2"));
  const auto no_group = OpenWith(Mount(), "/node");
  EXPECT_TRUE(AllFailWith(ErrorCode::kNotFound, no_group));
  EXPECT_THAT(no_group.error().message, HasSubstr("nodeCgroup"));
  MakeGroup("node");
  EXPECT_TRUE(OpenWith(Mount(), "/node"));
  Write("cgroup.controllers", "cpu pids\n");
  EXPECT_FALSE(OpenWith(Mount()).value()->Has("memory")) << "it is entered all the same";
}

TEST_F(CgroupV2Tree, UsageOfTheRootIsAnonymousMemoryAndPageCacheUnlessItHasItsOwn) {
  MakeGroup("a");
  EXPECT_EQ(Open()->ReadMemory("")->usage, 100U);
  EXPECT_EQ(Open()->ReadMemory("")->WorkingSet(), 70U);
  EXPECT_EQ(Open()->ReadMemory("a")->usage, 110U);
  EXPECT_EQ(Open()->ReadMemory("a")->WorkingSet(), 80U);
  Write("memory.current", "500\n");  // at the top of a cgroup namespace
  Write("memory.max", "1000\n");
  EXPECT_EQ(Open()->ReadMemory("")->usage, 500U);
  EXPECT_EQ(*Open()->ReadMemoryLimit("a"), 1000U);
  EXPECT_EQ(*Open("a")->ReadMemoryLimit(""), 1000U);
}

TEST_F(CgroupV2Tree, TheLimitInForceIsTheLowestOnTheWayUp) {
  MakeGroup("slice");
  MakeGroup("slice/node");
  MakeGroup("slice/node/pod");
  EXPECT_EQ(*Open("slice/node")->ReadMemoryLimit("pod"), std::nullopt);
  Write("slice/memory.max", "50\n");
  EXPECT_EQ(*Open("slice/node")->ReadMemoryLimit("pod"), 50U);
  Write("slice/node/memory.max", "20\n");
  EXPECT_EQ(*Open("slice/node")->ReadMemoryLimit(""), 20U);
  Write("slice/node/pod/memory.max", "30\n");
  EXPECT_EQ(*Open("slice/node")->ReadMemoryLimit("pod"), 20U);
  EXPECT_EQ(*Open()->ReadMemoryLimit(""), std::nullopt);
}

TEST_F(CgroupV2Tree, WhatIsMissingOrHostileIsUnknownNotZero) {
  MakeGroup("a");
  const auto cgroups = Open();
  EXPECT_TRUE(AllFailWith(ErrorCode::kNotFound, cgroups->ReadMemory("gone"),
                          cgroups->ReadMemoryLimit("gone"), cgroups->ReadPids("gone"),
                          cgroups->ReadOomKills("gone"), cgroups->Kill("gone")));
  EXPECT_TRUE(cgroups->Remove("gone"));
  EXPECT_TRUE(AllFailWith(ErrorCode::kUnavailable, cgroups->ReadPids("")));
  Write("a/memory.stat", "anon 1\nfile 2\ninactive_file " + std::string(20'000, '3'));
  EXPECT_FALSE(cgroups->ReadMemory("a"));
  Write("a/memory.stat", kStat);
  EXPECT_TRUE(cgroups->ReadMemory("a"));
  Write("a/memory.current", "");
  EXPECT_FALSE(cgroups->ReadMemory("a"));
  Write("a/memory.max", "many\n");
  EXPECT_FALSE(cgroups->ReadMemoryLimit("a"));
  Write("a/cpu.weight", "");
  EXPECT_FALSE(cgroups->HasCpuShares("a", 2));
  fs::remove(top_ / "a/memory.current");
  const auto reading = Open()->ReadMemory("a");
  EXPECT_TRUE(AllFailWith(ErrorCode::kUnavailable, reading)) << "it lacks the controller";
  EXPECT_THAT(reading.error().message, HasSubstr("memory.current"));
}

TEST_F(CgroupV2Tree, LimitsAreWrittenAsTheKernelReadsThem) {
  MakeGroup("a");
  for (const char* file : {"cpu.weight", "pids.max"}) Write(std::string("a/") + file, "");
  Write("a/cpu.max", "50000 100000\n");
  const auto cgroups = Open();
  ASSERT_TRUE(cgroups->Create("a", {.memory_bytes = 4096,
                                    .cpu_shares = 1024,
                                    .cpu_quota_us = 20000,
                                    .cpu_period_us = 50000,
                                    .pids_max = 7}));
  EXPECT_THAT(Text("a/memory.max"), testing::StartsWith("4096"));
  EXPECT_EQ(Text("a/cpu.weight"), "100");
  EXPECT_EQ(cgroups->HasCpuShares("a", 1024), true);
  EXPECT_THAT(Text("a/cpu.max"), testing::StartsWith("20000 50000"));
  EXPECT_EQ(Text("a/pids.max"), "7");
  ASSERT_TRUE(cgroups->Create("a", {.cpu_period_us = 90000}));
  EXPECT_THAT(Text("a/cpu.max"), testing::StartsWith("20000 90000"));
  Write("a/pids.max", "");
  ASSERT_TRUE(cgroups->Create("a", {.cpu_quota_us = -1, .pids_max = -1}));
  EXPECT_THAT(Text("a/cpu.max"), testing::StartsWith("max"));
  EXPECT_EQ(Text("a/pids.max"), "max");
}

TEST_F(CgroupV2Tree, ALimitThatCannotBeSetIsRefused) {
  MakeGroup("a");
  Write("a/memory.reclaim", "");
  EXPECT_TRUE(AllFailWith(ErrorCode::kUnavailable, Open()->Create("a", {.memory_bytes = 100})));
  EXPECT_EQ(Text("a/memory.max"), "max\n");
  EXPECT_EQ(Text("a/memory.reclaim"), "10") << "the excess is reclaimed first";
  const auto no_controller = Open()->Create("a", {.pids_max = 5});
  EXPECT_TRUE(AllFailWith(ErrorCode::kUnavailable, no_controller));
  EXPECT_THAT(no_controller.error().message, HasSubstr("pids controller"));
}

TEST_F(CgroupV2Tree, ControllersAreHandedDownByEveryGroupAboveButNotByTheNewOne) {
  MakeGroup("a");
  MakeGroup("a/b");
  for (const char* group : {"", "a/", "a/b/"}) {
    Write(std::string(group) + "cgroup.subtree_control", "");
  }
  Write("a/cgroup.controllers", "cpu\n");
  ASSERT_TRUE(Open()->Create("a/b", {}));
  EXPECT_THAT(Text("cgroup.subtree_control"), testing::StartsWith("+pids")) << "the last of three";
  EXPECT_EQ(Text("a/cgroup.subtree_control"), "+cpu") << "missing controllers are not enabled";
  EXPECT_EQ(Text("a/b/cgroup.subtree_control"), "");
}

TEST_F(CgroupV2Tree, ASymbolicLinkIsNotFollowed) {
  fs::create_directories(folder_.path() + "/elsewhere");
  fs::create_directory_symlink(folder_.path() + "/elsewhere", top_ / "link");
  EXPECT_FALSE(Open()->Create("link/a", {}));
  EXPECT_FALSE(Open()->Children("link"));
}

TEST_F(CgroupV2Tree, APathThatLeavesTheNodeIsRefusedByEveryMethod) {
  const auto cgroups = Open();
  const std::string nul("a\0b", 3);
  for (const std::string& path :
       {std::string(".."), std::string("a/../.."), std::string("/a"), std::string("a/"),
        std::string("a//b"), std::string("."), std::string("/"), nul, std::string("a\nb")}) {
    EXPECT_TRUE(AllFailWith(
        ErrorCode::kInvalidArgument, cgroups->Create(path, {}), cgroups->Remove(path),
        cgroups->OpenProcs(path), cgroups->Kill(path), cgroups->Signal(path, 0),
        cgroups->Processes(path), cgroups->Children(path), cgroups->ReadMemory(path),
        cgroups->ReadMemoryLimit(path), cgroups->ReadPids(path), cgroups->HasCpuShares(path, 2),
        cgroups->ReadOomKills(path), cgroups->OpenMemoryDirectory(path)))
        << path;
  }
  EXPECT_TRUE(AllFailWith(ErrorCode::kInvalidArgument, cgroups->Kill(""), cgroups->Signal("", 15),
                          cgroups->Remove("")))
      << "the node itself is neither signalled nor removed";
}

// The files of a group that a kill reads or writes.
class CgroupV2Kill : public CgroupV2Tree {
 protected:
  CgroupV2Kill() {
    Give("pod", "cgroup.events", "populated 1\nfrozen 0\n");
    Give("pod", "cgroup.kill", "");
    Give("pod", "cgroup.freeze", "0\n");
  }
  void Give(const std::string& group, const std::string& file, const std::string& text) {
    fs::create_directories(top_ / group);
    Write(group + "/" + file, text);
  }
  // With a process of this id in it.
  [[nodiscard]] Result<void> Kill(pid_t pid) {
    Give("pod", "cgroup.procs", std::to_string(pid) + "\n");
    return Open()->Kill("pod");
  }
};

TEST_F(CgroupV2Kill, WhoCannotBeListedIsKilledByTheKernel) {
  EXPECT_TRUE(Kill(0)) << "a process outside of the PID namespace";
  EXPECT_EQ(Text("pod/cgroup.kill"), "1");
  Give("pod", "cgroup.kill", "");
  Give("pod", "cgroup.procs", "no process id\n");
  EXPECT_TRUE(Open()->Kill("pod"));
  EXPECT_EQ(Text("pod/cgroup.kill"), "1");
}

TEST_F(CgroupV2Kill, WhatIsFrozenIsThawedWhereverItIs) {
  Give("pod", "cgroup.events", "populated 0\nfrozen 0\n");
  Give("pod/free", "cgroup.freeze", "0\n");
  Give("pod/free/frozen", "cgroup.freeze", "1\n");
  EXPECT_TRUE(Kill(0));
  EXPECT_EQ(Text("pod/free/frozen/cgroup.freeze"), "0\n");
}

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(KernelFiles, OfRealKernelsAreUnderstood) {
  struct Kernel {
    std::string folder;
    std::uint64_t usage;
    std::uint64_t pod;   // anonymous memory and page cache
    std::uint64_t root;  // the same
  };
  for (const auto& [folder, usage, pod, root] :
       {Kernel{"6.1/", 8523776, 57344 + 8388608, 233472 + 10391552},
        Kernel{"6.12/", 8531968, 53248 + 8388608, 225280 + 10391552}}) {
    EXPECT_EQ(MemoryOf(Recorded(folder + "memory.stat"))->usage, pod);
    EXPECT_EQ(MemoryOf(Recorded(folder + "memory.stat"))->inactive_file, 0U);
    EXPECT_EQ(MemoryOf(Recorded(folder + "root.memory.stat"))->usage, root);
    EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "memory.current")), usage);
    EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "memory.max")), 33554432U);
    EXPECT_EQ(*kernel::RowNumber(Recorded(folder + "memory.events"), "oom_kill"), 1U);
    EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "pids.max")), 10U);
    EXPECT_EQ(*ParseCpuQuota(Recorded(folder + "cpu.max")), "max");
    EXPECT_EQ(kernel::ParseProcs(Recorded(folder + "cgroup.procs"))->size(), 1U);
    EXPECT_TRUE(HasController(Recorded(folder + "root.cgroup.controllers"), "memory"));
    EXPECT_FALSE(HasController(Recorded(folder + "cgroup.controllers"), "io"));
  }
}

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto memory = MemoryOf("anon 5\nfile 7\nkernel 9\nshmem 2\ninactive_file 3\n").value();
  EXPECT_EQ(memory.usage, 12U);
  EXPECT_EQ(memory.kernel, 9U);
  EXPECT_EQ(memory.shared, 2U);
  EXPECT_FALSE(MemoryOf("anon 5\nfile 7\ninactive_file 3\n")->kernel) << "before 5.18";
}

TEST(KernelFiles, AMemoryStatWithoutARowItNeedsIsAnErrorNotAZero) {
  for (const char* hostile :
       {"", "anon 5\nfile 7\n", "file 7\ninactive_file 3\n", "anon 5\nfile 7\ninactive_file \n",
        "anon -5\nfile 7\ninactive_file 3\n", "anon 5\nfile 7 kB\ninactive_file 3\n",
        "anon 5\nfile 99999999999999999999\ninactive_file 3\n"}) {
    const auto memory = MemoryOf(hostile);
    ASSERT_FALSE(memory) << hostile;
    EXPECT_EQ(memory.error().code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace jettison
