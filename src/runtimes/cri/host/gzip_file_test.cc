#include "runtimes/cri/host/gzip_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <random>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison::cri {
namespace {

std::string Unpacked(const std::string& path) {
  const gzFile file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot be opened";
  std::string text;
  std::string block(65536, '\0');
  int size = 0;
  while ((size = ::gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    text.append(block, 0, static_cast<std::size_t>(size));
  }
  return ::gzclose(file) == Z_OK ? text : "is broken";
}

class GzipFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] int Gzip() const {
    return GzipFile(Path("log").c_str(), Path("log.tmp").c_str(), Path("log.gz").c_str());
  }

  kernel::TemporaryFolder folder_;
};

TEST_F(GzipFileTest, TheCopyHoldsTheSameAndReplacesTheFile) {
  std::string noise(300'000, '\0');
  std::minstd_rand random(1);
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& text :
       {std::string(), std::string("a line\n"), noise, std::string(3'000'000, 'x')}) {
    ASSERT_TRUE(kernel::WriteFile(Path("log"), text));
    ASSERT_EQ(::chmod(Path("log").c_str(), 0640), 0);
    ASSERT_TRUE(kernel::WriteFile(Path("log.tmp"), "left by an agent that ended"));
    EXPECT_EQ(Gzip(), 0);
    EXPECT_EQ(Unpacked(Path("log.gz")), text);
    struct stat facts {};
    ASSERT_EQ(::stat(Path("log.gz").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0640U);
    EXPECT_EQ(*kernel::NamesIn(folder_.path()), std::vector<std::string>{"log.gz"});
  }
}

TEST_F(GzipFileTest, WhatFailsLeavesTheFileAndNothingElse) {
  EXPECT_EQ(Gzip(), ENOENT);
  ASSERT_TRUE(kernel::WriteFile(Path("log"), "text"));
  ASSERT_TRUE(kernel::MakeFolders(Path("log.gz/in-the-way")));
  EXPECT_NE(Gzip(), 0);
  EXPECT_EQ(*kernel::ReadFile(Path("log")), "text");
  EXPECT_FALSE(kernel::Exists(Path("log.tmp")));
}

}  // namespace
}  // namespace jettison::cri
