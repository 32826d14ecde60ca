#include "runtimes/cri/test_bed/own_containerd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "kernel/programs/programs.h"

namespace jettison::cri {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Kind = ImageEntry::Kind;

TEST(ImageArchive, IsReadByTarWithLayersThatHoldTheirEntries) {
  const kernel::TemporaryFolder folder;
  const std::string scratch = folder.path() + "/scratch";
  const auto archive = ImageArchive(
      {{.reference = "bed.local/one:1", .entrypoint = {"/app", "--wait"}, .entries = {{"tmp/"}}},
       {.reference = "bed.local/two:1",
        .entrypoint = {"/app"},
        .entries = {{"app", Kind::kFile, "bytes"}, {"bin", Kind::kLink, "usr/bin"}}}},
      scratch);
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_FALSE(kernel::Exists(scratch));
  const std::string file = folder.path() + "/images.tar";
  ASSERT_TRUE(kernel::WriteFile(file, *archive));
  const auto tar = FindProgram("tar");
  ASSERT_TRUE(tar);
  const auto read = [&](std::vector<std::string> words) {
    words.insert(words.begin(), *tar);
    return RunProgram(words).value_or("");
  };
  EXPECT_THAT(read({"-xOf", file, "manifest.json"}),
              AllOf(HasSubstr(R"("RepoTags":["bed.local/one:1"])"),
                    HasSubstr(R"("RepoTags":["bed.local/two:1"])")));
  EXPECT_THAT(read({"-xOf", file, "0.json"}),
              AllOf(HasSubstr(R"("Entrypoint":["/app","--wait"])"), HasSubstr(R"("Cmd":[])")));
  ASSERT_EQ(read({"-xf", file, "-C", folder.path(), "1.tar"}), "");
  EXPECT_THAT(read({"-tvf", folder.path() + "/1.tar"}),
              AllOf(HasSubstr("-rwxr-xr-x 0/0"), HasSubstr("bin -> usr/bin")));
  EXPECT_EQ(read({"-xOf", folder.path() + "/1.tar", "app"}), "bytes");
}

}  // namespace
}  // namespace jettison::cri
