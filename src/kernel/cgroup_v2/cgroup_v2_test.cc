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

TEST_F(CgroupV2Tree, WithoutAHierarchyTheErrorSaysHowToGetOne) {
  const auto opened = OpenWith("1 1 0:1 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("mount -t cgroup2"));
}

TEST_F(CgroupV2Tree, AHierarchyWithoutMemoryIsEnteredAllTheSame) {
  Write("cgroup.controllers", "cpu pids\n");
  const auto opened = OpenWith(Mount()).value();
  EXPECT_FALSE(opened->Has("memory"));
}

TEST_F(CgroupV2Tree, TheNodesGroupMustExist) {
  const auto opened = OpenWith(Mount(), "/node");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(opened.error().message, HasSubstr("nodeCgroup"));
  MakeGroup("node");
  EXPECT_TRUE(OpenWith(Mount(), "/node"));
}

TEST_F(CgroupV2Tree, UsageOfTheRootIsAnonymousMemoryAndPageCache) {
  MakeGroup("a");
  const auto cgroups = Open();
  EXPECT_EQ(cgroups->ReadMemory("")->usage, 100U);
  EXPECT_EQ(cgroups->ReadMemory("")->WorkingSet(), 70U);
  EXPECT_EQ(cgroups->ReadMemory("a")->usage, 110U);
  EXPECT_EQ(cgroups->ReadMemory("a")->WorkingSet(), 80U);
}

TEST_F(CgroupV2Tree, TheTopOfACgroupNamespaceHasFiguresAndALimitOfItsOwn) {
  Write("memory.current", "500\n");
  Write("memory.max", "1000\n");
  MakeGroup("a");
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

TEST_F(CgroupV2Tree, AGroupThatIsNotThereIsNotFound) {
  const auto cgroups = Open();
  EXPECT_EQ(cgroups->ReadMemory("gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups->ReadMemoryLimit("gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups->ReadPids("gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups->ReadOomKills("gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups->Kill("gone").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(cgroups->Remove("gone"));
}

TEST_F(CgroupV2Tree, AGroupThatLacksAControllerIsUnavailable) {
  MakeGroup("a");
  fs::remove(top_ / "a/memory.current");
  const auto reading = Open()->ReadMemory("a");
  EXPECT_EQ(reading.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(reading.error().message, HasSubstr("memory.current"));
  EXPECT_EQ(Open()->ReadPids("").error().code, ErrorCode::kUnavailable);
}

TEST_F(CgroupV2Tree, HostileFilesAreUnknownNotZero) {
  MakeGroup("a");
  const auto cgroups = Open();
  for (const std::string& text :
       {std::string(), std::string("half a f"), std::string(20'000, '7'),
        "anon 1\nfile 2\ninactive_file " + std::string(20'000, '3'), std::string("\0\0\0", 3)}) {
    Write("a/memory.stat", text);
    EXPECT_FALSE(cgroups->ReadMemory("a")) << text.substr(0, 40);
  }
  Write("a/memory.stat", kStat);
  EXPECT_TRUE(cgroups->ReadMemory("a"));
  Write("a/memory.current", "");
  EXPECT_FALSE(cgroups->ReadMemory("a"));
  Write("a/memory.max", "many\n");
  EXPECT_FALSE(cgroups->ReadMemoryLimit("a"));
  Write("a/cpu.weight", "");
  EXPECT_FALSE(cgroups->HasCpuShares("a", 2));
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

TEST_F(CgroupV2Tree, ALimitBelowWhatIsUsedIsRefused) {
  MakeGroup("a");
  Write("a/memory.reclaim", "");
  const auto made = Open()->Create("a", {.memory_bytes = 100});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(Text("a/memory.max"), "max\n");
  EXPECT_EQ(Text("a/memory.reclaim"), "10") << "the excess is reclaimed first";
}

TEST_F(CgroupV2Tree, ALimitWhoseControllerIsNotThereIsSaidNotSkipped) {
  MakeGroup("a");
  const auto made = Open()->Create("a", {.pids_max = 5});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message, HasSubstr("pids controller"));
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
    const auto refused = [&](const auto& result) {
      return !result && result.error().code == ErrorCode::kInvalidArgument;
    };
    EXPECT_TRUE(refused(cgroups->Create(path, {}))) << path;
    EXPECT_TRUE(refused(cgroups->Remove(path))) << path;
    EXPECT_TRUE(refused(cgroups->OpenProcs(path))) << path;
    EXPECT_TRUE(refused(cgroups->Kill(path))) << path;
    EXPECT_TRUE(refused(cgroups->Signal(path, 0))) << path;
    EXPECT_TRUE(refused(cgroups->Processes(path))) << path;
    EXPECT_TRUE(refused(cgroups->Children(path))) << path;
    EXPECT_TRUE(refused(cgroups->ReadMemory(path))) << path;
    EXPECT_TRUE(refused(cgroups->ReadMemoryLimit(path))) << path;
    EXPECT_TRUE(refused(cgroups->ReadPids(path))) << path;
    EXPECT_TRUE(refused(cgroups->HasCpuShares(path, 2))) << path;
    EXPECT_TRUE(refused(cgroups->ReadOomKills(path))) << path;
    EXPECT_TRUE(refused(cgroups->OpenMemoryDirectory(path))) << path;
  }
}

TEST_F(CgroupV2Tree, TheNodeItselfIsNeitherSignalledNorRemoved) {
  const auto cgroups = Open();
  EXPECT_EQ(cgroups->Kill("").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(cgroups->Signal("", 15).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(cgroups->Remove("").error().code, ErrorCode::kInvalidArgument);
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

struct Kernel {
  const char* folder;
  std::uint64_t usage;
  std::uint64_t pod;   // anonymous memory and page cache
  std::uint64_t root;  // the same
};

class KernelFilesOf : public testing::TestWithParam<Kernel> {};

TEST_P(KernelFilesOf, AreUnderstood) {
  const std::string folder = std::string(GetParam().folder) + "/";
  const auto expect = [&](const char* name, std::uint64_t used) {
    const auto memory = MemoryOf(Recorded(folder + name)).value();
    EXPECT_EQ(memory.usage, used);
    EXPECT_EQ(memory.inactive_file, 0U);
  };
  expect("memory.stat", GetParam().pod);
  expect("root.memory.stat", GetParam().root);
  EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "memory.current")), GetParam().usage);
  EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "memory.max")), 33554432U);
  EXPECT_EQ(*kernel::RowNumber(Recorded(folder + "memory.events"), "oom_kill"), 1U);
  EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "pids.current")), 1U);
  EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "pids.max")), 10U);
  EXPECT_EQ(*ParseCpuQuota(Recorded(folder + "cpu.max")), "max");
  EXPECT_EQ(kernel::ParseProcs(Recorded(folder + "cgroup.procs"))->size(), 1U);
  EXPECT_TRUE(HasController(Recorded(folder + "root.cgroup.controllers"), "memory"));
  EXPECT_FALSE(HasController(Recorded(folder + "cgroup.controllers"), "io"));
}

INSTANTIATE_TEST_SUITE_P(Linux, KernelFilesOf,
                         testing::Values(Kernel{.folder = "6.1",
                                                .usage = 8523776,
                                                .pod = 57344 + 8388608,
                                                .root = 233472 + 10391552},
                                         Kernel{.folder = "6.12",
                                                .usage = 8531968,
                                                .pod = 53248 + 8388608,
                                                .root = 225280 + 10391552}));

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto memory = MemoryOf("anon 5\nfile 7\nkernel 9\nshmem 2\ninactive_file 3\n").value();
  EXPECT_EQ(memory.usage, 12U);
  EXPECT_EQ(memory.kernel, 9U);
  EXPECT_EQ(memory.shared, 2U);
  EXPECT_FALSE(MemoryOf("anon 5\nfile 7\ninactive_file 3\n")->kernel) << "before 5.18";
}

TEST(KernelFiles, AMemoryStatWithoutARowItNeedsIsAnErrorNotAZero) {
  for (const char* hostile :
       {"", "anon 5\n", "anon 5\nfile 7\n", "file 7\ninactive_file 3\n",
        "anon 5\nfile 7\ninactive_file", "anon 5\nfile 7\ninactive_file \n",
        "anon -5\nfile 7\ninactive_file 3\n", "anon 5\nfile 7 kB\ninactive_file 3\n",
        "anon 5\nfile 99999999999999999999\ninactive_file 3\n",
        "anon\t5\nfile\t7\ninactive_file\t3\n"}) {
    const auto memory = MemoryOf(hostile);
    ASSERT_FALSE(memory) << hostile;
    EXPECT_EQ(memory.error().code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace jettison
