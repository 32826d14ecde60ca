#include "kernel/mounts/volumes.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/mounts/mount_plan.h"

namespace jettison::kernel {
namespace {

using testing::HasSubstr;

class PrepareVolumesTest : public testing::Test {
 protected:
  [[nodiscard]] Result<void> Prepare(VolumeSource source) const {
    Pod pod;
    pod.uid = "u";
    pod.namespace_ = "ns";
    pod.security_context.fs_group = fs_group_;
    pod.volumes = {{"v", std::move(source)}};
    if (auto prepared = PrepareVolumes(paths_, pod); !prepared) return prepared;
    return Do(VolumeSteps(paths_, pod));
  }
  [[nodiscard]] static Result<void> Do(const std::vector<PathStep>& steps) {
    for (const PathStep& step : steps) {
      if (auto done = step.work(true); !done) return Fail(done.error().In(step.what));
    }
    return {};
  }
  [[nodiscard]] Result<void> PrepareHost(const std::string& path, const std::string& type) const {
    return Prepare(HostPathSource{.path = path, .type = type});
  }

  std::optional<std::int64_t> fs_group_;
  TemporaryFolder folder_;
  const Paths paths_{folder_.path()};
  const std::string volume_ = paths_.Volume("u", "v");
  const std::string host_ = folder_.path() + "/host";
};

TEST_F(PrepareVolumesTest, AnEmptyDirKeepsTheModeThatItsPodHasGivenIt) {
  fs_group_ = ::getegid();
  const auto mode_after = [&](mode_t mode) {
    EXPECT_EQ(::chmod(volume_.c_str(), mode), 0);
    EXPECT_TRUE(Prepare(EmptyDirSource{}));
    struct stat facts {};
    EXPECT_EQ(::stat(volume_.c_str(), &facts), 0);
    return facts.st_mode & 07777U;
  };
  ASSERT_TRUE(Prepare(EmptyDirSource{}));
  EXPECT_EQ(mode_after(0755), 02777U) << "the creation of the pod was interrupted";
  ASSERT_TRUE(WriteFile(paths_.Pod("u") + "/record", ""));
  EXPECT_EQ(mode_after(0700), 0700U);
  ASSERT_EQ(::rmdir(volume_.c_str()), 0);
  ASSERT_TRUE(Prepare(EmptyDirSource{}));
  struct stat facts {};
  ASSERT_EQ(::stat(volume_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 02777U) << "one that is missing is made";
}

TEST_F(PrepareVolumesTest, AnEmptyDirAndWhatIsMadeInItBelongToThePodsGroup) {
  fs_group_ = ::geteuid() == 0 ? 33 : ::getegid();
  for (int time = 0; time < 2; ++time) {  // the second time it is there
    ASSERT_TRUE(Prepare(EmptyDirSource{}));
    ASSERT_TRUE(MakeFolders(volume_ + "/inner"));
    for (const std::string& folder : {volume_, volume_ + "/inner"}) {
      struct stat facts {};
      ASSERT_EQ(::stat(folder.c_str(), &facts), 0);
      EXPECT_EQ(facts.st_gid, *fs_group_);
      EXPECT_EQ(facts.st_mode & S_ISGID, static_cast<mode_t>(S_ISGID));
    }
  }
}

TEST_F(PrepareVolumesTest, ConfigAndSecretsShowTheFoldersOfTheirNames) {
  ASSERT_TRUE(MakeFolders(paths_.ConfigMap("ns", "c")));
  ASSERT_TRUE(WriteFile(paths_.ConfigMap("ns", "c") + "/key", "value"));
  ASSERT_TRUE(Prepare(ConfigMapSource{.name = "c", .optional = false}));
  ASSERT_TRUE(Prepare(ConfigMapSource{.name = "c", .optional = false}));
  EXPECT_EQ(*ReadFile(volume_ + "/key"), "value");
}

TEST_F(PrepareVolumesTest, OneThatCannotBeShownSaysWhatToMakeUnlessItIsOptional) {
  const auto config = Prepare(ConfigMapSource{.name = "c", .optional = false});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(config.error().message, HasSubstr("volume v: configMap \"c\" not found"));
  EXPECT_THAT(config.error().message, HasSubstr(paths_.ConfigMap("ns", "c")));
  const auto secret = Prepare(SecretSource{.secret_name = "s", .optional = false});
  EXPECT_THAT(secret.error().message, HasSubstr(paths_.Secret("ns", "s")));
  ASSERT_TRUE(Prepare(SecretSource{.secret_name = "s", .optional = true}));
  EXPECT_TRUE(NamesIn(volume_)->empty());
  EXPECT_FALSE(Prepare(ConfigMapSource{.name = "../../host", .optional = true}));
  EXPECT_FALSE(Prepare(SecretSource{.secret_name = "a/b", .optional = true}));
  EXPECT_THAT(Prepare(OtherVolumeSource{.kind = "nfs"}).error().message,
              HasSubstr("volume v: nfs is not supported"));
  EXPECT_FALSE(Prepare(GitRepoSource{}));
  EXPECT_FALSE(Prepare(EmptyDirSource{.medium = "HugePages", .size_limit = std::nullopt}));
}

TEST_F(PrepareVolumesTest, HostPathsAreCheckedByTheirType) {
  ASSERT_TRUE(MakeFolders(host_));
  ASSERT_TRUE(WriteFile(host_ + "/file", ""));
  const struct {
    std::string path;
    const char* type;
    bool fine;
  } cases[] = {
      {host_, "", true},
      {host_ + "/none", "", true},
      {host_, "Directory", true},
      {host_ + "/file", "Directory", false},
      {host_, "File", false},
      {host_ + "/file", "File", true},
      {host_, "Socket", false},
      {"/dev/null", "CharDevice", true},
      {host_, "Sausage", false},
      {host_ + "/none", "Directory", false},
      {"relative", "", false},
      {host_ + "/none", "File", false},
      {host_, "FileOrCreate", false},
  };
  for (const auto& [path, type, fine] : cases) {
    EXPECT_EQ(PrepareHost(path, type).has_value(), fine) << path << " " << type;
  }
}

TEST_F(PrepareVolumesTest, OrCreateMakesWhatIsMissing) {
  ASSERT_TRUE(PrepareHost(host_ + "/a/b", "DirectoryOrCreate"));
  ASSERT_TRUE(PrepareHost(host_ + "/a/f", "FileOrCreate"));
  EXPECT_TRUE(PrepareHost(host_ + "/a/b", "Directory"));
  EXPECT_TRUE(PrepareHost(host_ + "/a/f", "File"));
  EXPECT_FALSE(PrepareHost(host_ + "/missing/f", "FileOrCreate"));
}

Pod PodWith(std::vector<VolumeMount> mounts) {
  Pod pod;
  pod.namespace_ = "ns";
  pod.name = "p";
  pod.uid = "u";
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"host", HostPathSource{.path = "/srv", .type = ""}},
                 {"conf", ConfigMapSource{.name = "c"}},
                 {"cred", SecretSource{.secret_name = "s"}}};
  pod.containers.resize(1);
  pod.containers[0].name = "c";
  pod.containers[0].volume_mounts = std::move(mounts);
  return pod;
}

Result<std::vector<PlannedMount>> Plan(std::vector<VolumeMount> mounts) {
  const Pod pod = PodWith(std::move(mounts));
  return PlanMounts(Paths("/r"), pod, pod.containers[0]);
}

TEST(PlanMounts, OuterMountPointsComeFirst) {
  const auto plan = Plan({{"host", "/a/b/c", "", false},
                          {"data", "/a//./b/", "sub/dir", true},
                          {"conf", "/a-b", "", false}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), 3U);
  EXPECT_EQ((*plan)[0].target, "/a-b");
  EXPECT_EQ((*plan)[1].target, "/a/b");
  EXPECT_EQ((*plan)[1].source, "/r/pods/u/volumes/data");
  EXPECT_EQ((*plan)[1].sub_path, "sub/dir");
  EXPECT_TRUE((*plan)[1].read_only);
  EXPECT_EQ((*plan)[2].target, "/a/b/c");
  EXPECT_EQ((*plan)[2].source, "/srv");
}

TEST(PlanMounts, ConfigAndSecretsAreReadOnlyAlwaysAndKeptByTheOperator) {
  const auto plan =
      Plan({{"conf", "/c", "", false}, {"cred", "/s", "", false}, {"host", "/t", "", true}});
  ASSERT_TRUE(plan);
  EXPECT_TRUE((*plan)[0].read_only && (*plan)[0].kept_by_operator);
  EXPECT_TRUE((*plan)[1].read_only && (*plan)[1].kept_by_operator);
  EXPECT_TRUE((*plan)[2].read_only);
  EXPECT_FALSE((*plan)[2].kept_by_operator) << "as in the kubelet";
}

TEST(PlanMounts, RefusesWhatCannotBeMountedSayingWhy) {
  const struct {
    std::vector<VolumeMount> mounts;
    const char* why;
  } cases[] = {
      {{{"nope", "/a", "", false}}, "no volume of that name"},
      {{{"data", "a", "", false}}, "must be absolute"},
      {{{"data", "", "", false}}, "must be absolute"},
      {{{"data", "/", "", false}}, "over the root"},
      {{{"data", "/./", "", false}}, "over the root"},
      {{{"data", "/a/../b", "", false}}, "\"..\" is not allowed"},
      {{{"data", "/a", "x/../..", false}}, "subPath: \"..\" is not allowed"},
      {{{"data", "/a", "/etc", false}}, "subPath must be relative"},
      {{{"data", "/a\nb", "", false}}, "line feed"},
      {{{"data", "/a", "", false}, {"host", "/a/", "", false}}, "another volume is mounted there"},
  };
  for (const auto& [mounts, why] : cases) {
    const auto plan = Plan(mounts);
    ASSERT_FALSE(plan) << why;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(plan.error().message, HasSubstr(why));
    EXPECT_THAT(plan.error().message, HasSubstr("container c mounts volume"));
  }
}

TEST(MountInfo, IsReadLineByLineAndALineOutOfFormatHarmsNoOther) {
  const auto mounts = ParseMounts(
      "35 31 0:32 / /a\\040b\\134c\\011\\12x rw,relatime shared:7 - cgroup cgroup rw,memory\n"
      "\n-\n - cgroup cgroup rw,memory\n35 31 0:32 / /x rw - cgroup\n"
      "35 31 0:32 / /x rw cgroup cgroup rw,memory\n\\\\\\\n"
      "25 24 0:22 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
      "26 24 0:23 / /x rw shared:9 master:2 propagate_from:1 - ext4 /dev/vda rw,errors=continue\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[0].point, "/a b\\c\t\\12x");
  EXPECT_TRUE(mounts[0].IsOfRoot());
  EXPECT_TRUE(mounts[0].HasOption("memory"));
  EXPECT_FALSE(mounts[0].HasOption("mem"));
  EXPECT_FALSE(mounts[1].IsOfRoot());
  EXPECT_EQ(mounts[1].type, "cgroup2");
  EXPECT_EQ(mounts[2].point, "/x");
  EXPECT_EQ(mounts[2].type, "ext4");
  EXPECT_EQ(mounts[2].device, ::makedev(0, 23));
}

}  // namespace
}  // namespace jettison::kernel
