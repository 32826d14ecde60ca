// scripts/image.sh, on a program that is small.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/live/program.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Image : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_.path() + "/a build");
    std::filesystem::copy_file("/bin/true", folder_.path() + "/a build/jettison");
  }
  std::string Shell(const std::string& command) {
    Program shell({"/bin/sh", "-c", "cd '" + folder_.path() + "' && " + command}, {});
    EXPECT_EQ(shell.Wait(), 0) << command << "\n" << shell.output();
    return shell.output();
  }
  // With the PATH of an ordinary user of Debian, which lacks the folders of ldconfig.
  std::string Make(const std::string& arguments) {
    return Shell(
        fmt::format("JETTISON_BUILD=\"$PWD/a build\" PATH=/usr/local/bin:/usr/bin:/bin "
                    "{}/scripts/image.sh {}",
                    Quoted(JETTISON_SOURCE), arguments));
  }

  TemporaryFolder folder_;
};

TEST_F(Image, IsTheSameBytesEachTime) {
  Make("one.tar");
  Shell("touch -d 2001-01-01 'a build/jettison'");
  Make("deeper/two.tar");
  Shell("cmp one.tar deeper/two.tar");
}

TEST_F(Image, HoldsTheProgramWithWhatItLoadsAndIsNamed) {
  EXPECT_THAT(Make("image.tar registry.example/jettison:7"),
              HasSubstr("registry.example/jettison:7"));
  Shell("tar -xf image.tar");
  EXPECT_THAT(Shell("cat manifest.json index.json"),
              AllOf(HasSubstr(R"("RepoTags":["registry.example/jettison:7"])"),
                    HasSubstr(R"("io.containerd.image.name":"registry.example/jettison:7")")));
  EXPECT_THAT(Shell("for blob in blobs/sha256/*; do echo \"$(basename $blob)  $blob\"; done | "
                    "sha256sum --check"),
              Not(HasSubstr("FAILED")));
  EXPECT_THAT(Shell("for blob in blobs/sha256/*; do tar -tf $blob 2>/dev/null || true; done"),
              AllOf(HasSubstr("./usr/bin/jettison\n"), HasSubstr("libc.so.6\n"),
                    HasSubstr("ld-linux"), HasSubstr("./etc/passwd\n")));
}

// Without them no hook with https:// reaches anybody.
TEST_F(Image, HoldsTheCertificateAuthoritiesOfTheSystem) {
  Make("image.tar");
  Shell("tar -xf image.tar && mkdir root");
  Shell("for blob in blobs/sha256/*; do tar -xf $blob -C root 2>/dev/null || true; done");
  Shell("cmp root/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt");
  EXPECT_THAT(Shell("cat root/etc/ssl/certs/ca-certificates.crt"), HasSubstr("BEGIN CERTIFICATE"));
}

}  // namespace
}  // namespace jettison
