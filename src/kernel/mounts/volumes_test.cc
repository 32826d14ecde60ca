#include "kernel/mounts/volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

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

TEST_F(PrepareVolumesTest, AnEmptyDirIsAFolderForEverybody) {
  ASSERT_TRUE(Prepare(EmptyDirSource{}));
  struct stat facts {};
  ASSERT_EQ(::stat(volume_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0777U);
  ASSERT_TRUE(WriteFile(volume_ + "/kept", "x"));
  ASSERT_TRUE(Prepare(EmptyDirSource{}));
  EXPECT_TRUE(Exists(volume_ + "/kept"));
}

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

TEST_F(PrepareVolumesTest, AMissingOneSaysWhatToMake) {
  const auto config = Prepare(ConfigMapSource{.name = "c", .optional = false});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(config.error().message, HasSubstr("volume v: configMap \"c\" not found"));
  EXPECT_THAT(config.error().message, HasSubstr(paths_.ConfigMap("ns", "c")));
  const auto secret = Prepare(SecretSource{.secret_name = "s", .optional = false});
  ASSERT_FALSE(secret);
  EXPECT_THAT(secret.error().message, HasSubstr(paths_.Secret("ns", "s")));
}

TEST_F(PrepareVolumesTest, AnOptionalOneThatIsMissingIsEmpty) {
  ASSERT_TRUE(Prepare(SecretSource{.secret_name = "s", .optional = true}));
  EXPECT_TRUE(NamesIn(volume_)->empty());
}

TEST_F(PrepareVolumesTest, NamesNeverLeadOutOfTheConfigFolder) {
  EXPECT_FALSE(Prepare(ConfigMapSource{.name = "../../host", .optional = true}));
  EXPECT_FALSE(Prepare(SecretSource{.secret_name = "a/b", .optional = true}));
}

TEST_F(PrepareVolumesTest, OtherKindsAreRefusedByName) {
  const auto other = Prepare(OtherVolumeSource{.kind = "nfs"});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("volume v: nfs is not supported"));
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

}  // namespace
}  // namespace jettison::kernel
